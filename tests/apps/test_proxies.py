"""Applications through proxies at the edge."""

import json
import subprocess

import pytest

from mmwemu.apps.command.application import Command
from mmwemu.core.errors import MmwemuError
from mmwemu.pattern.convert import constant
from mmwemu.results import store
from mmwemu.study.experiment import run_application
from mmwemu.study.plan import ReplayPlan
from mmwemu.testbed.proxies.registry import MAKERS
from tests.apps import running
from tests.programs import MMWEMU
from tests.testbeds import need_proxy

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


@pytest.mark.parametrize("proxy", list(MAKERS))
def test_users_of_a_cell_download_through_a_proxy(tmp_path, proxy):
    need_proxy(proxy)
    pattern = running.saved(tmp_path, constant(60e6, 60.0))
    words = [
        "--pattern",
        pattern,
        "--clients",
        3,
        "--scheduler",
        "round-robin",
        "--edge-proxy",
        proxy,
        "--edge-cc",
        "reno",
    ]
    words += ["--access-delay-ms", 2, "--delay-ms", 10, "--duration-s", 3, "--size-mean", "2MB", "--size-sd", "1MB"]
    words += ["--pause-least-s", 0.01, "--pause-mean-s", 0.02, "--pause-most-s", 0.1, "--json", "-o", tmp_path / "r"]
    done = subprocess.run(
        [*MMWEMU, "run", "users", *map(str, words)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    asked = {
        "edge": True,
        "edge_proxy": proxy,
        "edge_congestion_control": "reno",
        "access_delay_s": 0.002,
        "status": "ok",
    }
    assert [{name: run[name] for name in asked} for run in runs] == [asked] * 3
    # In the long run the cell is full.
    assert 0.6 * 60e6 < sum(run["received_bytes"] for run in runs) * 8 / 3 < 60e6


def test_a_proxy_that_ends_fails_the_run_and_stops_the_experiment(tmp_path):
    killer = Command(("sh", "-c", "kill -9 $(pidof mmwemu-relay) && sleep 0.3"))
    said = "edge proxy split: mmwemu-relay was ended by SIGKILL"
    pattern, plan = running.saved(tmp_path, constant(60e6, 60.0)), ReplayPlan(repetitions=2, edge_proxy="split")
    with store.create(store.Experiment("t", [], {}), tmp_path / "r") as writer:
        with pytest.raises(MmwemuError, match=said):
            run_application([pattern], plan, killer, writer)
    table = store.load(tmp_path / "r")
    assert table[["status", "error"]].to_numpy().tolist() == [["failed", said]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--edge-proxy", "split", "--edge-proxy", "haproxy"], "--edge-proxy is given 2 times; there can be one"),
        (["--edge-proxy", "split", "--backend", "tc"], "backend tc: cannot provide an edge; use --backend tun"),
        (["--edge-proxy", "nosuch"], "'nosuch' is not one of"),
        (["--edge-cc", "cubic"], "edge-cc: is cubic, and there is no edge; add --edge"),
        (["--edge", "--edge-cc", "nosuch"], "congestion control nosuch: this kernel has no such algorithm"),
        (["--delay-ms", "5", "--access-delay-ms", "6"], "access-delay: is 6 ms, more than the whole delay of 5 ms"),
    ],
)
def test_what_cannot_be_had_at_an_edge_is_one_line(tmp_path, words, message):
    asked = ["--pattern", "s4-outage.mmwave", *words, "-o", str(tmp_path / "r")]
    done = subprocess.run([*MMWEMU, "run", "download", *asked], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert message in done.stderr and len(done.stderr.splitlines()) <= 4
    assert not (tmp_path / "r").exists()


def test_a_proxy_that_the_computer_holds_up_makes_the_run_cpu_bound(tmp_path):
    relay = "kill -{} $(pidof mmwemu-relay)"
    held = Command(("sh", "-c", f"{relay.format('STOP')}; sleep 0.5; {relay.format('CONT')}"))
    (run,) = running.run(tmp_path, constant(60e6, 60.0), held, edge_proxy="split")
    assert run.status == "ok" and run.cpu_bound
    assert run.stopped_s > 0.4
