"""Configuration and command of nginx."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from mmwemu.apps.shared.webserver.certificate import Certificates
from mmwemu.apps.shared.webserver.hosts import PORT, TLS_PORT, VirtualHost
from mmwemu.core import process

_CONFIGURATION = """\
daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  default_type application/octet-stream;
  types {{ text/html html; text/css css; application/javascript js; image/jpeg jpg; }}
  disable_symlinks on from=$document_root;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen {address}:{port};
    root {content};
  }}
{replies}{virtual_hosts}}}
"""

# Browsers choose HTTP/2 or HTTP/1.1 in the TLS handshake.
_VIRTUAL_HOST = """\
  server {{
    listen {address}:{port};
    listen {address}:{tls_port} ssl http2;
    server_name {name};
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    root {root};
{location}  }}
"""

# A table maps addresses to files; regular expressions are nginx's only case-sensitive keys.
_REPLIES = """\
  merge_slashes off;
  map_hash_bucket_size 1024;
  map_hash_max_size 65536;
  geo $dollar {{ default "$"; }}
  map "$host$uri?$args" $reply {{
    default /none;
{keys}  }}
{headers}"""

_REPLY_LOCATION = """\
    types {{ }}
    default_type "";
    location / {{
      if ($reply_location) {{ return 302 $reply_location; }}
{headers}      try_files $reply =404;
    }}
"""


NAME, CONFIGURATION = "nginx", "nginx.conf"


def find() -> str:
    """Return the path of nginx.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("nginx", "install it: sudo apt-get install nginx-light")


def command(program: str, folder: Path) -> list[str]:
    """Return the command that runs nginx, with its configuration and all its output in ``folder``."""
    return [program, "-p", str(folder), "-c", str(folder / CONFIGURATION), "-e", str(folder / "error.log")]


def configuration(
    folder: Path, address: str, content: Path, hosts: Sequence[VirtualHost], certificates: Certificates | None
) -> str:
    """Return the configuration of a server of the files in ``content``, and of ``hosts`` by name.

    Parameters
    ----------
    folder
        Folder of the server's own files.
    address
        Address on which it listens.
    content
        Folder of files for requests by address.
    hosts, certificates
        Virtual hosts for requests by name, and a certificate for each name; None if there are no hosts.
    """
    blocks = "".join(_blocks(host, address, certificates) for host in hosts if certificates)
    return _CONFIGURATION.format(
        folder=folder, address=address, port=PORT, content=content, replies=_replies(hosts), virtual_hosts=blocks
    )


def _blocks(host: VirtualHost, address: str, certificates: Certificates) -> str:
    return "".join(
        _VIRTUAL_HOST.format(
            address=address,
            port=PORT,
            tls_port=TLS_PORT,
            name=name,
            certificate=certificates.by_name[name],
            key=certificates.key,
            root=host.root,
            location=_REPLY_LOCATION.format(headers=_header_lines(host)) if host.replies else "",
        )
        for name in host.names
    )


def _replies(hosts: Sequence[VirtualHost]) -> str:
    """Return the table of replies, and a table of values for each header."""
    exact: dict[str, str] = {}
    by_path: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {"location": {}}
    for host in hosts:
        for reply in host.replies:
            for name in host.names:
                exact.setdefault(rf"~\A{re.escape(name + reply.path)}\??\z", reply.file)
                by_path.setdefault(rf"~(?s)\A{re.escape(name + reply.path.split('?', 1)[0])}\?.*\z", reply.file)
            for header, value in reply.headers.items():
                values.setdefault(header, {})[f"{host.root}/{reply.file}"] = value
    if not exact:
        return ""
    keys = "".join(f"    {_quoted(key)} /{file};\n" for key, file in [*exact.items(), *by_path.items()])
    headers = ""
    for header, of_files in values.items():
        lines = "".join(
            f"    {_quoted(file)} {_quoted(value).replace('$', '${dollar}')};\n" for file, value in of_files.items()
        )
        headers += f'  map "$document_root$reply" {_variable(header)} {{\n{lines}  }}\n'
    return _REPLIES.format(keys=keys, headers=headers)


def _header_lines(host: VirtualHost) -> str:
    names = sorted({name for reply in host.replies for name in reply.headers if name != "location"})
    return "".join(f"      add_header {name} {_variable(name)};\n" for name in names)


def _variable(header: str) -> str:
    return f"$reply_{header.replace('-', '_')}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
