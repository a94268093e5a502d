"""Packets of whole experiments, one file a replay."""

import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.results import store
from mmwemu.study.experiment import run_application, run_together
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part
from tests.programs import MMWEMU

VERBS = {
    "download": [],
    "web": ["--site", "example"],
    "stream": [],
    "flow": [],
    "command": [],
    "mix": ["--app", "download --size 1MB"],
}
pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


def run(*words, cwd):
    return subprocess.run([*MMWEMU, "run", *words], capture_output=True, text=True, timeout=60, cwd=cwd, check=False)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_them_and_refuses_another_backend(tmp_path, verb):
    words = [verb, "--pattern", "s1-long-nlos.lte", *VERBS[verb], "--packets", "pcapng", "--backend", "tc"]
    words += ["--", "true"] if verb == "command" else []
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "mmwemu: backend tc: cannot provide packets; use --backend tun\n"
    assert list(tmp_path.iterdir()) == []


def test_a_form_that_is_none_is_refused():
    with pytest.raises(InputError, match="packets: is 'csv'; must be one of parquet, pcapng"):
        ReplayPlan(packets=("csv",))


def totals(link, run_number):
    """Give packets that were delivered, by direction."""
    return link[link["run"] == run_number].groupby("direction")["delivered_packets"].sum().to_dict()


def test_each_replay_has_a_file_of_its_own_that_agrees_with_the_telemetry(tmp_path):
    native.save(constant(20e6, 60), tmp_path / "p.csv")
    with store.create(store.Experiment("t", [], {}), tmp_path / "r") as writer:
        plan = ReplayPlan(repetitions=2, packets=("parquet", "pcapng"), queue_packets=40)
        runs = run_application([tmp_path / "p.csv"], plan, Downloads((1_000_000, 3_000_000)), writer)
    folder = tmp_path / "r" / "packets"
    names = [f"{number:05}.{form}" for number in (1, 2, 3, 4) for form in ("parquet", "pcapng")]
    assert sorted(path.name for path in folder.iterdir()) == names
    link = pd.read_parquet(tmp_path / "r" / "link.parquet")
    for one in runs:
        packets = pd.read_parquet(folder / f"{one.replay:05}.parquet")
        came = packets[packets["delivery_s"].notna()].groupby(packets["direction"].astype(str)).size().to_dict()
        # The last acknowledgements and the end of the connection may come between the reading of the two.
        for direction, count in totals(link, one.run).items():
            assert count <= came[direction] <= count + 20
        lost = packets[packets["drop"] == "queue"]["size_bytes"].sum()
        assert lost == one.dropped_queue_bytes
        assert (folder / f"{one.replay:05}.pcapng").stat().st_size > 150 * len(packets)
    assert runs[1].dropped_queue_bytes > 0


def test_applications_that_run_at_once_share_a_file(tmp_path):
    native.save(constant(20e6, 60), tmp_path / "p.csv")
    with store.create(store.Experiment("t", [], {}), tmp_path / "r") as writer:
        parts = [Part(Downloads((500_000,))), Part(Downloads((400_000,)))]
        runs = run_together([tmp_path / "p.csv"], ReplayPlan(packets=("parquet",)), parts, writer)
    assert [one.replay for one in runs] == [1, 1]
    (file,) = (tmp_path / "r" / "packets").iterdir()
    assert pd.read_parquet(file).query("direction == 'downlink'")["size_bytes"].sum() > 900_000


def test_an_interruption_keeps_what_there_is_even_of_the_first_run(tmp_path):
    native.save(constant(5e6, 60), tmp_path / "p.csv")
    words = ["run", "download", "--pattern", "p.csv", "--size", "50MB", "--packets", "parquet", "-o", "r"]
    # A shell that starts the tests in the background has them ignore Ctrl-C.
    unignore = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    program = subprocess.Popen(
        [*MMWEMU, *words],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=unignore,
    )
    folder = Path(tmp_path / "r.in-progress" / "packets")
    end_s = time.monotonic() + 30
    while not folder.exists():
        assert time.monotonic() < end_s
        time.sleep(0.02)
    time.sleep(2)
    program.send_signal(signal.SIGINT)
    complaint = program.communicate(timeout=30)[1]
    assert program.returncode == 130
    assert complaint.splitlines()[-1].startswith(
        "mmwemu: interrupted; the output of the first run is kept in r.in-progress"
    )
    packets = pd.read_parquet(folder / "00001.parquet")
    assert packets["delivery_s"].max() > 0.5 and packets["size_bytes"].sum() > 300_000
