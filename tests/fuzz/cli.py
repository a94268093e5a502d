"""Drives the real command line: scripts/fuzz cli [SECONDS] [--seed N] [--verb WORDS].

Files and options are made at random; what a command may do wrong is in `tests.fuzz.running.problem`. A case that fails
is made as small as can be, printed, and kept with its files in build/fuzz/cli, where ``sh command`` repeats it.
"""

import argparse
import contextlib
import os
import random
import shlex
import shutil
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from tests.fuzz.arguments import cases, verbs
from tests.fuzz.running import Case, Commands, Ending, problem

_REAL = (("run",), ("link",), ("demo",), ("simulate",))
_KEPT = Path("build/fuzz/cli")
_AT_ONCE, _AT_ONCE_REAL = 25, 6  # a replay takes a second or more


class _EnoughError(BaseException):
    """The time is up."""


class _FailedError(AssertionError):
    def __init__(self, case: Case, ending: Ending, what: str) -> None:
        super().__init__(what)
        self.case, self.ending, self.what = case, ending, what


def main() -> int:
    """Fuzz for some seconds, verb by verb in turns; return 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz cli")
    parser.add_argument("seconds", nargs="?", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verb", help='only this one, such as "pattern check"')
    asked = parser.parse_args()
    found = [one for one in verbs() if asked.verb is None or " ".join(one[0]) == asked.verb]
    commands = Commands()
    end_s = time.monotonic() + asked.seconds
    count, failed, number = 0, 0, asked.seed
    try:
        while time.monotonic() < end_s and found:
            random.Random(number).shuffle(found)
            for verb, command in list(found):
                if time.monotonic() > end_s:
                    break
                tried, failure = _try(commands, verb, command, number, end_s)
                count += tried
                if failure is not None:
                    failed += 1
                    found.remove((verb, command))  # one failure of a verb at a time
                    _tell(failure, asked.seed)
            number += 1
    finally:
        commands.close()
    took_s = asked.seconds + max(0.0, time.monotonic() - end_s)
    print(f"fuzz: {count} command lines in {took_s:.0f} s, seed {asked.seed}: {failed} verbs failed")
    return 1 if failed else 0


def _try(commands: Commands, verb, command, number: int, end_s: float) -> tuple[int, _FailedError | None]:
    """Try some cases of a verb; return how many, and the smallest that failed."""
    count = 0
    failures: list[_FailedError] = []

    @seed(number)
    @settings(
        max_examples=_AT_ONCE_REAL if verb[:1] in _REAL else _AT_ONCE,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )
    @given(cases(verb, command))
    def one(case):
        nonlocal count
        if time.monotonic() > end_s:
            raise _EnoughError
        count += 1
        ending = commands.run(case)
        if what := problem(case, ending):
            failures.append(_FailedError(case, ending, what))
            raise failures[-1]

    with contextlib.suppress(_EnoughError, _FailedError, Flaky):
        one()
    return count, min(failures, key=lambda failure: len(repr(failure.case)), default=None)


def _tell(failure: _FailedError, number: int) -> None:
    folder = _KEPT / f"{'-'.join(failure.case.argv[:2]) or 'none'}-{number}".replace("/", "_")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    failure.case.make(folder)
    words = b" ".join(shlex.quote(word).encode("utf-8", "surrogateescape") for word in ["mmwemu", *failure.case.argv])
    home = f"HOME={failure.case.home} ".encode() if failure.case.home else b""
    (folder / "command").write_bytes(home + words + b"\n")
    print(
        f"fuzz: {failure.what}\n  {failure.case!r}\n  exit code {failure.ending.code}, kept in {folder}",
        file=sys.stderr,
    )
    for name in ("stdout", "stderr"):
        text = getattr(failure.ending, name).decode(errors="replace")
        if text:
            print(f"  {name}: " + text[-3000:].replace("\n", "\n    "), file=sys.stderr)
    sys.stderr.flush()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
