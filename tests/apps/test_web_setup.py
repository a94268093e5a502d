"""The modules that drive the browser, installed by the real npm."""

import os
import subprocess

import pytest

from mmwemu.core import process
from mmwemu.core.errors import MissingError
from tests.programs import MMWEMU

pytestmark = pytest.mark.apps


def test_two_set_ups_at_once_install_once(tmp_path, monkeypatch):
    try:
        npm = process.find_tool("npm", "install npm")
    except MissingError as error:
        pytest.skip(str(error))
    (tmp_path / "npm").write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/calls\nexec {npm} "$@"\n')
    (tmp_path / "npm").chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_DATA_HOME": str(tmp_path / "data"),
    }  # fmt: skip
    running = [
        subprocess.Popen([*MMWEMU, "web", "setup"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    outputs = [each.communicate(timeout=180) for each in running]
    assert [each.returncode for each in running] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]
    assert (tmp_path / "calls").read_text() == "ci\n"
    (folder,) = [path for path in (tmp_path / "data" / "mmwemu").iterdir() if path.is_dir()]
    assert (folder / "node_modules" / "puppeteer-core" / "package.json").exists()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    assert size < 80e6
