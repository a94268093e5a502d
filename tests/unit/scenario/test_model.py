"""The defaults are those of Hurtig 2019, as docs/formats/scenario.md has them."""

from mmwemu.scenario.model import Box, Core, LteRadio, MmwaveRadio, OutageRule, Rlc, Scenario, Traffic, Waypoint


def test_the_mmwave_cell_of_the_study():
    assert MmwaveRadio() == MmwaveRadio(
        carrier_hz=28e9, bandwidth_hz=1e9, power_dbm=30.0, noise_figure_db=5.0, gnb_array=(8, 8), ue_array=(4, 4),
        path_loss="akdeniz", beam="dft", frame="legacy", harq=True, channel_update_s=0.1, rlc_buffer_bytes=20_971_520,
        rlc=Rlc(poll_retransmit_s=0.004, reordering_s=0.002, status_prohibit_s=0.001),
    )  # fmt: skip


def test_the_lte_cell_its_traffic_and_the_core_of_the_study():
    assert LteRadio() == LteRadio(resource_blocks=100, power_dbm=30.0, rlc_buffer_bytes=20_971_520)
    assert Traffic() == Traffic(rate_bps=1_001_000_000.0, payload_bytes=1400, start_s=0.1)
    assert Core() == Core(delay_s=0.01)


def test_a_scenario_has_no_boxes_and_no_outages_unless_it_says_so():
    scenario = Scenario("t", 1.0, (0, 0, 3), (Waypoint(0, (0, 0, 1)),))
    assert (scenario.boxes, scenario.title, scenario.outage) == ((), "", OutageRule(0.0, "hold"))
    assert (Box((0, 1), (0, 1), (0, 1)).name, Box((0, 1), (0, 1), (0, 1)).loss_db) == ("", 0.0)
