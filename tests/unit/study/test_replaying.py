import math

import pyarrow.parquet as pq
import pytest

from mmwemu.apps.command.application import Command
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment, planned_replays
from mmwemu.study.replaying import replay
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.fakes import fake_link, fake_testbed


@pytest.fixture
def planned(tmp_path):
    native.save(constant(1e6, 10), tmp_path / "a.csv")
    plan = ReplayPlan(delay_s=0.001, seed=5)
    return planned_replays([PlannedExperiment((Part(Command(("true",))),), (tmp_path / "a.csv",), plan)])[0]


def test_the_link_is_drained_before_the_pattern_starts(planned):
    testbed = fake_testbed()
    found = replay(testbed, planned, lambda: len(fake_link(testbed).started))
    columns = found.columns
    drain, start = fake_link(testbed).started
    assert math.isinf(drain.pattern.downlink.rate_bps[0])
    assert (drain.start, start.start) == ("now", "first-packet")
    assert drain.delay_s == start.delay_s == 0.001
    assert start is planned.settings
    assert found.result == 2
    assert columns["valid"] is True
    assert (columns["pattern"], columns["replay"], columns["repetition"], columns["seed"]) == ("a", 1, 1, 5)
    assert columns["link"] == planned.settings.profile()
    assert columns["dropped_queue_bytes"] == found.telemetry["dropped_queue_bytes"].sum() == 0
    assert columns["delivered_ratio"] is None  # no packet waited


def test_drops_of_all_links_are_summed_up_and_unknown_ones_are_none(planned):
    testbed = fake_testbed(Setup(Topology(core=CoreLink())))
    testbed.start(planned.settings)
    first = testbed.links[1].telemetry()
    first["dropped_queue_bytes"] = 0
    first.loc[3, "dropped_queue_bytes"] = 1500
    first["dropped_loss_bytes"] = math.nan
    for number in (1, CORE):
        fake_link(testbed, number).frame = first
    columns = replay(testbed, planned, lambda: None).columns
    assert (columns["dropped_queue_bytes"], columns["dropped_loss_bytes"]) == (3000, None)


def test_a_link_that_missed_its_tolerance_is_not_valid_and_says_why(planned):
    testbed = fake_testbed()
    testbed.start(planned.settings)
    frame = testbed.links[1].telemetry()
    frame.loc[0, "dropped_device_packets"] = 3
    fake_link(testbed).frame = frame
    columns = replay(testbed, planned, lambda: None).columns
    assert columns["valid"] is False
    assert columns["invalid_because"] == "3 packets were lost at the devices, not in the link"


def test_packets_are_kept_of_the_pattern_and_not_of_the_draining(planned, tmp_path):
    testbed = fake_testbed()
    replay(testbed, planned, lambda: None, [tmp_path / "p.parquet"])
    drained, started = fake_link(testbed).packets
    assert drained is None and started is not None
    assert fake_link(testbed).finished == 1
    assert pq.read_table(tmp_path / "p.parquet").num_rows == 0
