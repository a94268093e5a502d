"""A study on several computers by SSH: each runs a share under its own lock, and the shares become one results folder.

What a computer has measured stays there until all shares are merged, so that the same command goes on after whatever
cut it off.
"""

from __future__ import annotations

import io
import json
import shlex
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.files import within
from mmwemu.core.names import RULE, is_name
from mmwemu.core.temporary import temporary_folder
from mmwemu.core.text import shown
from mmwemu.pattern import library
from mmwemu.results import collection
from mmwemu.results.merge import merge
from mmwemu.study import record as records
from mmwemu.study.studies import Share, Study

Tell = Callable[[str, str], None]
"""Gets a host and a line that it printed."""

_NO_COMMAND, _NO_LOGIN = 127, 255
_RESULTS = "results"
# Ends with the connection, which its standard input is.
_RUN = """
if [ -d results ]; then exit 0; fi
if [ -e results.in-progress/study.json ]; then set -- study resume results.in-progress
else rm -rf results.in-progress; set -- study run study.toml --share "$0" -o results; fi
exec 3<&0
mmwemu "$@" > /dev/null &
pid=$!
{ cat <&3; kill "$pid"; } > /dev/null 2>&1 &
wait "$pid"
"""


@dataclass(frozen=True)
class Host:
    """A computer that runs a share: ``user@host``, and the command that logs in, with its options."""

    login: str
    ssh: tuple[str, ...] = ("ssh",)

    def __post_init__(self) -> None:
        user, _, host = self.login.rpartition("@")
        if not is_name(host) or (user and not is_name(user)):
            raise InputError("hosts", f"has {shown(self.login)}; must be HOST or USER@HOST, each of which {RULE}")

    def argv(self, script: str, *arguments: str) -> list[str]:
        """Return the command that runs a script of sh there; its first argument is ``$0``."""
        words = shlex.join(["sh", "-c", script, *(arguments or ("sh",))])
        return [*self.ssh, "-x", "-o", "BatchMode=yes", self.login, words]

    def check(self, code: int, said: str) -> None:
        """Refuse to go on after an exit code other than 0.

        Raises
        ------
        MissingError
            If the host has no mmwemu.
        MmwemuError
            With the last line that it printed.
        """
        if code == _NO_COMMAND:
            raise MissingError(f"{self.login}: has no mmwemu in the PATH of its logins", "install it there")
        if code:
            last = said.strip().splitlines()[-1:] or [f"exit code {code}"]
            raise MmwemuError(f"{self.login}: {last[0].removeprefix('mmwemu: ')}")


