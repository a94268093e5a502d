"""The wheel and the source distribution, installed and run as a user would."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
UBUNTU_22_04 = (2, 35)  # its glibc; Debian 12 has 2.36


def call(*argv, cwd, code=0):
    around = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(list(map(str, argv)), cwd=cwd, env=around, capture_output=True, text=True, timeout=900)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Give the wheel and the source distribution that the script makes."""
    folder = tmp_path_factory.mktemp("dist")
    call(ROOT / "scripts/wheel", folder, cwd=ROOT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


@pytest.fixture(scope="module")
def environment(made, tmp_path_factory):
    """Give the programs of a clean virtual environment that has the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    call(sys.executable, "-m", "venv", folder, cwd=folder)
    call(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", made[0], cwd=folder)
    return folder / "bin"


def downloads(mmwemu, folder):
    call(
        mmwemu,
        "run",
        "download",
        "--pattern",
        "s1-long-nlos.lte",
        "--size",
        "100kB",
        "-n",
        "1",
        "-o",
        "kept",
        cwd=folder,
    )
    (run,) = pd.read_parquet(folder / "kept/runs.parquet").to_dict("records")
    assert run["status"] == "ok"
    return json.loads((folder / "kept/manifest.json").read_text())


@pytest.mark.long
@pytest.mark.apps
def test_the_wheel_fits_the_oldest_system_and_has_all(made):
    """Long: it builds the wheel and the source distribution."""
    wheel, source = made
    version, platform = re.fullmatch(r"mmwemu-(.+)-py3-none-(.+)\.whl", wheel.name).groups()
    oldest = [tuple(map(int, tag)) for tag in re.findall(r"manylinux_(\d+)_(\d+)_", platform)]
    assert oldest and max(oldest) <= UBUNTU_22_04, platform
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"mmwemu/bin/mmwemu-link", "mmwemu/data/patterns/s4-outage.lte.csv", "mmwemu/report/page/page.js"} <= names
    pages = {name for name in names if "/data/share/man/man1/" in name}
    assert {Path(name).name for name in pages} >= {"mmwemu.1", "mmwemu-run.1", "mmwemu-completion.1"}
    assert not [name for name in names if name.endswith((".cpp", ".h")) and "driver" not in name]
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert source.name == f"mmwemu-{version}.tar.gz"
    assert {"PKG-INFO", "mmwemu/simulate/cell/main.cpp", "docs/reference/cli.md", "LICENSE"} <= inside
    assert not {name for name in inside if name.startswith((".ci", "build"))}


@pytest.mark.long
@pytest.mark.apps
def test_the_installed_wheel_simulates_and_runs(made, environment, tmp_path, needs_link):
    """Long: it installs the wheel with what it depends on."""
    mmwemu = environment / "mmwemu"
    version = made[0].name.split("-")[1]
    assert call(mmwemu, "--version", cwd=tmp_path).stdout == f"mmwemu {version}\n"
    assert "s4-outage.mmwave" in call(mmwemu, "pattern", "list", cwd=tmp_path).stdout
    if os.uname().machine == "x86_64":
        call(mmwemu, "simulate", "s4", "--rat", "lte", "-o", "s4.parquet", cwd=tmp_path)
    assert version in json.dumps(downloads(mmwemu, tmp_path))
    if shutil.which("man"):
        page = call("man", "-l", environment.parent / "share/man/man1/mmwemu-run.1", cwd=tmp_path).stdout
        assert "Run real applications over patterns" in page


@pytest.mark.long
@pytest.mark.apps
def test_without_the_simulator_all_else_works_and_says_so(made, environment, tmp_path, needs_link):
    """Long: it builds what the source distribution has."""
    options = ["--no-deps", "--force-reinstall", "--config-settings=cmake.define.MMWEMU_SIMULATOR=OFF"]
    call(environment / "pip", "install", "--quiet", "--disable-pip-version-check", *options, made[1], cwd=tmp_path)
    mmwemu = environment / "mmwemu"
    assert call(mmwemu, "--version", cwd=tmp_path).stdout == f"mmwemu {made[0].name.split('-')[1]}\n"
    downloads(mmwemu, tmp_path)
    for verb in (["simulate", "s1", "--rat", "lte"], ["reproduce", "hurtig2019"], ["demo"]):
        told = call(mmwemu, *verb, cwd=tmp_path, code=3).stderr.strip().splitlines()
        assert "mmwemu-cell was not built with this installation" in told[-1], told
    assert not (tmp_path / "s1.parquet").exists()
