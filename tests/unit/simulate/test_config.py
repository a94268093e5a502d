from dataclasses import replace

import pytest

from mmwemu.pattern import library
from mmwemu.scenario import read
from mmwemu.scenario.model import Proxy, Rlc, Tcp, Ue, Uplink
from mmwemu.simulate.config import config_text, scenario_hash


def records(text):
    return [line.split() for line in text.splitlines()]


def test_mmwave_config_has_all_records(scenario):
    lines = config_text(scenario, "mmwave", 7).splitlines()
    assert lines[0] == "seed 7"
    for line in (
        "format 1",
        "rat mmwave",
        "duration_s 4",
        "base_station 0 0 3",
        "waypoint 0 75 -3 1",
        "waypoint 4 75 3 1",
        "box 50 56 -1 1 0 15 0",
        "rate_bps 1001000000",
        "payload_bytes 1400",
        "start_s 0.1",
        "core_delay_s 0.01",
        "carrier_hz 28000000000",
        "bandwidth_hz 1000000000",
        "power_dbm 30",
        "noise_figure_db 5",
        "gnb_array 8 8",
        "ue_array 4 4",
        "path_loss akdeniz",
        "beam dft",
        "frame legacy",
        "harq 1",
        "channel_update_s 0.1",
        "rlc_buffer_bytes 20971520",
        "poll_retransmit_s 0.004",
        "reordering_s 0.002",
        "status_prohibit_s 0.001",
    ):
        assert line in lines


def test_lte_config_has_no_mmwave_records(scenario):
    names = {record[0] for record in records(config_text(scenario, "lte", 1))}
    assert "resource_blocks" in names
    assert not names & {"beam", "frame", "carrier_hz", "poll_retransmit_s"}


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-7, 123456789.125, 1e300, -0.2])
def test_numbers_are_read_as_written(scenario, value):
    changed = replace(scenario, base_station_m=(value, 0.0, 3.0))
    text = next(r for r in records(config_text(changed, "lte", 1)) if r[0] == "base_station")[1]
    assert float(text) == value


def test_hash_is_of_all_but_the_seed_and_the_name(scenario):
    first = scenario_hash(scenario, "mmwave")
    assert len(first) == 64
    assert scenario_hash(replace(scenario, name="other"), "mmwave") == first
    assert scenario_hash(replace(scenario, duration_s=5.0), "mmwave") != first
    assert scenario_hash(scenario, "lte") != first


def test_the_lte_config_is_whole(scenario):
    assert config_text(scenario, "lte", 3) == (
        "seed 3\nformat 1\nrat lte\nduration_s 4\nbase_station 0 0 3\nwaypoint 0 75 -3 1\nwaypoint 4 75 3 1\n"
        "box 50 56 -1 1 0 15 0\nrate_bps 1001000000\npayload_bytes 1400\nstart_s 0.1\ncore_delay_s 0.01\n"
        "power_dbm 30\nrlc_buffer_bytes 20971520\nresource_blocks 100\n"
    )


def test_each_rat_has_its_own_power_and_buffer(scenario):
    radios = {
        "mmwave": replace(scenario.mmwave, power_dbm=1.5, rlc_buffer_bytes=11, harq=False),
        "lte": replace(scenario.lte, power_dbm=2.5, rlc_buffer_bytes=22),
    }
    found = {rat: dict(line.split(" ", 1) for line in config_text(replace(scenario, **radios), rat, 1).splitlines())
             for rat in ("mmwave", "lte")}  # fmt: skip
    assert [(found[rat]["power_dbm"], found[rat]["rlc_buffer_bytes"]) for rat in radios] == [
        ("1.5", "11"),
        ("2.5", "22"),
    ]
    assert found["mmwave"]["harq"] == "0"


