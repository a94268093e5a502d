"""Standard streams that are closed, full or broken pipes, for every verb: as coreutils have it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mmwemu.cli.verbs import cli
from tests.programs import MMWEMU

BROKEN = 141
# Stdin, stdout and stderr; "" is a file.
CONDITIONS = {
    "as always": ("empty", "", ""),
    "stdin closed": ("closed", "", ""),
    "stdout closed": ("empty", "closed", ""),
    "stdout full": ("empty", "full", ""),
    "stdout broken": ("empty", "broken", ""),
    "stderr closed": ("empty", "", "closed"),
    "stderr full": ("empty", "", "full"),
    "stderr broken": ("empty", "", "broken"),
    "all closed": ("closed", "closed", "closed"),
}
PROBLEMS = {"stdout closed": "Bad file descriptor", "stdout full": "No space left on device"}


def verbs(command=cli, path=()):
    """Yield all verbs, and the verbs of verbs."""
    yield list(path)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from verbs(command.get_command(context, name), (*path, name))


COMMANDS = [
    *([*verb, "--help"] for verb in verbs()),
    ["--no-such-option"],
    ["run", "download", "--no-such-option"],
    ["link", "--no-such-option"],
    ["--version"],
    ["scenario", "list"],
    ["clean"],
    [],
]


def matters(condition, command):
    """Return whether a condition can change anything for a command; help only goes to stdout."""
    return command[-1:] != ["--help"] or condition in ("as always", "all closed") or condition.startswith("stdout")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Give exit code, stdout and stderr of all commands under all conditions."""
    folder = tmp_path_factory.mktemp("streams")
    keys = [
        (condition, tuple(command)) for condition in CONDITIONS for command in COMMANDS if matters(condition, command)
    ]
    asked = []
    for number, (condition, command) in enumerate(keys):
        files = [str(folder / f"{number}.{fd}") for fd in range(3)]
        asked.append([command, [word or file for word, file in zip(CONDITIONS[condition], files, strict=True)]])
    env = os.environ | dict.fromkeys(("TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(folder))
    program = [sys.executable, "-P", str(Path(__file__).with_name("forking.py"))]
    done = subprocess.run(
        program, input=json.dumps(asked).encode(), stdout=subprocess.PIPE, cwd=folder, env=env, check=True
    )

    def read(number, fd):
        file = folder / f"{number}.{fd}"
        return file.read_text() if file.exists() else ""

    codes = json.loads(done.stdout)
    return {key: (codes[number], read(number, 1), read(number, 2)) for number, key in enumerate(keys)}


def expected(condition, usual):
    """Return what a command does, by what it usually does."""
    code, out, err = usual
    _, stdout, stderr = CONDITIONS[condition]
    if stdout and out:
        code = BROKEN if stdout == "broken" else 1
        err += f"mmwemu: standard output: {PROBLEMS[condition]}\n" if condition in PROBLEMS else ""
    return code, "" if stdout else out, "" if stderr else err


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_verb_bears_it(outcomes, condition):
    for command in [tuple(command) for command in COMMANDS if matters(condition, command)]:
        usual = outcomes["as always", command]
        assert outcomes[condition, command] == expected(condition, usual), command
        assert "Traceback" not in usual[2]
        assert usual[0] in (0, 2)


@pytest.mark.parametrize(
    ("redirection", "code", "err"),
    [
        (">&-", 1, "mmwemu: standard output: Bad file descriptor\n"),
        (">/dev/full", 1, "mmwemu: standard output: No space left on device\n"),
        ("<&- | true", BROKEN, ""),
        ("2>&- >/dev/null", 0, ""),
        ("<&- >&- 2>&-", 1, ""),
    ],
)
def test_a_shell_sees_the_same(redirection, code, err):
    # The reader has gone before anything is written.
    script = f'exec 3>&1; {{ sleep 0.1; "$@"; echo $? >&3; }} {redirection}'
    script = script if "|" in redirection else f'"$@" {redirection}; echo $?'
    done = subprocess.run(["bash", "-c", script, "bash", *MMWEMU, "scenario", "list"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{code}\n", err)


def test_names_that_are_no_text_do_not_end_a_command_in_a_locale_without_them(tmp_path):
    env = {"LC_ALL": "C", "PATH": "/usr/bin:/bin", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    folder = tmp_path / "ä\udcff.in-progress"
    folder.mkdir()
    done = subprocess.run([*MMWEMU, "clean", "--results", str(tmp_path)], capture_output=True, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"kept unfinished results in" in done.stdout
