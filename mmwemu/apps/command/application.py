"""The user's own client, run on the client's place, and perhaps the user's own server."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar

from mmwemu.apps.application import Context, Go, Outcome, check_limit
from mmwemu.apps.command import metrics
from mmwemu.apps.command.metrics import Metric
from mmwemu.apps.command.record import CommandRun
from mmwemu.apps.command.server import start_server
from mmwemu.core import process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.results.records import Run

_GRACE_S = 2.0
_KEPT_BYTES = 1 << 20


@dataclass(frozen=True)
class Command:
    """A command to run as the client.

    Attributes
    ----------
    argv
        Program and arguments. It finds the addresses in ``MMWEMU_CLIENT``, ``MMWEMU_SERVER`` and ``MMWEMU_EDGE``, the
        number of the run in ``MMWEMU_RUN``, and where to write metrics in ``MMWEMU_METRICS``.
    serve
        A command to run as the server for as long as the experiment lasts; empty for none.
    metrics_file
        The command writes its metrics to this file as JSON, instead of the last line of its output or the file that
        ``MMWEMU_METRICS`` names. The file may not exist beforehand, and is removed when it has been read.
    limit_s
        End the command after this time; that is a result.
    expected_exit_codes
        Exit codes that are no failure.
    keep
        Keep the output of every run in the results folder.
    folder
        Where command and server run, and to which their paths are relative; empty for the current folder.
    """

    argv: tuple[str, ...]
    serve: str = ""
    metrics_file: str = ""
    limit_s: float = 60.0
    expected_exit_codes: tuple[int, ...] = (0,)
    keep: bool = False
    folder: str = ""

    name: ClassVar[str] = "command"
    record: ClassVar[type[Run]] = CommandRun

    def __post_init__(self) -> None:
        if not self.argv:
            raise InputError("command", "is missing; give it after --")
        check_limit(self.limit_s)

    @property
    def cases(self) -> tuple[str, ...]:
        """The command as typed."""
        return (shlex.join(self.argv),)

    @property
    def metrics_path(self) -> Path:
        """The file to which the command writes its metrics, if it does."""
        return Path(self.folder, self.metrics_file)

    def program(self, argv: Sequence[str]) -> list[str]:
        """Return a program and its arguments, the program's path relative to the folder made absolute."""
        relative = self.folder and "/" in argv[0]
        return [str(Path(self.folder).absolute() / argv[0]) if relative else argv[0], *argv[1:]]

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedCommand:
        """Look for the programs.

        Raises
        ------
        InputError
            If one is not in PATH, or the file of metrics exists already.
        """
        for argv in (self.argv, process.split(self.serve, "serve") if self.serve else ()):
            if argv and shutil.which(self.program(argv)[0]) is None:
                raise InputError(argv[0], "is not a program in PATH")
        if self.metrics_file and self.metrics_path.exists():
            raise InputError(self.metrics_file, "exists already and could be taken for a result; remove it first")
        return PreparedCommand(self, folder)


