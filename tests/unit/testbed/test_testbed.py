import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.link.telemetry import BIN_S
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.tcp import TcpChoices
from mmwemu.testbed.testbed import name_of
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.fakes import fake_link, fake_testbed
from tests.patterns import make_pattern
from tests.unit.testbed.test_setup import MACHINES


def settings_of(*rates_bps):
    return [LinkSettings(make_pattern([rate_bps])) for rate_bps in rates_bps]


def rates_of(testbed, number):
    return [settings.pattern.downlink.rate_bps[0] for settings in fake_link(testbed, number).started]


def test_each_access_link_has_its_settings_or_all_have_the_same():
    testbed = fake_testbed(Setup(Topology(3, shared=False)))
    testbed.start(*settings_of(1e6, 2e6, 3e6))
    testbed.start(*settings_of(4e6))
    assert [rates_of(testbed, number) for number in (1, 2, 3)] == [[1e6, 4e6], [2e6, 4e6], [3e6, 4e6]]


@pytest.mark.parametrize("n", [0, 2, 4])
def test_another_number_of_settings_is_refused(n):
    testbed = fake_testbed(Setup(Topology(3, shared=False)))
    with pytest.raises(InputError) as caught:
        testbed.start(*settings_of(*[1e6] * n))
    assert str(caught.value) == f"pattern: there are {n}, and 3 access links"
    assert fake_link(testbed).started == []


def test_a_core_link_starts_once_and_has_the_delay():
    testbed = fake_testbed(Setup(Topology(2, shared=False, core=CoreLink(1e9))))
    testbed.start(LinkSettings(make_pattern([1e6]), delay_s=0.02))
    assert rates_of(testbed, CORE) == [1e9]
    assert [fake_link(testbed, number).started[0].delay_s for number in (CORE, 1, 2)] == [0.02, 0.0, 0.0]


def test_a_client_finds_its_link():
    own, shared = (fake_testbed(Setup(Topology(2, shared=way))) for way in (False, True))
    assert [own.link_of(client) for client in own.clients] == [own.links[1], own.links[2]]
    assert [shared.link_of(client) for client in shared.clients] == [shared.links[1]] * 2


def test_telemetry_says_which_link_it_is_of():
    testbed = fake_testbed(Setup(Topology(core=CoreLink())))
    testbed.start(*settings_of(1e6))
    telemetry = testbed.telemetry()
    assert telemetry.groupby("link")["time_s"].max().to_dict() == pytest.approx({CORE: 1 - BIN_S, 1: 1 - BIN_S})


def test_all_links_are_checked_and_named():
    testbed = fake_testbed(Setup(Topology(2, shared=False, core=CoreLink())))
    testbed.start(*settings_of(1e6))
    telemetry = testbed.telemetry()
    assert testbed.check(telemetry).valid
    telemetry.loc[(telemetry["link"] == CORE) & (telemetry["time_s"] == 0.0), "dropped_device_packets"] = 2
    telemetry.loc[(telemetry["link"] == 2) & (telemetry["time_s"] == 0.0), "lateness_s"] = 3.0
    reasons = testbed.check(telemetry).reasons
    assert sorted(reason.partition(":")[0] for reason in reasons) == ["access link 2", "core link"]
    assert any(reason.endswith("4 packets were lost at the devices, not in the link") for reason in reasons)
    assert (name_of(CORE), name_of(3)) == ("core link", "access link 3")


def test_the_congestion_control_of_other_machines_is_theirs():
    named = []
    testbed = fake_testbed(Setup(machines=MACHINES), set_congestion_control=named.append)
    with pytest.raises(InputError) as caught:
        testbed.set_congestion_control("bbr")
    assert str(caught.value) == (
        "congestion control bbr: cannot be set on other machines from here;"
        " there: sudo sysctl -w net.ipv4.tcp_congestion_control=bbr"
    )
    assert named == []


@pytest.mark.parametrize(
    ("setup", "choices", "problem"),
    [
        (Setup(backend="tc"), TcpChoices(20), "backend tc: cannot provide initial windows; use --backend tun"),
        (Setup(backend="tc"), TcpChoices(pacing_bps=1e6), "backend tc: cannot provide pacing; use --backend tun"),
        (Setup(machines=MACHINES), TcpChoices(window_bytes=2**20), "socket buffers: cannot be had with other machines"),
    ],
)
def test_choices_of_tcp_are_refused_where_they_cannot_be_set(setup, choices, problem):
    testbed = fake_testbed(setup)
    with pytest.raises(InputError) as caught:
        testbed.set_windows(choices)
    assert str(caught.value).startswith(problem)
    testbed.set_windows(TcpChoices())
    assert testbed.tcp_parts[0].windows == []


def test_windows_reach_all_parts():
    testbed = fake_testbed(Setup(Topology(2, core=CoreLink())))
    testbed.set_windows(TcpChoices(20))
    testbed.set_windows(TcpChoices())
    assert testbed.tcp_parts[0].windows == [TcpChoices(20), TcpChoices()]


def test_places_have_names():
    testbed = fake_testbed(Setup(Topology(2, core=CoreLink())))
    assert [place.name for place in testbed.places] == ["client 1", "client 2", "edge", "server"]
    assert testbed.client is testbed.clients[0]
    assert fake_testbed().edge is None
