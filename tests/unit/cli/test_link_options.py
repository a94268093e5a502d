from dataclasses import fields

import click
import cloup
import pytest

from mmwemu.cli import link_options as options_of
from mmwemu.cli.link_options import link_options, link_profile, warnings_of
from mmwemu.core.errors import InputError
from mmwemu.link.profile import LinkProfile
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.probe import calibrate
from mmwemu.probe.calibrate import Calibration
from mmwemu.testbed.setup import Setup


@cloup.command("verb")
@link_options()
@options_of.testbed_options
def verb(**options):
    return options


def parse(*argv):
    return verb.main([str(arg) for arg in argv], standalone_mode=False)


def profile(*argv):
    """Return the profile that options describe; the others are left alone."""
    options = parse(*argv)
    found = LinkProfile(**link_profile(options))
    assert set(options) == {
        "clients", "scheduler", "client_shift_s", "edge", "serve_edge", "edge_proxy",
        "edge_congestion_control", "access_delay_s", "core_rate_bps", "core_loss",
        "backend", "tc_mode",
    }  # fmt: skip
    return found


def test_without_options_the_profile_is_the_default():
    assert profile() == LinkProfile()


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--delay-ms", 20], {"delay_s": 0.020}),
        (["--delay-ms", 0], {"delay_s": 0.0}),
        (["--queue-bytes", 9000], {"queue_bytes": 9000}),
        (["--queue-packets", 100], {"queue_packets": 100}),
        (["--queue-ms", 50], {"queue_s": 0.05}),
        (["--queue-bdp", 1.5], {"queue_bdp": 1.5}),
        (["--aqm", "pie"], {"aqm": "pie"}),
        (["--aqm", "codel", "--ecn"], {"aqm": "codel", "ecn": True}),
        (["--slot-us", 125], {"slot_s": 125e-6}),
        (["--uplink-queue-bytes", 9000], {"uplink_queue_bytes": 9000}),
        (["--uplink-queue-packets", 100], {"uplink_queue_packets": 100}),
        (["--uplink-queue-ms", 50], {"uplink_queue_s": 0.05}),
        (["--uplink-queue-bdp", 1.5], {"uplink_queue_bdp": 1.5}),
        (["--uplink-aqm", "pie"], {"uplink_aqm": "pie"}),
    ],
)
def test_each_option_sets_its_value(argv, expected):
    found = profile(*argv)
    assert {name: getattr(found, name) for name in expected} == pytest.approx(expected)
    rest = [field.name for field in fields(LinkProfile) if field.name not in expected]
    assert all(getattr(found, name) == getattr(LinkProfile(), name) for name in rest)


@pytest.mark.parametrize("first", [["--link", "zhang2016-3mb"], []])
def test_options_override_the_profile_wherever_it_stands(first):
    last = [] if first else ["--link", "zhang2016-3mb"]
    assert profile(*first, *last) == LinkProfile(delay_s=0.020, queue_bytes=3_000_000)
    found = profile(*first, "--queue-packets", 100, *last)
    assert found == LinkProfile(delay_s=0.020, queue_packets=100)
    assert profile(*first, "--delay-ms", 5, *last) == LinkProfile(delay_s=0.005, queue_bytes=3_000_000)
    assert profile(*first, "--queue-ms", 10, "--delay-ms", 0, *last) == LinkProfile(delay_s=0.0, queue_s=0.01)


def test_a_size_in_bytes_overrides_one_in_packets():
    assert profile("--link", "hurtig2019", "--queue-bytes", 9000) == LinkProfile(queue_bytes=9000)


def test_a_flag_can_be_switched_off_again(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('format = 1\naqm = "codel"\necn = true\n')
    assert profile("--link", file).ecn
    assert not profile("--link", file, "--no-ecn").ecn
    assert profile("--link", file, "--aqm", "pie") == LinkProfile(aqm="pie", ecn=True)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--link", "nosuch"], "link profile nosuch: is no file and no shipped profile; there are: hurtig2019, "),
        (["--queue-ms", 1, "--queue-bdp", 1], "link: queue_bdp: cannot be given with queue_s; one size is enough"),
        (["--ecn"], "link: ecn: cannot be had with drop-tail; codel, fq_codel and pie mark packets"),
        (["--slot-us", 0.5], "link: slot_s: is 5e-07; must be 0 or from 1 us to 1 s"),
    ],
)
def test_what_makes_no_sense_is_refused(argv, message):
    options = parse(*argv)
    with pytest.raises(InputError) as caught:
        link_profile(options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "argv",
    [
        ["--queue-bytes", 1499], ["--delay-ms", -1], ["--aqm", "red"], ["--slot-us", 2e6], ["--clients", 0],
        ["--clients", 251], ["--scheduler", "fair"], ["--core-loss", 1.5], ["--backend", "nosuch"],
        ["--tc-mode", "nosuch"], ["--queue-packets", 0], ["--queue-ms", "nan"], ["--delay-ms", "inf"],
    ],
)  # fmt: skip
def test_values_out_of_their_range_are_refused_by_the_option(argv):
    with pytest.raises(click.BadParameter):
        parse(*argv)


def test_the_testbed_has_its_options():
    found = parse(
        "--clients", 3, "--scheduler", "round-robin", "--edge", "--serve-edge", "cmd", "--core-rate", "1Gbit/s"
    )
    assert (found["clients"], found["scheduler"], found["edge"], found["serve_edge"]) == (3, "round-robin", True, "cmd")
    assert found["core_rate_bps"] == 1e9
    plain = parse()
    assert (plain["clients"], plain["core_rate_bps"], plain["core_loss"], plain["backend"]) == (
        None,
        None,
        0,
        "tun",
    )
    with pytest.raises(InputError, match="rate: is 'fast'"):
        parse("--core-rate", "fast")


def test_the_help_tells_the_default_of_each_value():
    text = " ".join(verb.get_help(verb.make_context("verb", [])).split())
    for words in ("each way. [default: 11]", "each direction. [default: 1500000]", "queue drops. [default: drop-tail]"):
        assert words in text
    assert "Queue in packets, instead of bytes. --queue-ms" in text


def test_the_cost_of_a_mode_and_too_high_a_rate_are_warned_of(tmp_path, monkeypatch):
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    native.save(constant(3e9, 1.0), tmp_path / "fast.csv")
    fast = [str(tmp_path / "fast.csv")]
    assert warnings_of(Setup(), fast) == []
    calibrate.keep(Calibration(1e9, 0.0, 0.0, 0.0, 0.0, calibrate.machine(), "2026-01-02T03:04:05+00:00"))
    (too_fast,) = warnings_of(Setup(), fast)
    assert too_fast.startswith("the pattern reaches 3000 Mbit/s; this machine carried 1000")
    assert warnings_of(Setup(), []) == []
    (cost,) = warnings_of(Setup(backend="tc", tc_mode="netem-rate"), fast)  # the calibration is of backend tun
    assert cost.startswith("tc-mode netem-rate: packets that wait keep the times")
