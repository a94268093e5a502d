import os
import signal
import subprocess
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern.formats import tc
from tests.patterns import make_pattern

VALUES = {"direction": "downlink", "device": "eth0", "limit": "1000"}
TOOL = """#!/bin/sh
echo "$(cut -d ' ' -f 1 /proc/uptime) $*" >> {log}
"""


def run(tmp_path, pattern, seconds, **values):
    """Run a script with a program in place of tc that notes its arguments; return the time and words of each call."""
    script, log = tmp_path / "s.sh", tmp_path / "log"
    remarks = tc.write(pattern, script, VALUES | values)
    (tmp_path / "tc").write_text(TOOL.format(log=log))
    (tmp_path / "tc").chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen(["sh", str(script)], env=environment, start_new_session=True) as process:
        time.sleep(seconds)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(10) == 143
    calls = [line.split(" ", 1) for line in log.read_text().splitlines()]
    return [(float(at), words) for at, words in calls], remarks


def test_a_script_sets_each_step_at_its_time_and_again_in_each_pass(tmp_path):
    pattern = make_pattern([1e6, 0, np.inf], times_s=[0, 0.2, 0.4, 0.6], delay_s=0.005)
    calls, remarks = run(tmp_path, pattern, 1.1, device="veth7", limit="50")
    steps = ["rate 1000000bit delay 5000us", "loss 100%", "rate 1000000000000bit delay 5000us"]
    assert calls.pop()[1] == "qdisc del dev veth7 root"
    words = [call.partition("veth7 root netem limit 50 ")[2] for _, call in calls]
    assert words[:5] == [steps[0], *steps, steps[0]]
    assert calls[0][1].startswith("qdisc add dev veth7")
    assert all(call.startswith("qdisc change") for _, call in calls[1:])
    # The clock of the script has 10 ms.
    assert [at - calls[1][0] for at, _ in calls[1:5]] == pytest.approx([0, 0.2, 0.4, 0.6], abs=0.1)
    assert remarks == [
        "netem alone cannot hold packets in an outage; outages lose them",
        "has the downlink; --direction chooses",
    ]


def test_a_script_that_stops_loses_all(tmp_path):
    calls, remarks = run(tmp_path, make_pattern([1e6], times_s=[0, 0.1], end="stop"), 0.6)
    assert [call.partition("limit 1000 ")[2] for _, call in calls] == ["rate 1000000bit", "loss 100%", ""]
    assert remarks == ["has the downlink; --direction chooses"]


def test_effects_are_netems(tmp_path):
    effects = {"jitter_s": 0.001, "duplication": 0.1, "reordering": 0.25, "gilbert_p": 0.01, "gilbert_r": 0.3,
               "loss_bad": 0.9, "bit_error": 1e-6}  # fmt: skip
    pattern = make_pattern([1e6], delay_s=0.01, loss=0.002, effects=effects)
    remarks = tc.write(pattern, tmp_path / "s.sh", VALUES)
    assert (
        "netem limit 1000 rate 1000000bit delay 10000us 1000us loss gemodel 1% 30% 90% 0.2% duplicate 10% reorder 25%\n"
        in (tmp_path / "s.sh").read_text()
    )
    assert remarks[0] == "tc cannot express bit errors; left out"


@pytest.mark.parametrize(
    ("name", "value"), [("device", "eth0; reboot"), ("device", "-x"), ("device", ""), ("limit", "0")]
)
def test_refuses_what_is_no_device_or_limit(tmp_path, name, value):
    with pytest.raises(InputError, match=f"--{name}: is '{value}'; must be"):
        tc.write(make_pattern([1]), tmp_path / "s.sh", VALUES | {name: value})
    assert not list(tmp_path.iterdir())


@given(
    st.lists(st.sampled_from([0.0, 1.0, 7.5e6, 1e12, np.inf]), min_size=1, max_size=5),
    st.sampled_from(["loop", "hold", "stop"]),
)
def test_every_script_is_one_for_sh(tmp_path_factory, rates_bps, end):
    folder = tmp_path_factory.mktemp("tc")
    script = folder / "a $(x) 'b.sh"
    tc.write(make_pattern(rates_bps, end=end), script, VALUES)
    subprocess.run(["sh", "-n", str(script)], check=True)
    assert script.read_text().count("rate 0bit") == 0
