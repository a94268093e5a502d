"""The command line in poor surroundings, as a process of its own: no home folder, no Unicode."""

import os
import subprocess

import pytest

from tests.fuzz.good import PATTERN, SCENARIO
from tests.programs import MMWEMU

SURROUNDINGS = {
    "no home": {"HOME": "/dev/null"},
    "C": {"LC_ALL": "C"},
    "ASCII": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}
COMMANDS = {
    "scenario check é.toml": "é.toml: ok (short, 0.05 s, 3 boxes)\n",
    "scenario plot é.toml -o é.png": "é.png\n",
    "pattern build --constant-bps 1e6 --duration-s 1 -o ü.csv": "ü.csv\n",
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("surroundings", SURROUNDINGS)
def test_names_and_homes(tmp_path, surroundings, command):
    (tmp_path / "é.toml").write_text(SCENARIO)
    (tmp_path / "p.csv").write_text(PATTERN)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MPL", "LC_", "LANG"))}
    done = subprocess.run(
        [*MMWEMU, *command.split()], cwd=tmp_path, env=env | SURROUNDINGS[surroundings], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    expected = COMMANDS[command]
    if surroundings == "ASCII":
        expected = "".join(one if one.isascii() else "".join(f"\\x{b:02x}" for b in one.encode()) for one in expected)
    assert done.stdout.decode() == expected
    assert all((tmp_path / name).stat().st_size for name in command.split() if "." in name and "é" in name)
