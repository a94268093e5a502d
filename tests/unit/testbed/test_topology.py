import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.topology import CoreLink, Topology, core_link
from tests.patterns import make_pattern


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Topology(0), "clients: is 0; must be from 1 to 250"),
        (lambda: Topology(251), "clients: is 251; must be from 1 to 250"),
        (lambda: CoreLink(0.0), "core link: rate_bps: is 0; must be above 0 and at most 1e+12, or inf"),
        (lambda: CoreLink(-1.0), "core link: rate_bps: is -1; must be above 0 and at most 1e+12, or inf"),
        (lambda: CoreLink(math.nan), "core link: rate_bps: is nan; must be above 0 and at most 1e+12, or inf"),
        (lambda: CoreLink(1.1e12), "core link: rate_bps: is 1.1e+12; must be above 0 and at most 1e+12, or inf"),
        (lambda: CoreLink(loss=1.5), "core link: loss: is 1.5; must be from 0 to 1"),
        (lambda: CoreLink(loss=-0.1), "core link: loss: is -0.1; must be from 0 to 1"),
        (lambda: CoreLink(loss=math.nan), "core link: loss: is nan; must be from 0 to 1"),
        (lambda: CoreLink(access_delay_s=-0.1), "access-delay: is -0.1 s; must be from 0 to 3600"),
        (lambda: CoreLink(access_delay_s=math.nan), "access-delay: is nan s; must be from 0 to 3600"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(("topology", "links"), [(Topology(), 1), (Topology(5), 1), (Topology(5, shared=False), 5)])
def test_clients_share_a_link_or_each_has_its_own(topology, links):
    assert topology.access_links == links
    expected = [1] * topology.clients if topology.shared else list(range(1, topology.clients + 1))
    assert [topology.link_of(client) for client in range(1, topology.clients + 1)] == expected


def test_without_a_core_link_the_access_link_keeps_its_settings():
    settings = LinkSettings(make_pattern([1e6]), delay_s=0.03)
    access, core = Topology().split(settings)
    assert access is settings
    assert core is None


def test_a_core_link_takes_over_the_delay_and_has_rate_and_loss_of_its_own():
    settings = LinkSettings(make_pattern([1e6]), delay_s=0.03, queue_bytes=9000, seed=7, start_at_s=2.0, aqm="codel")
    access, core = Topology(core=CoreLink(1e9, 0.01)).split(settings)
    assert (access.delay_s, access.aqm, access.start, access.start_at_s) == (0.0, "codel", "first-packet", 2.0)
    assert access.pattern is settings.pattern
    assert (core.delay_s, core.queue_bytes, core.seed) == (0.03, 9000, 7)
    # From the beginning, whatever the access link waits for, and without the access link's AQM.
    assert (core.start, core.start_at_s, core.aqm) == ("now", 0.0, "drop-tail")
    for direction in (core.pattern.downlink, core.pattern.uplink):
        assert (direction.rate_bps.tolist(), direction.loss.tolist(), direction.delay_s.tolist()) == (
            [1e9],
            [0.01],
            [0],
        )


def test_the_access_link_can_have_a_part_of_the_delay():
    settings = LinkSettings(make_pattern([1e6]), delay_s=0.03)
    access, core = Topology(core=CoreLink(access_delay_s=0.01)).split(settings)
    assert (access.delay_s, core.delay_s) == pytest.approx((0.01, 0.02))
    assert [one.delay_s for one in Topology(core=CoreLink(access_delay_s=0.03)).split(settings)] == [0.03, 0.0]
    with pytest.raises(InputError) as caught:
        Topology(core=CoreLink(access_delay_s=0.04)).split(settings)
    assert str(caught.value) == "access-delay: is 40 ms, more than the whole delay of 30 ms"


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ({"queue_packets": 7}, (1_500_000, 7)),
        ({"queue_bytes": 9000}, (9000, None)),
        ({"queue_s": 0.1}, (1_500_000, None)),  # of a rate that is not the core link's
    ],
)
def test_a_core_link_has_the_profiles_bytes_or_packets(size, expected):
    _, core = Topology(core=CoreLink()).split(LinkSettings(make_pattern([1e6]), **size))
    assert (core.queue_bytes, core.queue_packets, core.queue_s) == (*expected, None)


@pytest.mark.parametrize(
    ("asked", "core"),
    [
        ((False, None, 0.0), None),
        ((True, None, 0.0), CoreLink(math.inf, 0.0)),
        ((False, 1e9, 0.0), CoreLink(1e9, 0.0)),
        ((False, None, 0.1), CoreLink(math.inf, 0.1)),
        ((True, 1e9, 0.1), CoreLink(1e9, 0.1)),
    ],
)
def test_there_is_a_core_link_if_anything_of_it_is_asked_for(asked, core):
    assert core_link(*asked) == core


def test_the_ends_of_each_range_are_in_it():
    assert [Topology(clients).clients for clients in (1, 250)] == [1, 250]
    assert [CoreLink(loss=loss).loss for loss in (0.0, 1.0)] == [0.0, 1.0]
    assert [CoreLink(rate_bps).rate_bps for rate_bps in (0.5, 1e12)] == [0.5, 1e12]
    assert (Topology().clients, Topology().shared, Topology().core) == (1, True, None)
    assert CoreLink() == CoreLink(math.inf, 0.0)
