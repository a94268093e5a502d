from dataclasses import replace

import pytest

from mmwemu.core.errors import InputError
from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.scenario.model import Proxy, Ue, Uplink
from mmwemu.simulate.config import scenario_hash


@pytest.fixture
def scenario():
    return replace(read.load("s1"), duration_s=4.0)


def test_no_change_is_the_scenario_itself(scenario):
    assert Changes().apply(scenario, "mmwave") == scenario
    assert Changes().apply(scenario, "lte") == scenario


def test_values_replace_those_of_the_scenario(scenario):
    asked = Changes(
        duration_s=1.5,
        transport="tcp",
        core_delay_s=0.02,
        rlc_mode="um",
        rlc_buffer_bytes=3_000_000,
        harq=False,
        mss_bytes=1460,
        file_bytes=10**7,
        congestion_control="newreno",
        send_buffer_bytes=10**6,
        receive_buffer_bytes=2 * 10**6,
        initial_window=4,
        pacing=True,
        sack=False,
        min_rto_s=0.2,
        proxy="milliproxy",
        rate_bps=3e8,
        tti="flexible",
        uplink_share=0.1,
    )
    changed = asked.apply(scenario, "mmwave")
    assert (changed.duration_s, changed.core.delay_s) == (1.5, 0.02)
    assert changed.traffic.tcp.proxy == Proxy("milliproxy")
    radio, traffic, tcp = changed.mmwave, changed.traffic, changed.traffic.tcp
    assert (radio.rlc.mode, radio.rlc_buffer_bytes, radio.harq) == ("um", 3_000_000, False)
    assert (traffic.transport, traffic.payload_bytes, tcp.file_bytes) == ("tcp", 1460, 10**7)
    assert (tcp.congestion_control, tcp.send_buffer_bytes, tcp.receive_buffer_bytes) == ("newreno", 10**6, 2 * 10**6)
    assert (tcp.initial_window, tcp.pacing, tcp.sack, tcp.min_rto_s) == (4, True, False, 0.2)
    assert (traffic.rate_bps, radio.tti, radio.uplink) == (3e8, "flexible", Uplink(0.1))
    assert scenario_hash(changed, "mmwave") != scenario_hash(scenario, "mmwave")


def test_the_buffer_is_that_of_the_cell_that_is_simulated(scenario):
    changed = Changes(rlc_buffer_bytes=5).apply(scenario, "lte")
    assert (changed.lte.rlc_buffer_bytes, changed.mmwave) == (5, scenario.mmwave)


@pytest.mark.parametrize(
    ("asked", "rat", "message"),
    [
        (Changes(duration_s=4.5), "mmwave", "duration: is 4.5 s; the scenario has 4 s"),
        (Changes(rlc_mode="um"), "lte", "RLC mode, HARQ, TTI and uplink: can be chosen for the mmWave cell only"),
        (Changes(harq=True), "lte", "RLC mode, HARQ, TTI and uplink: can be chosen for the mmWave cell only"),
        (Changes(tti="fixed"), "lte", "RLC mode, HARQ, TTI and uplink: can be chosen for the mmWave cell only"),
        (Changes(uplink_share=0.1), "lte", "RLC mode, HARQ, TTI and uplink: can be chosen for the mmWave cell only"),
        (Changes(transport="udp"), "lte", "transport: is udp; the LTE cell has lite only: --transport lite"),
        (Changes(pacing=False), "mmwave", "transport: is lite; options of TCP need --transport tcp"),
        (Changes(mss_bytes=1000, transport="udp"), "mmwave", "transport: is udp; options of TCP need --transport tcp"),
    ],
)
def test_a_value_without_effect_is_refused(scenario, asked, rat, message):
    with pytest.raises(InputError) as caught:
        asked.apply(scenario, rat)
    assert str(caught.value) == message


def test_several_ues_have_rates_of_their_own(scenario):
    several = replace(scenario, ues=(Ue(scenario.route, 1e9, 0.0, 0.1),) * 2)
    with pytest.raises(InputError, match=r"^rate: is that of a scenario with one UE; several have rates of their own"):
        Changes(rate_bps=1e6).apply(several, "mmwave")


def test_tcp_has_no_uplink_traffic(scenario):
    sending = replace(scenario, traffic=replace(scenario.traffic, uplink_rate_bps=1e6))
    with pytest.raises(InputError, match=r"^transport: is tcp, which sends to the UE only"):
        Changes(transport="tcp").apply(sending, "mmwave")


def test_segments_too_large_for_udp_need_tcp(scenario):
    large = replace(scenario, traffic=replace(scenario.traffic, transport="tcp", payload_bytes=20_000))
    with pytest.raises(InputError, match=r"^transport: is lite; at most 1472 bytes of payload fit a packet of UDP"):
        Changes(transport="lite").apply(large, "mmwave")