@dataclass
class _Remote:
    """A share on its host."""

    host: Host
    share: Share
    study: Study
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def _folder(self) -> str:
        name = f"{self.study.sha256[:16]}-{self.share.number}-of-{self.share.of}"
        return f'd="${{XDG_CACHE_HOME:-$HOME/.cache}}/mmwemu/studies/{name}"; mkdir -p "$d" && cd "$d" || exit 1\n'

    def send(self, files: bytes) -> None:
        """Send the study, and refuse a host that plans it otherwise."""
        out = self._ask(f"{self._folder} tar -xf - || exit 1; mmwemu study show study.toml --json", files)
        try:
            theirs = json.loads(out)["sha256"]
        except (ValueError, KeyError, TypeError):
            raise MmwemuError(f"{self.host.login}: has another version of mmwemu") from None
        if theirs != self.study.sha256:
            problem = "plans the study otherwise; mmwemu, a pattern or an application differs"
            raise InputError(self.host.login, problem)

    def run(self, tell: Tell) -> None:
        """Run the share, or go on with it."""
        runner = self._start(self._folder + _RUN, str(self.share), stderr=subprocess.PIPE)
        assert runner.stderr is not None
        said = ""
        for raw in runner.stderr:
            said = raw.decode(errors="replace").strip() or said
            tell(self.host.login, said)
        code = runner.wait()
        if self._ask(f"{self._folder} [ -d {_RESULTS} ] && echo yes; true") != b"yes\n":
            self.host.check(code or 1, said)

    def fetch(self, folder: Path) -> None:
        """Copy the results into a folder."""
        sender = self._start(f"{self._folder} tar -cf - {_RESULTS}", stdout=subprocess.PIPE)
        assert sender.stdout is not None
        try:
            with tarfile.open(fileobj=sender.stdout, mode="r|") as archive:
                for member in archive:
                    _extract(archive, member, folder)
        except (tarfile.TarError, OSError, InputError) as error:
            raise MmwemuError(f"{self.host.login}: results cannot be fetched: {error}") from None
        self.host.check(sender.wait(), "results cannot be fetched")

    def clean(self) -> None:
        """Remove the share from its host."""
        self._ask(f'{self._folder} cd /; rm -rf "$d"')

    def end(self) -> None:
        """End what runs there."""
        for program in self.programs:
            process.end(program)

    def _ask(self, script: str, content: bytes = b"") -> bytes:
        program = self._start(script, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, said = program.communicate(content)
        if program.returncode == _NO_LOGIN:
            raise MmwemuError(f"{self.host.login}: cannot be logged in to: {said.decode(errors='replace').strip()}")
        self.host.check(program.returncode, said.decode(errors="replace"))
        return out

    def _start(self, script: str, *arguments: str, **streams: int) -> subprocess.Popen[bytes]:
        # Standard input stays open: it tells the host that somebody waits.
        argv = self.host.argv(script, *arguments)
        self.programs.append(process.start(argv, tied=True, stdin=subprocess.PIPE, **streams))
        return self.programs[-1]


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write a file or folder of an archive below a folder, and nothing elsewhere."""
    path = within(folder, member.name)
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return
    source = archive.extractfile(member) if member.isreg() else None
    if source is None:
        raise InputError(member.name, "is neither a file nor a folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as sink:
        shutil.copyfileobj(source, sink)


def run_on_hosts(
    study: Study, hosts: Sequence[Host], path: Path, command: Sequence[str], base: Path, tell: Tell
) -> Path:
    """Run a study that has a file on several computers, and return its results folder.

    Parameters
    ----------
    study
        What to run. Its file and the patterns that are files below ``base`` are sent; whatever else it names has to be
        on the hosts.
    hosts
        Each runs a share.
    path
        Results folder to make.
    command
        For the manifest: the command line.
    base
        The folder to which paths in the study are relative.
    tell
        Called with the lines that hosts print.

    Raises
    ------
    InputError
        If a host plans the study otherwise, a host is named twice, or ``path`` exists.
    MissingError
        If ssh or a host's mmwemu is missing.
    MmwemuError
        If a host cannot be reached, or its share fails; the other shares come to their end.
    """
    if len({host.login for host in hosts}) < len(hosts):
        raise InputError("hosts", "has one twice; a computer runs one study at a time")
    if path.exists():
        raise InputError(str(path), "exists already; results are never overwritten: choose another folder")
    process.find_tool(hosts[0].ssh[0], "install it: sudo apt-get install openssh-client")
    started = datetime.now(UTC)
    files = _files(study, base)
    remotes = [_Remote(host, Share(i, len(hosts)), study) for i, host in enumerate(hosts, 1)]
    with temporary_folder("study") as fetched, ExitStack() as stack:

        def one(remote: _Remote) -> Path:
            folder = fetched / str(remote.share.number)
            folder.mkdir()
            remote.run(tell)
            remote.fetch(folder)
            return folder / _RESULTS

        pool = stack.enter_context(ThreadPoolExecutor(len(hosts)))
        for remote in remotes:
            stack.callback(remote.end)
        list(pool.map(lambda remote: remote.send(files), remotes))
        doing = [pool.submit(one, remote) for remote in remotes]
        problems = [problem for each in doing if (problem := each.exception()) is not None]
        if problems:
            raise problems[0]
        merge([collection.open_folder(each.result()) for each in doing], path, command)
        records.write(records.record_of(study, Share(), command, started, base), study.text, path)
        for remote in remotes:
            with suppress(MmwemuError):
                remote.clean()
    return path


def _files(study: Study, base: Path) -> bytes:
    """Return a tar archive of the study file, and of the patterns that are files below its folder."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        entry = tarfile.TarInfo(records.TEXT)
        entry.size = len(study.text.encode())
        archive.addfile(entry, io.BytesIO(study.text.encode()))
        names = {str(name) for experiment in study.experiments for name in experiment.patterns}
        for file in sorted({library.find(name) for name in names}):
            if not file.is_absolute() and (base / file).resolve().is_relative_to(base.resolve()):
                archive.add((base / file).resolve(), arcname=str(file))
    return content.getvalue()
