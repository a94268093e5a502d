"""Running a command line with files of its own, and what is wrong with how it ended."""

import itertools
import json
import os
import re
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

LIMIT_S = 20.0
# iperf3 is waited for 10 s longer than a flow should take, on a link that may lose everything.
_RUN_LIMIT_S = 40.0
# What a command may use; a browser, npm and mitmproxy are not among it, so that nothing is fetched.
_TOOLS = ("true", "false", "sh", "sleep", "nginx", "curl", "iperf3", "ping", "openssl", "ffmpeg", "ffprobe")
_PROGRESS = re.compile(r"mmwemu: [^:]* \.\.\.")
_WARNING = re.compile(
    r"mmwemu: (note: |tc-mode [a-z-]+: |the pattern reaches|the link was not valid|[0-9]+ of [0-9]+ runs failed)"
)
_MINE = (".cache/mmwemu", ".local/share/mmwemu")


@dataclass(frozen=True)
class Link:
    """A symbolic link, in place of a file's content."""

    target: str


@dataclass
class Case:
    """A command line and the files that it finds: contents, links, or None for an empty folder, by path."""

    argv: list[str]
    files: dict[str, object] = field(default_factory=dict)
    home: str = ""

    @property
    def limit_s(self) -> float:
        """The time in which it has to end."""
        return _RUN_LIMIT_S if self.argv[:1] == ["run"] else LIMIT_S

    def make(self, folder: Path) -> None:
        """Write the files."""
        for name, content in self.files.items():
            path = folder / name
            if content is None:
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Link):
                path.symlink_to(content.target)
            else:
                path.write_bytes(content)

    def __repr__(self) -> str:
        """Show long contents and arguments by their beginning; the whole case is kept in a folder."""
        files = ", ".join(f"{name}: {content!r:.300}" for name, content in self.files.items())
        return f"mmwemu {' '.join(f'{word!r:.200}' for word in self.argv)}   [{files}]{self.home}"


@dataclass
class Ending:
    """How a command ended: exit code (None: not in time), its output, and what it left."""

    code: int | None
    stdout: bytes
    stderr: bytes
    left_running: list[str]
    new_files: list[str]


class Commands:
    """Runs command lines, each in a fork of one process."""

    def __init__(self) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="fuzz-cli-"))
        self._bin = self._root / "bin"
        self._bin.mkdir()
        for name in _TOOLS:
            if found := shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
                (self._bin / name).symlink_to(found)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        argv = [sys.executable, str(Path(__file__).parent), "forkserver", str(theirs.fileno())]
        self._server = subprocess.Popen(argv, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        if self._socket.recv(100) != b"ready":
            raise RuntimeError("mmwemu cannot be imported")

    def close(self) -> None:
        """End the process that forks."""
        self._socket.close()
        self._server.wait()
        shutil.rmtree(self._root, ignore_errors=True)

    def run(self, case: Case) -> Ending:
        """Run a command line in a folder of its own."""
        root = self._root / "case"
        shutil.rmtree(root, ignore_errors=True)
        folder, home, temporary = root / "here", root / "home", root / "tmp"
        for path in (folder, home, temporary):
            path.mkdir(parents=True)
        case.make(folder)
        before = listing(root)
        env = {"PATH": str(self._bin), "HOME": case.home or str(home), "TMPDIR": str(temporary), "LANG": "C.UTF-8"}
        request = {
            "argv": [os.fsencode(word).hex() for word in case.argv],
            "folder": str(folder),
            "env": env,
            "limit_s": case.limit_s,
        }
        out, err, answer = self._exchange(json.dumps(request).encode())
        status = answer["status"]
        code = None if status is None else os.waitstatus_to_exitcode(status)
        after = listing(root)
        new = sorted(name for name in after if after[name] != before.get(name))
        return Ending(code, out, err, answer["left"], new)

    def _exchange(self, request: bytes) -> tuple[bytes, bytes, dict[str, object]]:
        """Send a request with pipes as streams, and read both outputs and the answer."""
        pipes = [os.pipe(), os.pipe()]
        stdin = os.open(os.devnull, os.O_RDONLY)
        theirs = [stdin, pipes[0][1], pipes[1][1]]
        socket.send_fds(self._socket, [request], theirs)
        for fd in theirs:
            os.close(fd)
        texts: dict[int, bytes] = {pipes[0][0]: b"", pipes[1][0]: b""}
        answer = b""
        with selectors.DefaultSelector() as waiting:
            for fd in (*texts, self._socket.fileno()):
                waiting.register(fd, selectors.EVENT_READ)
            deadline_s = time.monotonic() + _RUN_LIMIT_S + 20
            while (not answer or len(waiting.get_map()) > 0) and time.monotonic() < deadline_s:
                for key, _ in waiting.select(1.0):
                    if key.fd == self._socket.fileno():
                        answer = self._socket.recv(1 << 20)
                        waiting.unregister(key.fd)
                    elif data := os.read(key.fd, 1 << 20):
                        texts[key.fd] += data
                    else:
                        waiting.unregister(key.fd)
        out, err = texts.values()
        for fd in texts:
            os.close(fd)
        return out, err, json.loads(answer)


def listing(root: Path) -> dict[str, tuple[int, ...]]:
    """Return size and time of every file below a folder, nothing but the name of folders."""
    found = {}
    for path in root.rglob("*"):
        status = path.lstat()
        found[str(path.relative_to(root))] = () if path.is_dir() else (status.st_size, status.st_mtime_ns)
    return found


def problem(case: Case, ending: Ending) -> str:
    """Return what is wrong with how a command ended, empty if nothing is."""
    if ending.code is None:
        return f"no end after {case.limit_s:g} s"
    runs = case.argv[:1] == ["link"]  # ends with the code of its command
    if not (0 <= ending.code <= 4 or (runs and ending.code < 256)):
        return f"exit code {ending.code}"
    text = (ending.stdout + ending.stderr).decode(errors="replace")
    if "Traceback" in text:
        return "a traceback"
    steering = {one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp") and one != "\n"}
    if steering:
        return f"characters that steer a terminal: {steering}"
    lines = ending.stderr.decode(errors="replace").splitlines()
    foreign = [line for line in lines if not line.startswith("mmwemu: ")]
    is_help = ending.code == 2 and lines[:1] and lines[0].startswith("Usage: ")
    if foreign and not is_help:
        return f"a line that is none of mmwemu's: {foreign[0]!r}"
    errors = [line for line in lines if not _PROGRESS.fullmatch(line) and not _WARNING.match(line)]
    if ending.code in (2, 3) and len(errors) != 1 and not is_help and case.argv[:1] != ["doctor"]:
        return f"{len(errors)} lines for an error"
    if ending.left_running:
        return f"left running: {ending.left_running}"
    return _left_behind(case, ending)


def _reasons(argv: list[str]) -> set[str]:
    """Return the files into which a check writes also why it could not judge."""
    return {word for option, word in itertools.pairwise(argv) if option in ("--summary", "--junit")}


def _left_behind(case: Case, ending: Ending) -> str:
    """Return what is wrong with the files that a command made."""
    for name in ending.new_files:
        where, _, rest = name.partition("/")
        mine = where == "home" and any(rest.startswith(own) or own.startswith(rest) for own in _MINE)
        if where != "here" and not mine:
            return f"left {name}"
        if rest in _reasons(case.argv):
            continue
        if ending.code in (2, 3) and where == "here":
            return f"left {name} after an error"
        if (".in-progress" in name or "/.making" in name) and ending.code != 1:
            return f"left {name}"
    return ""