def test_settings_that_came_later_have_records_only_where_they_are_not_the_default(scenario):
    names = {record[0] for record in records(config_text(scenario, "mmwave", 1))}
    assert not names & {"ue", "processing_s", "tti", "scheduler", "uplink", "uplink_rate_bps"}
    radio = replace(scenario.mmwave, tti="flexible", scheduler="proportional-fair", uplink=Uplink(0.25, 20.0, 7.0))
    traffic = replace(scenario.traffic, uplink_rate_bps=3e6)
    lines = config_text(replace(scenario, mmwave=radio, traffic=traffic), "mmwave", 1).splitlines()
    for line in ("tti flexible", "scheduler proportional-fair", "uplink 0.25 20 7", "uplink_rate_bps 3000000"):
        assert line in lines


def test_several_ues_have_a_record_each_before_their_waypoints(scenario):
    several = (Ue(scenario.route, 1e9, 0.0, 0.1), Ue(scenario.route[:1], 0.0, 2e6, 0.5))
    text = config_text(replace(scenario, ues=several), "mmwave", 1)
    assert (
        "\nue 1000000000 0 0.1\nwaypoint 0 75 -3 1\nwaypoint 4 75 3 1\nue 0 2000000 0.5\nwaypoint 0 75 -3 1\nbox "
        in text
    )
    assert scenario_hash(replace(scenario, ues=several), "mmwave") != scenario_hash(scenario, "mmwave")


def test_hashes_stay_as_they_are_in_shipped_patterns():
    hashes = {}
    for name in ("s1-long-nlos", "s3-walk-nlos"):
        for rat in ("mmwave", "lte"):
            if f"{name}.{rat}" in library.shipped():
                hashes[name, rat] = library.load(f"{name}.{rat}").meta["scenario_hash"]
    assert hashes
    assert {key: scenario_hash(read.load(key[0]), key[1]) for key in hashes} == hashes


def test_whole_numbers_have_no_point_up_to_what_a_float_counts(scenario):
    for value, text in ((1e15, "1000000000000000.0"), (999999999999999.0, "999999999999999"), (-2.0, "-2")):
        changed = replace(scenario, base_station_m=(value, 0.0, 3.0))
        assert f"base_station {text} 0 3\n" in config_text(changed, "lte", 1)


def test_a_transport_has_records_only_where_it_is_chosen(scenario):
    assert "transport" not in config_text(scenario, "mmwave", 1)
    udp = replace(scenario, traffic=replace(scenario.traffic, transport="udp", tcp=Tcp(initial_window=4)))
    assert set(config_text(udp, "mmwave", 1).splitlines()) - set(config_text(scenario, "mmwave", 1).splitlines()) == {
        "transport udp"
    }
    tcp = replace(scenario, traffic=replace(scenario.traffic, transport="tcp", tcp=Tcp(initial_window=4, sack=False)))
    added = set(config_text(tcp, "mmwave", 1).splitlines()) - set(config_text(scenario, "mmwave", 1).splitlines())
    assert added == {
        "transport tcp",
        "congestion_control cubic",
        "send_buffer_bytes 16777216",
        "receive_buffer_bytes 16777216",
        "initial_window 4",
        "delayed_ack 2",
        "pacing 0",
        "sack 0",
        "min_rto_s 1",
        "file_bytes 0",
    }


def test_a_proxy_has_a_record_where_there_is_one(scenario):
    settings = Tcp(proxy=Proxy("milliproxy", 10, 20, 0.5, 0.25))
    tcp = replace(scenario, traffic=replace(scenario.traffic, transport="tcp", tcp=settings))
    assert "milliproxy 10 20 0.5 0.25" in config_text(tcp, "mmwave", 1).splitlines()
    split = replace(tcp, traffic=replace(tcp.traffic, tcp=Tcp(proxy=Proxy("split"))))
    lines = config_text(split, "mmwave", 1).splitlines()
    assert "split_proxy 1" in lines and not any(line.startswith("milliproxy") for line in lines)


def test_the_mode_of_rlc_has_a_record_where_it_is_um(scenario):
    um = replace(scenario, mmwave=replace(scenario.mmwave, rlc=Rlc(mode="um")))
    assert "rlc_mode um" in config_text(um, "mmwave", 1).splitlines()
    assert "rlc_mode" not in config_text(scenario, "mmwave", 1)
