"""nginx in the server's namespace, from a configuration of our own."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.emulate.link import Testbed

PORT = 80
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
}}
"""


@dataclass(frozen=True)
class Server:
    """A running server: where its files are and how to ask for them."""

    content: Path
    base_url: str


@contextmanager
def serve(testbed: Testbed) -> Iterator[Server]:
    """Run nginx in the server's namespace; its files go into ``content`` of what is given.

    Raises
    ------
    MissingError
        If nginx is not installed.
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
        configuration.write_text(_CONFIGURATION.format(folder=folder, address=address, port=PORT, content=content))
        argv = [nginx, "-p", name, "-c", str(configuration), "-e", str(folder / "error.log")]
        with (folder / "output.log").open("wb") as output:
            server = testbed.popen("server", argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            _wait_until_ready(server, folder)
            yield Server(content, f"http://{address}:{PORT}")
        finally:
            server.terminate()
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


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
