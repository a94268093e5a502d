"""Running web server: nginx, or caddy for HTTP/3."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mmwemu.apps.shared.webserver import caddy, nginx
from mmwemu.apps.shared.webserver.certificate import Certificates, make_certificates
from mmwemu.apps.shared.webserver.hosts import PORT, VirtualHost
from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.core.temporary import temporary_folder
from mmwemu.testbed.place import Place

_START_LIMIT_S = 15.0


@dataclass(frozen=True)
class Server:
    """A running server: folder of its files, address and certificates."""

    content: Path
    base_url: str
    certificates: Certificates | None = None


@contextmanager
def serve(place: Place, virtual_hosts: Sequence[VirtualHost] = ()) -> Iterator[Server]:
    """Run a web server and yield it; its files belong into ``content`` of the `Server`.

    Parameters
    ----------
    place
        Place of the server.
    virtual_hosts
        Further files under names of their own, with certificates for this server. If one needs HTTP/3, caddy
        serves all, otherwise nginx.

    Raises
    ------
    MissingError
        If nginx or caddy is not installed, or openssl if there are virtual hosts.
    MmwemuError
        If the server does not start, with its last message.
    """
    kind = caddy if any(host.http3 for host in virtual_hosts) else nginx
    program = kind.find()
    with temporary_folder(kind.NAME) as folder:
        content = folder / "content"
        content.mkdir()
        address = place.address
        names = [name for host in virtual_hosts for name in host.names]
        certificates = make_certificates(folder, names) if names else None
        text = kind.configuration(folder, address, content, virtual_hosts, certificates)
        (folder / kind.CONFIGURATION).write_text(text, encoding="utf-8", errors="surrogateescape")
        with (folder / "output.log").open("wb") as output:
            argv = kind.command(program, folder)
            server = place.popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            _wait_until_ready(server, folder, kind.NAME)
            yield Server(content, f"http://{address}:{PORT}", certificates)
        finally:
            process.end(server)


def _wait_until_ready(server: subprocess.Popen[bytes], folder: Path, name: str) -> None:
    """Wait for the pid file, which both servers write after they have bound their ports."""
    deadline = time.monotonic() + _START_LIMIT_S
    pid_file = folder / f"{name}.pid"
    while not (pid_file.exists() and pid_file.stat().st_size):
        if server.poll() is not None or time.monotonic() > deadline:
            words = [
                line
                for log in ("error.log", "output.log")
                if (folder / log).exists()
                for line in (folder / log).read_text(errors="replace").splitlines()
            ]
            raise MmwemuError(f"{name} did not start: {words[-1] if words else 'no output'}")
        time.sleep(0.01)
