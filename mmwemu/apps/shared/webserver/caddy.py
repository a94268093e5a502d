"""Configuration and command of caddy, for HTTP/3. Experimental."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmwemu.apps.shared.webserver.certificate import Certificates
from mmwemu.apps.shared.webserver.hosts import PORT, TLS_PORT, VirtualHost
from mmwemu.core import process

NAME, CONFIGURATION = "caddy", "caddy.json"
REMEDY = "install it: sudo apt-get install caddy, and switch its service off: sudo systemctl disable --now caddy"

# The address as requested: that of the request changes once a reply is chosen.
_ADDRESS = "{http.request.host}{http.request.orig_uri.path}?{http.request.orig_uri.query}"


def find() -> str:
    """Return the path of caddy.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("caddy", REMEDY)


def command(program: str, folder: Path) -> list[str]:
    """Return the command that runs caddy, with its configuration and its pid file in ``folder``."""
    return [program, "run", "--config", str(folder / CONFIGURATION), "--pidfile", str(folder / "caddy.pid")]


def configuration(
    folder: Path, address: str, content: Path, hosts: Sequence[VirtualHost], certificates: Certificates | None
) -> str:
    """Return the configuration as JSON; parameters as in `mmwemu.apps.shared.webserver.nginx.configuration`."""
    routes = [_route(host) for host in hosts]
    plain = {
        "listen": [f"{address}:{PORT}"],
        "automatic_https": {"disable": True},
        "routes": [*routes, {"handle": [{"handler": "file_server", "root": str(content)}]}],
    }
    secure = {
        "listen": [f"{address}:{TLS_PORT}"],
        "automatic_https": {"disable": True},
        "protocols": ["h1", "h2", "h3"],
        "tls_connection_policies": [{}],
        "routes": routes,
    }
    keys = (
        [{"certificate": str(file), "key": str(certificates.key)} for file in certificates.by_name.values()]
        if certificates
        else []
    )
    return json.dumps({
        "admin": {"disabled": True, "config": {"persist": False}},
        "storage": {"module": "file_system", "root": str(folder)},
        "logging": {"logs": {"default": {"level": "WARN"}}},
        "apps": {
            "http": {"servers": {"plain": plain, "secure": secure}},
            "tls": {"certificates": {"load_files": keys}},
        },
    })  # fmt: skip


def _route(host: VirtualHost) -> dict[str, Any]:
    """Return the route of requests for a host."""
    files = {"handler": "file_server", "root": str(host.root), "index_names": ["index.html"]}
    handlers = [_replies(host), files] if host.replies else [files]
    return {"match": [{"host": list(host.names)}], "handle": handlers, "terminal": True}


def _replies(host: VirtualHost) -> dict[str, Any]:
    """Return the handler of replies: a table of file and headers by address, and routes that apply it."""
    headers = sorted({name for reply in host.replies for name in reply.headers})
    exact: dict[str, list[str]] = {}
    by_path: dict[str, list[str]] = {}
    for reply in host.replies:
        outputs = [f"/{reply.file}", *(reply.headers.get(name, "").replace("{", r"\{") for name in headers)]
        for name in host.names:
            for address in (f"{name}{reply.path}?", f"{name}{reply.path}" if "?" in reply.path else None):
                if address:
                    exact.setdefault(address, outputs)
            by_path.setdefault(rf"(?s)\A{re.escape(name + reply.path.split('?', 1)[0])}\?.*\z", outputs)
    table = {
        "handler": "map",
        "source": _ADDRESS,
        "destinations": ["{reply_file}", *map(_variable, headers)],
        "mappings": [
            *({"input": address, "outputs": outputs} for address, outputs in exact.items()),
            *({"input_regexp": pattern, "outputs": outputs} for pattern, outputs in by_path.items()),
        ],
        "defaults": ["/none", *("" for _ in headers)],
    }
    leads_elsewhere = {"handler": "static_response", "status_code": 302}
    routes = [
        {"handle": [table]},
        *({"match": [_has(name)], "handle": [_header(name)]} for name in headers),
        *({"match": [_has(name)], "handle": [leads_elsewhere]} for name in headers if name == "location"),
        {"handle": [{"handler": "rewrite", "uri": "{reply_file}"}]},
    ]
    return {"handler": "subroute", "routes": routes}


def _has(header: str) -> dict[str, Any]:
    return {"not": [{"vars": {_variable(header): [""]}}]}


def _header(name: str) -> dict[str, Any]:
    return {"handler": "headers", "response": {"set": {name: [_variable(name)]}}}


def _variable(header: str) -> str:
    return f"{{reply_{header.replace('-', '_')}}}"
