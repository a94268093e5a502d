"""Which places a flow connects, and that it has an edge where it needs one."""

import pytest

from mmwemu.apps.flow.application import Flows
from mmwemu.apps.flow.registration import create
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.apps.flow.subpath import ends, link_of
from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment, planned_replays
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.apps.running import saved
from tests.fakes import fake_testbed


def test_a_subpath_has_a_link_between_its_ends():
    testbed = fake_testbed(Setup(Topology(clients=2, core=CoreLink())))
    second = testbed.clients[1]
    assert ends(testbed, second, "whole") == (second, testbed.server)
    assert ends(testbed, second, "access") == (second, testbed.edge)
    assert ends(testbed, second, "core") == (testbed.edge, testbed.server)
    assert [link_of(one) for one in ("whole", "access", "core")] == [1, 1, CORE]


def test_without_an_edge_there_are_no_subpaths():
    with pytest.raises(InputError, match="subpath: is core, which ends at an edge; add --edge"):
        ends(fake_testbed(), fake_testbed().client, "core")


def test_each_protocol_over_each_subpath_is_a_case_once():
    flows = create(["tcp", "quic"], ["core", "whole", "core"], 0.02, 0.1, duration_s=3.0, warm_up_s=2.0)
    assert [(case.protocol, case.subpath) for case in flows.cases] == [
        ("tcp", "core"), ("tcp", "whole"), ("quic", "core"), ("quic", "whole"),
    ]  # fmt: skip
    assert {case.duration_s for case in flows.cases} == {3.0}


@pytest.mark.parametrize(
    "flows", [Flows((FlowSettings(), FlowSettings(subpath="access"))), Flows((FlowSettings(subpath="core"),))]
)
def test_a_plan_without_an_edge_is_refused(tmp_path, flows):
    pattern = saved(tmp_path, constant(1e6, 1.0))

    def planned(**plan):
        return planned_replays([PlannedExperiment((Part(flows),), (pattern,), ReplayPlan(**plan))])

    with pytest.raises(InputError, match="flow: needs an edge; add --edge"):
        planned()
    assert len(planned(edge=True)) == len(flows.cases)
