"""Commands of ngtcp2's server and client, which sends and which receives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mmwemu.apps.shared.webserver.certificate import Certificates
from mmwemu.core import process
from mmwemu.core.errors import MissingError
from mmwemu.core.requirements import Requirement, requirement
from mmwemu.testbed.kernel import read_sysctl

SERVER, CLIENT = "gtlsserver", "gtlsclient"
PACKAGES = "ngtcp2-server ngtcp2-client"
REMEDY = (
    f"install both: sudo apt-get install {PACKAGES}, and switch the service off: sudo systemctl disable --now ngtcp2d"
)
CONGESTION_CONTROLS = ("cubic", "reno", "bbr")
"""Names of the congestion controls that every version of the server has."""

NAME = "mmwemu.test"
"""Name in the certificate and in requests."""

# The buffer of a socket that does not ask for another, as the client's; it belongs to the computer, not to a network.
_ROOM, _ROOM_BYTES = "net.core.rmem_default", 4_194_304
# As large as the windows that the kernel's TCP grows to here.
_WINDOW = "64M"
# The server makes the content of a path that is a number: as many bytes.
_LONGEST = "1048576G"


@dataclass(frozen=True)
class Programs:
    """Paths of server and client."""

    server: str
    client: str


def find() -> Programs:
    """Return the paths of server and client.

    Raises
    ------
    MissingError
        If one of them is not installed.
    """
    return Programs(process.find_tool(SERVER, REMEDY), process.find_tool(CLIENT, REMEDY))


def examine(needed_for: str) -> list[Requirement]:
    """Return the requirements: server and client, whose version only their package knows, and room for datagrams."""
    try:
        detail: str | None = find().server
    except MissingError:
        detail = None
    room_bytes = int(read_sysctl(_ROOM) or 0)
    enough = f"{room_bytes} bytes" if room_bytes >= _ROOM_BYTES else None
    return [
        requirement(f"{SERVER}, {CLIENT}", needed_for, detail, f"sudo apt-get install {PACKAGES}"),
        requirement(
            "UDP receive buffer", f"{needed_for} above 100 Mbit/s", enough, f"sudo sysctl -w {_ROOM}={_ROOM_BYTES}",
            absent=f"{room_bytes} bytes",
        ),
    ]  # fmt: skip


def server_command(
    programs: Programs,
    address: str,
    port: int,
    *,
    certificates: Certificates,
    logs: Path,
    congestion_control: str,
    idle_s: float,
) -> list[str]:
    """Return the command of a server.

    Parameters
    ----------
    address, port
        Where it listens.
    certificates
        With one for `NAME`.
    logs
        Folder that gets a qlog of each connection, and where nothing else is: it is the document root, too.
    congestion_control
        One of `CONGESTION_CONTROLS`.
    idle_s
        A connection on which nothing comes for so long ends, and one that is not established after it.
    """
    return [
        programs.server, "--quiet", f"--htdocs={logs}", f"--qlog-dir={logs}", f"--cc={congestion_control}",
        f"--max-dyn-length={_LONGEST}", *_patience(idle_s), address, str(port),
        str(certificates.key), str(certificates.by_name[NAME]),
    ]  # fmt: skip


def client_command(
    programs: Programs, address: str, port: int, size_bytes: int, *, folder: Path, idle_s: float
) -> list[str]:
    """Return the command of a client that fetches one body and ends.

    Parameters
    ----------
    address, port
        Those of the server.
    size_bytes
        Size of the body.
    folder
        Where the body is written, to a file named by its size.
    idle_s
        As for the server.
    """
    return [
        programs.client, "--quiet", f"--download={folder}", "--exit-on-all-streams-close", *_patience(idle_s),
        f"--max-window={_WINDOW}", f"--max-stream-window={_WINDOW}", f"--sni={NAME}", address, str(port),
        f"https://{NAME}:{port}/{size_bytes}",
    ]  # fmt: skip


def _patience(idle_s: float) -> list[str]:
    return [f"--timeout={idle_s:.0f}s", f"--handshake-timeout={idle_s:.0f}s"]
