"""Many page loads in a row: nothing grows, nothing is left, every load is recorded."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from mmwemu.apps.web import client as loading
from mmwemu.apps.web.application import Pages
from mmwemu.pattern.convert import constant
from tests.apps import running

pytestmark = pytest.mark.apps
# How many; MMWEMU_LOADS says another number.
SOME, MANY = 6, int(os.environ.get("MMWEMU_LOADS", "40"))
# The first loads fill caches and warm up what compiles while it runs.
WARM = 3


def family():
    """Give the processes below this one: number -> (name, state, resident bytes)."""
    parents, found = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        fields = rest.split()
        parents[int(entry.name)] = int(fields[1])
        found[int(entry.name)] = (name, fields[0], int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))

    def is_ours(pid):
        while pid and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    return {pid: what for pid, what in found.items() if pid != os.getpid() and is_ours(pid)}


@pytest.mark.parametrize("loads", [SOME, pytest.param(MANY, marks=pytest.mark.long)])
def test_many_loads_leave_nothing_and_grow_nothing(tmp_path, site, monkeypatch, needs_browser, loads):
    """The long form makes slow growth visible."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    seen = []

    def watched(*arguments):
        outcome = loading.load(*arguments)
        # What was killed just now may still be on its way to its end.
        deadline_s = time.monotonic() + 2
        while "Z" in {state for _, state, _ in family().values()} and time.monotonic() < deadline_s:
            time.sleep(0.05)
        after = family()
        seen.append({
            "zombies": [name for name, state, _ in after.values() if state == "Z"],
            "processes": sorted(name for name, _, _ in after.values()),
            "node_mb": sum(size for name, _, size in after.values() if "node" in name.lower()) / 1e6,
            "own_mb": int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6,
            "files": sorted(path.name for path in temporary.iterdir()),
            "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        })  # fmt: skip
        return outcome

    monkeypatch.setattr("mmwemu.apps.web.application.load", watched)
    runs = running.run(tmp_path, constant(20e6, 60.0), Pages(sites=(str(site),)), repetitions=loads)
    assert [run.run for run in runs] == list(range(1, loads + 1))
    assert {(run.status, run.requests, run.failed_requests) for run in runs} == {("ok", 25, 0)}
    first, last = seen[WARM], seen[-1]
    print(f"{loads} loads: runner {first['node_mb']:.0f} -> {last['node_mb']:.0f} MB, "
          f"own {first['own_mb']:.0f} -> {last['own_mb']:.0f} MB, at most {max(s['node_mb'] for s in seen):.0f} MB; "
          f"temporary {last['files']}, processes {last['processes']}")  # fmt: skip
    assert all(state["zombies"] == [] for state in seen)
    assert {tuple(state["processes"]) for state in seen} == {tuple(first["processes"])}
    assert {tuple(state["files"]) for state in seen} == {tuple(first["files"])}
    assert {state["descriptors"] for state in seen[WARM:]} == {first["descriptors"]}
    # Node's heap breathes; what leaks at every load would be far beyond this after many.
    assert last["node_mb"] < first["node_mb"] + 60
    assert last["own_mb"] < first["own_mb"] + 20
    assert list(temporary.iterdir()) == []
