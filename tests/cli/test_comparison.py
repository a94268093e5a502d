"""mmwemu pattern compare and mmwemu fidelity, as a user types them."""

import json
import subprocess
from dataclasses import replace

import pytest

from mmwemu.pattern.convert import Conversion, convert
from mmwemu.pattern.formats import native
from mmwemu.scenario.model import Scenario, Traffic, Waypoint
from mmwemu.simulate.fake import FakeEngine
from mmwemu.trace import parquet
from tests.programs import MMWEMU

SCENARIO = """format = 1
name = "still"
title = "A UE that stands still"
duration_s = 1.0
[base_station]
position_m = [0.0, 0.0, 3.0]
[[route]]
time_s = 0.0
position_m = [75.0, 0.0, 1.0]
[traffic]
rate_bps = {rate_bps}
payload_bytes = 1200
"""


def run(*words, cwd):
    return subprocess.run([*MMWEMU, *words], cwd=cwd, capture_output=True, text=True, timeout=120)


def made(folder, rate_bps):
    """Write scenario, trace and pattern of a source of some rate."""
    scenario = Scenario("still", 1.0, (0.0, 0.0, 3.0), (Waypoint(0.0, (75.0, 0.0, 1.0)),),
                        traffic=Traffic(rate_bps, 1200))  # fmt: skip
    (folder / "still.toml").write_text(SCENARIO.format(rate_bps=rate_bps))
    trace = FakeEngine().simulate(scenario, "mmwave", 1)
    parquet.save(trace, folder / "t.parquet")
    native.save(convert(trace, Conversion("window")), folder / "window.csv")
    return trace


def test_patterns_are_compared_with_a_trace_and_with_each_other(tmp_path):
    made(tmp_path, 20e6)
    found = run("pattern", "compare", "t.parquet", "window.csv", "s1-long-nlos.lte", "--plot", "c.png", cwd=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    lines = found.stdout.splitlines()
    assert lines[0] == "compared from 0.2 to 1 s with t"
    assert lines[3].split()[:2] == ["window", "20.5"]
    assert lines[-1] == "c.png"
    assert (tmp_path / "c.png").stat().st_size > 10_000
    found = run("pattern", "compare", "window.csv", "window.csv", "--json", "--direction", "uplink", cwd=tmp_path)
    answer = json.loads(found.stdout)
    assert answer["compared"][0]["rate_rmse_bps"] == {"0.01": 0.0, "0.1": 0.0}
    assert answer["reference"]["outages"] == []


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("pattern", "compare", "window.csv", "window.csv", "--plot", "c.txt"), "c.txt: is not a picture file"),
        (("pattern", "compare", "gone.parquet", "window.csv"), "gone.parquet: does not exist"),
        (("pattern", "compare", "t.parquet", "open.csv"), "open: has an unlimited rate, which compares with nothing"),
        (("fidelity", "t.parquet", "window.csv"), "trace: scenario: is 'still', which is not shipped; give its file"),
        (("fidelity", "t.parquet", "window.csv", "--scenario", "s1"), "s1-long-nlos has other settings than the trace"),
        (("fidelity", "t.parquet", "gone.csv", "--scenario", "still.toml"), "gone.csv: is neither a file nor"),
    ],
)
def test_what_cannot_be_compared_is_one_line(tmp_path, words, problem):
    pattern = convert(made(tmp_path, 20e6), Conversion("window"))
    unlimited = replace(pattern.downlink, rate_bps=pattern.downlink.rate_bps * float("inf"))
    native.save(replace(pattern, downlink=unlimited, uplink=unlimited), tmp_path / "open.csv")
    found = run(*words, cwd=tmp_path)
    assert (found.returncode, found.stdout, len(found.stderr.splitlines())) == (2, "", 1)
    assert problem in found.stderr
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.link
def test_what_comes_through_a_link_is_what_came_in_the_simulation(tmp_path, needs_link):
    made(tmp_path, 20e6)
    words = ("fidelity", "t.parquet", "window.csv", "--scenario", "still.toml", "--plot", "f.png")
    found = run(*words, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert [line.split()[0] for line in found.stdout.splitlines()] == [
        "compared", "rate", "t", "window", "phases", "t", "window", "delay", "t", "window", "f.png",
    ]  # fmt: skip
    assert (tmp_path / "f.png").is_file()


@pytest.mark.link
def test_a_source_that_no_machine_keeps_up_with_is_not_valid(tmp_path, needs_link):
    made(tmp_path, 6e9)
    found = run("fidelity", "t.parquet", "window.csv", "--scenario", "still.toml", "--json", cwd=tmp_path)
    assert found.returncode == 4, found.stderr
    assert "not valid: window: " in found.stderr
    assert json.loads(found.stdout)["replays"][0]["valid"] is False
