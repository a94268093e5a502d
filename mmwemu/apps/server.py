"""nginx in the server's namespace, from a configuration of our own."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mmwemu.apps.certificate import Certificates, make_certificates
from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.emulate.link import Testbed

PORT = 80
TLS_PORT = 443
_START_LIMIT_S = 5.0

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
{virtual_hosts}}}
"""

# Browsers choose HTTP/2 or HTTP/1.1 when they shake hands over TLS.
_VIRTUAL_HOST = """\
  server {{
    listen {address}:{port};
    listen {address}:{tls_port} ssl http2;
    server_name {name};
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    root {root};
  }}
"""


@dataclass(frozen=True)
class VirtualHost:
    """Names that a server answers to over HTTP, and over TLS with HTTP/1.1 and HTTP/2, and its folder of files."""

    names: tuple[str, ...]
    root: Path


@dataclass(frozen=True)
class Server:
    """A running server: where its files are and how to ask for them."""

    content: Path
    base_url: str
    certificates: Certificates | None = None


@contextmanager
def serve(testbed: Testbed, virtual_hosts: Sequence[VirtualHost] = ()) -> Iterator[Server]:
    """Run nginx in the server's namespace; its files go into ``content`` of what is given.

    Parameters
    ----------
    testbed
        Where it runs.
    virtual_hosts
        Further files under names of their own, with certificates made for this server.

    Raises
    ------
    MissingError
        If nginx is not installed, or openssl where there are virtual hosts.
    MmwemuError
        If it does not start; with nginx's own last words.
    """
    nginx = process.find_tool("nginx", "install it: sudo apt-get install nginx-light")
    with tempfile.TemporaryDirectory(prefix="mmwemu-nginx-") as name:
        folder = Path(name)
        content = folder / "content"
        content.mkdir()
        configuration = folder / "nginx.conf"
        address = testbed.server_address
        names = [name for host in virtual_hosts for name in host.names]
        certificates = make_certificates(folder, names) if names else None
        blocks = "".join(_blocks(host, address, certificates) for host in virtual_hosts if certificates)
        text = _CONFIGURATION.format(folder=folder, address=address, port=PORT, content=content, virtual_hosts=blocks)
        configuration.write_text(text)
        argv = [nginx, "-p", name, "-c", str(configuration), "-e", str(folder / "error.log")]
        with (folder / "output.log").open("wb") as output:
            server = testbed.popen("server", argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            _wait_until_ready(server, folder)
            yield Server(content, f"http://{address}:{PORT}", certificates)
        finally:
            server.terminate()
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


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
        )
        for name in host.names
    )


def _wait_until_ready(server: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait for the pid file, which nginx writes after it has bound its port."""
    deadline = time.monotonic() + _START_LIMIT_S
    pid_file = folder / "nginx.pid"
    while not (pid_file.exists() and pid_file.stat().st_size):
        if server.poll() is not None or time.monotonic() > deadline:
            words = [
                line
                for log in ("error.log", "output.log")
                if (folder / log).exists()
                for line in (folder / log).read_text(errors="replace").splitlines()
            ]
            raise MmwemuError(f"nginx did not start: {words[-1] if words else 'it said nothing'}")
        time.sleep(0.01)