@dataclass
class PreparedCommand:
    """A command that can be run; its server is started before the first run."""

    asked: Command
    folder: Path
    hosts: None = None
    _server: subprocess.Popen[Any] | None = field(default=None, repr=False)
    _server_log: IO[bytes] | None = field(default=None, repr=False)
    _kinds: dict[str, str] = field(default_factory=dict, repr=False)

    def before(self, context: Context, case: str) -> None:
        """Start the server once, and see that it still runs.

        Raises
        ------
        InputError
            If several clients would write one file of metrics.
        MmwemuError
            If the server has ended.
        """
        if self.asked.metrics_file and len(context.testbed.clients) > 1:
            problem = "would be written by all clients; let each write to the file that $MMWEMU_METRICS names"
            raise InputError(self.asked.metrics_file, problem)
        if not self.asked.serve:
            return
        if self._server is None:
            # A file, not a pipe: nobody reads it while the server runs.
            self._server_log = (context.folder / "server.log").open("w+b")
            argv = self.asked.program(process.split(self.asked.serve, "serve"))
            self._server = start_server(context.server, argv, self._server_log, self.asked.folder or None)
        if self._server.poll() is not None:
            words = _last_line(self._server_log)
            code = self._server.returncode
            raise MmwemuError(f"the server ended with exit code {code}{': ' if words else ''}{words}")

    def run(self, context: Context, case: str, number: int, go: Go) -> Outcome:
        """Run the command once."""
        folder = self.folder / f"{number:05}"
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier attempt
        folder.mkdir()
        path = folder / "metrics.json"
        if self.asked.metrics_file:
            # `prepare` found none, so it is of an earlier run that failed or met the limit.
            _remove(self.asked.metrics_path)
        env = dict(os.environ) | {"MMWEMU_RUN": str(number), "MMWEMU_METRICS": str(path)}
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
            go()
            begin_s = time.monotonic()
            argv, nothing, cwd = self.asked.program(self.asked.argv), subprocess.DEVNULL, self.asked.folder or None
            program = context.client.popen(argv, stdin=nothing, stdout=output, stderr=complaints, env=env, cwd=cwd)
            ended = _wait(program, self.asked.limit_s)
            duration_s = time.monotonic() - begin_s
            if self.asked.keep:
                self._keep(context.folder / "commands" / f"{number:05}", output, complaints)
            return self._judge(case, program.returncode if ended else None, duration_s, output, complaints, path)

    def _judge(
        self,
        case: str,
        code: int | None,
        duration_s: float,
        output: IO[bytes],
        complaints: IO[bytes],
        path: Path,
    ) -> Outcome:
        """Return the outcome of a command that ended with a code, or None at the limit."""
        if code is None:
            return self._outcome(case, "timeout", "", self.asked.limit_s, None, {})
        code = code if code >= 0 else 128 - code
        if code not in self.asked.expected_exit_codes:
            words = _last_line(complaints) or _last_line(output)
            error = f"exit code {code}" + (f": {words}" if words else "")
            return self._outcome(case, "failed", error, duration_s, code, {})
        try:
            found = self._metrics(output, path)
            metrics.check_kinds(found, self._kinds)
        except InputError as error:
            return self._outcome(case, "failed", str(error), duration_s, code, {})
        return self._outcome(case, "ok", "", duration_s, code, found)

    def _metrics(self, output: IO[bytes], path: Path) -> dict[str, Metric]:
        """Return the metrics of a command that ended well."""
        if self.asked.metrics_file:
            file = self.asked.metrics_path
            try:
                return metrics.from_file(file)
            finally:
                _remove(file)
        return metrics.from_file(path) if path.exists() else metrics.from_output(_tail(output))

    def _outcome(
        self, case: str, status: str, error: str, duration_s: float, code: int | None, found: Mapping[str, Metric]
    ) -> Outcome:
        return Outcome(
            {
                "command": case,
                "status": status,
                "error": error,
                "duration_s": duration_s,
                "limit_s": self.asked.limit_s,
                "exit_code": code,
                "metrics": found,
            }
        )

    def _keep(self, folder: Path, output: IO[bytes], complaints: IO[bytes]) -> None:
        folder.mkdir(parents=True)
        for name, file in (("stdout.txt", output), ("stderr.txt", complaints)):
            file.seek(0)
            (folder / name).write_bytes(file.read())


def _wait(program: subprocess.Popen[Any], limit_s: float) -> bool:
    """Wait for a program; end it and all that it started at the limit. Return whether it ended by itself."""
    try:
        program.wait(limit_s)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGTERM)
        try:
            program.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()
        return False
    except BaseException:
        program.kill()
        program.wait()
        raise
    return True


def _remove(file: Path) -> None:
    """Remove a file of metrics, so that it cannot be taken for that of a later run."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise MmwemuError(f"{file}: cannot be removed: {error.strerror}") from None


def _tail(file: IO[bytes]) -> str:
    """Return the end of a file that a program wrote to."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _KEPT_BYTES))
    return file.read().decode(errors="replace")


def _last_line(file: IO[bytes] | None) -> str:
    lines = _tail(file).rstrip().splitlines() if file is not None else []
    return lines[-1].strip() if lines else ""
