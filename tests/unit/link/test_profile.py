import math
from dataclasses import fields

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.profile import LinkProfile
from mmwemu.link.settings import LinkSettings
from mmwemu.study.plan import ReplayPlan
from tests.patterns import make_pattern


def test_the_defaults_are_those_of_the_study():
    profile = LinkProfile()
    assert (profile.delay_s, profile.queue_bytes, profile.aqm) == (0.011, 1_500_000, "drop-tail")
    assert (profile.ecn, profile.slot_s) == (False, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"delay_s": -1.0}, "link: delay_s: is -1; must be from 0 to 3600"),
        ({"delay_s": math.nan}, "link: delay_s: is nan; must be from 0 to 3600"),
        ({"delay_s": math.inf}, "link: delay_s: is inf; must be from 0 to 3600"),
        ({"queue_bytes": 1499}, "link: queue_bytes: is 1499; a packet of 1500 bytes must fit"),
        ({"queue_packets": 0}, "link: queue_packets: is 0; must be above 0 and at most 1000000000"),
        ({"delay_s": 3600.1}, "link: delay_s: is 3600.1; must be from 0 to 3600"),
        ({"queue_bytes": 10**12 + 1}, "link: queue_bytes: is 1000000000001; must be at most 1000000000000"),
        ({"queue_packets": 10**9 + 1}, "link: queue_packets: is 1000000001; must be above 0 and at most 1000000000"),
        ({"queue_s": 3600.1}, "link: queue_s: is 3600.1; must be above 0 and at most 3600"),
        ({"queue_bdp": 1e6 + 0.1}, "link: queue_bdp: is 1000000.1; must be above 0 and at most 1000000"),
        ({"queue_s": -0.1}, "link: queue_s: is -0.1; must be above 0 and at most 3600"),
        ({"queue_s": math.nan}, "link: queue_s: is nan; must be above 0 and at most 3600"),
        ({"queue_bdp": math.inf}, "link: queue_bdp: is inf; must be above 0 and at most 1000000"),
        ({"queue_s": 1.0, "queue_bdp": 1.0}, "link: queue_bdp: cannot be given with queue_s; one size is enough"),
        ({"queue_packets": 1, "queue_s": 1.0}, "link: queue_s: cannot be given with queue_packets; one size is enough"),
        ({"aqm": "red"}, "link: aqm: is 'red'; must be one of drop-tail, drop-head, codel, fq_codel, pie"),
        ({"ecn": True}, "link: ecn: cannot be had with drop-tail; codel, fq_codel and pie mark packets"),
        (
            {"ecn": True, "aqm": "drop-head"},
            "link: ecn: cannot be had with drop-head; codel, fq_codel and pie mark packets",
        ),
        ({"slot_s": 1e-7}, "link: slot_s: is 1e-07; must be 0 or from 1 us to 1 s"),
        ({"slot_s": 1.5}, "link: slot_s: is 1.5; must be 0 or from 1 us to 1 s"),
        ({"slot_s": math.nan}, "link: slot_s: is nan; must be 0 or from 1 us to 1 s"),
        ({"milliproxy_information_s": 9e-5}, "link: milliproxy_information_s: is 9e-05; must be from 0.0001 to 10"),
        ({"milliproxy_information_s": math.nan}, "link: milliproxy_information_s: is nan; must be from 0.0001 to 10"),
        ({"milliproxy_delay_s": -0.1}, "link: milliproxy_delay_s: is -0.1; must be from 0 to 10"),
        ({"milliproxy_buffer_bytes": -1}, "link: milliproxy_buffer_bytes: is -1; must be from 0 to 1e+10"),
        ({"uplink_queue_bytes": 1499}, "link: uplink_queue_bytes: is 1499; a packet of 1500 bytes must fit"),
        ({"uplink_queue_packets": 0}, "link: uplink_queue_packets: is 0; must be above 0 and at most 1000000000"),
        ({"uplink_queue_s": math.nan}, "link: uplink_queue_s: is nan; must be above 0 and at most 3600"),
        (
            {"uplink_queue_s": 1.0, "uplink_queue_bdp": 1.0},
            "link: uplink_queue_bdp: cannot be given with uplink_queue_s; one size is enough",
        ),
        (
            {"uplink_aqm": "red"},
            "link: uplink_aqm: is 'red'; must be one of drop-tail, drop-head, codel, fq_codel, pie",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(changes, message):
    with pytest.raises(InputError) as error:
        LinkProfile(**changes)
    assert str(error.value) == message


def test_ecn_goes_with_each_aqm_that_marks():
    assert [LinkProfile(aqm=aqm, ecn=True).ecn for aqm in ("codel", "fq_codel", "pie")] == [True] * 3


SIZES = {"queue_bytes": 9000, "queue_packets": 100, "queue_s": 0.05, "queue_bdp": 2.0}


@pytest.mark.parametrize("before", SIZES)
@pytest.mark.parametrize("after", SIZES)
def test_a_size_takes_the_place_of_any_other_size(before, after):
    profile = LinkProfile(**{before: SIZES[before]}, delay_s=0.02).override(**{after: SIZES[after]})
    expected = {"queue_bytes": 1_500_000, "queue_packets": None, "queue_s": None, "queue_bdp": None}
    assert {name: getattr(profile, name) for name in SIZES} == expected | {after: SIZES[after]}
    assert profile.delay_s == 0.02


@pytest.mark.parametrize("before", SIZES)
@pytest.mark.parametrize("after", SIZES)
def test_a_size_of_the_uplink_takes_the_place_of_any_other_of_the_uplink_only(before, after):
    profile = LinkProfile(queue_packets=7, **{f"uplink_{before}": SIZES[before]})
    found = profile.override(**{f"uplink_{after}": SIZES[after]})
    assert found == LinkProfile(queue_packets=7, **{f"uplink_{after}": SIZES[after]})
    assert profile.override(queue_s=0.1) == LinkProfile(queue_s=0.1, **{f"uplink_{before}": SIZES[before]})


def test_ecn_is_had_if_either_queue_marks():
    assert LinkProfile(ecn=True, uplink_aqm="codel").ecn
    with pytest.raises(InputError, match="link: ecn: cannot be had with drop-tail"):
        LinkProfile(ecn=True, uplink_aqm="drop-head")


def test_what_is_not_overridden_stays():
    profile = LinkProfile(queue_packets=7, aqm="pie", ecn=True, slot_s=1e-3)
    assert profile.override() == profile
    assert profile.override(delay_s=0.5) == LinkProfile(queue_packets=7, aqm="pie", ecn=True, slot_s=1e-3, delay_s=0.5)


def test_two_sizes_at_once_are_refused_in_an_override_too():
    with pytest.raises(InputError, match="link: queue_bdp: cannot be given with queue_s"):
        LinkProfile().override(queue_s=1.0, queue_bdp=1.0)
    with pytest.raises(InputError, match="link: ecn: cannot be had with drop-tail"):
        LinkProfile(aqm="codel", ecn=True).override(aqm="drop-tail")


@pytest.mark.parametrize(
    "whole", [LinkSettings(make_pattern([1e6]), queue_packets=9, start="now"), ReplayPlan(queue_packets=9, seed=3)]
)
def test_a_profile_can_be_taken_out_of_what_has_more(whole):
    assert LinkProfile(**whole.profile()) == LinkProfile(queue_packets=9)
    assert list(whole.profile()) == [field.name for field in fields(LinkProfile)]


def test_an_override_keeps_what_a_profile_does_not_have():
    settings = LinkSettings(make_pattern([1e6]), start="now").override(queue_s=0.1)
    assert (type(settings), settings.start, settings.queue_s) == (LinkSettings, "now", 0.1)


def test_the_ends_of_each_range_are_in_it():
    assert [LinkProfile(slot_s=slot_s).slot_s for slot_s in (1e-6, 1.0)] == [1e-6, 1.0]
    least = LinkProfile(delay_s=0.0, queue_bytes=1500, uplink_queue_bytes=1500)
    assert (least.delay_s, least.queue_bytes, least.uplink_queue_bytes) == (0.0, 1500, 1500)
    assert LinkProfile(delay_s=3600.0, queue_bytes=10**12).queue_bytes == 10**12
    assert [LinkProfile(queue_packets=packets).queue_packets for packets in (1, 10**9)] == [1, 10**9]
    assert (LinkProfile(queue_s=3600.0).queue_s, LinkProfile(queue_bdp=1e6).queue_bdp) == (3600.0, 1e6)
