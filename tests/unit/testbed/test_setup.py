from typing import get_args

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.machines import Machine
from mmwemu.testbed.proxies.registry import names
from mmwemu.testbed.setup import Capability, Setup
from mmwemu.testbed.topology import CoreLink, Topology
from tests.patterns import make_pattern

MACHINES = {"server": Machine("me@192.0.2.1", "lo", "192.0.2.254/24")}
WITH_TC = {"congestion control", "TCP state"}
WITH_MACHINES = {"packets", "other machines"}


def refusal(action):
    with pytest.raises(InputError) as caught:
        action()
    return str(caught.value)


def test_backend_tun_can_do_everything():
    for capability in get_args(Capability):
        Setup().require(capability)
    assert Setup().capabilities == set(get_args(Capability))


@pytest.mark.parametrize("capability", get_args(Capability))
def test_what_backend_tc_cannot_do_is_refused_by_name(capability):
    setup = Setup(backend="tc")
    assert (capability in setup.capabilities) == (capability in WITH_TC)
    if capability in WITH_TC:
        setup.require(capability)
    else:
        problem = f"backend tc: cannot provide {capability}; use --backend tun"
        assert refusal(lambda: setup.require(capability)) == problem


@pytest.mark.parametrize("capability", get_args(Capability))
def test_what_cannot_be_had_with_other_machines_is_refused_by_name(capability):
    setup = Setup(machines=MACHINES)
    assert (capability in setup.capabilities) == (capability in WITH_MACHINES)
    if capability in WITH_MACHINES:
        setup.require(capability)
    else:
        problem = f"{capability}: cannot be had with other machines as client or server"
        assert refusal(lambda: setup.require(capability)) == problem


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"backend": "nosuch"}, "backend: is 'nosuch'; must be one of tun, tc"),
        ({"backend": "tc", "tc_mode": "nosuch"}, "tc-mode: is 'nosuch'; must be one of tbf, netem-rate"),
        (
            {"tc_mode": "netem-rate"},
            "tc-mode: is 'netem-rate', which works with backend tc only; add --backend tc",
        ),
        (
            {"backend": "tc", "machines": MACHINES},
            "backend tc: cannot provide other machines; use --backend tun",
        ),
        (
            {"backend": "tc", "topology": Topology(2)},
            "backend tc: cannot provide several clients; use --backend tun",
        ),
        (
            {"backend": "tc", "topology": Topology(core=CoreLink())},
            "backend tc: cannot provide an edge; use --backend tun",
        ),
        (
            {"machines": MACHINES, "topology": Topology(2, shared=False)},
            "several clients: cannot be had with other machines as client or server",
        ),
        (
            {"machines": MACHINES, "topology": Topology(core=CoreLink())},
            "an edge: cannot be had with other machines as client or server",
        ),
        (
            {"edge_proxy": "nosuch", "topology": Topology(core=CoreLink())},
            f"edge-proxy: is 'nosuch'; must be one of {', '.join(names())}",
        ),
        ({"edge_proxy": "split"}, "edge-proxy: is split, and there is no edge; it needs a core link"),
        ({"edge_congestion_control": "bbr"}, "edge-cc: is bbr, and there is no edge; add --edge"),
    ],
)
def test_what_cannot_be_had_is_refused_before_anything_is_made(asked, message):
    assert refusal(lambda: Setup(**asked)) == message


def test_the_default_is_one_client_over_backend_tun():
    setup = Setup()
    assert (setup.backend, setup.topology.clients, setup.topology.core, setup.machines) == ("tun", 1, None, {})
    assert Setup(backend="tc", tc_mode="netem-rate").tc_mode == "netem-rate"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"aqm": "codel"}, "backend tc: cannot drop as codel does, its queue is drop-tail; use --backend tun"),
        ({"uplink_aqm": "pie"}, "backend tc: cannot drop as pie does"),
        ({"uplink_queue_packets": 10}, "backend tc: cannot count its queue in packets"),
        ({"slot_s": 0.001}, "backend tc: cannot release packets in slots"),
    ],
)
def test_a_replay_that_the_backend_cannot_do_is_refused_without_a_testbed(asked, message):
    settings = LinkSettings(make_pattern([1e6]), **asked)
    Setup().refuse(settings)
    with pytest.raises(InputError, match=message):
        Setup(backend="tc").refuse(settings)


def test_milliproxy_is_at_the_access_link_alone_and_its_clients_have_queues_of_their_own():
    settings = LinkSettings(make_pattern([1e6]))
    access, core = Setup(Topology(core=CoreLink()), edge_proxy="milliproxy").split(settings)
    assert (access.milliproxy, core.milliproxy) == (True, False)
    assert not Setup(Topology(core=CoreLink()), edge_proxy="split").split(settings)[0].milliproxy
    two = Setup(Topology(2, core=CoreLink()), edge_proxy="milliproxy")
    with pytest.raises(InputError, match="edge-proxy milliproxy: needs each client's own rate and queue"):
        two.refuse(settings)
    two.refuse(LinkSettings(make_pattern([1e6]), scheduler="round-robin"))


def test_a_queue_in_time_at_an_unlimited_rate_is_refused_for_every_backend():
    with pytest.raises(InputError, match="link: queue_s: needs a rate"):
        Setup().refuse(LinkSettings(make_pattern([float("inf")]), queue_s=0.1))
