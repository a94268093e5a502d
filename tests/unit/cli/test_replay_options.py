import click
import cloup
import pytest

from mmwemu.cli.replay_options import replay_options, replay_plan
from mmwemu.core.errors import InputError
from mmwemu.study.plan import ReplayPlan


@cloup.command("verb")
@replay_options(repetitions=4)
def verb(**options):
    return options


def parse(*argv):
    return verb.main([str(arg) for arg in ("--pattern", "p.csv", *argv)], standalone_mode=False)


def test_the_defaults_are_those_of_a_plan_but_for_the_repetitions():
    options = parse()
    assert replay_plan(options) == ReplayPlan(repetitions=4)
    assert options == {"patterns": ("p.csv",), "output": None, "as_json": False}


def test_every_option_reaches_the_plan():
    argv = ["-n", 2, "--start-at", 1, "--start-at", 2.5, "--start-random", "3-9.5", "--cc", "bbr", "--seed", 7]
    argv += ["--packets", "parquet", "--packets", "pcapng", "--clients", 3, "--scheduler", "round-robin", "--edge"]
    argv += ["--initial-window", "bdp", "--pacing", "1Gbit/s", "--window", "40MB"]
    argv += [
        "--serve-edge",
        "cmd",
        "--edge-proxy",
        "split",
        "--edge-cc",
        "reno",
        "--access-delay-ms",
        2.5,
        "--core-rate",
        "1Gbit/s",
        "--core-loss",
        0.1,
        "--link",
        "hurtig2019",
    ]
    assert replay_plan(parse(*argv)) == ReplayPlan(
        repetitions=2, starts_at_s=(1.0, 2.5), start_between_s=(3.0, 9.5), congestion_control="bbr", seed=7,
        packets=("parquet", "pcapng"), clients=3, scheduler="round-robin", edge=True, serve_edge="cmd",
        edge_proxy="split", edge_congestion_control="reno", access_delay_s=0.0025, core_rate_bps=1e9,
        core_loss=0.1, queue_packets=1000, initial_window="bdp", pacing=1e9,
        window_bytes=40_000_000,
    )  # fmt: skip
    tc = replay_plan(parse("--backend", "tc", "--tc-mode", "netem-rate", "--queue-ms", 50))
    assert tc == ReplayPlan(backend="tc", tc_mode="netem-rate", queue_s=0.05, repetitions=4)
    assert tc.core_rate_bps is None


def test_a_plan_that_makes_no_sense_is_refused():
    with pytest.raises(click.BadParameter, match="'9-3' is not two times in s that rise"):
        replay_plan(parse("--start-random", "9-3"))


def test_several_choices_of_a_sender_are_run_in_turns():
    plan = replay_plan(
        parse("--initial-window", "default,40,bdp", "--pacing", "bdp,1Gbit/s", "--window", "default,4MiB")
    )
    assert plan.vary == {"initial_window": (None, 40, "bdp"), "pacing": ("bdp", 1e9), "window_bytes": (None, 2**22)}
    assert len(plan.variations) == 12


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--initial-window", "0"), "'0' is not a whole number from 1 to 10000 packets"),
        (("--initial-window", "BDP"), "'BDP' is not a whole number from 1 to 10000 packets"),
        (("--initial-window", "10,default,10001"), "'10001' is not a whole number"),
        (("--pacing", "default"), "pacing: is 'default'"),
        (("--pacing", "11kbit/s"), "pacing: is 11000 bit/s; must be from 12000"),
        (("--window", "bdp"), "window: is 'bdp'"),
        (("--window", "1GB,2GB"), "window: is 2000000000 bytes; must be from 4096 to 1073741824"),
        (("--window", "1MB", "--initial-window", "400"), "an initial window of 400 packets needs at least 1200000"),
    ],
)
def test_choices_that_the_kernel_does_not_take_are_refused(argv, message):
    with pytest.raises((click.BadParameter, InputError)) as caught:
        replay_plan(parse(*argv))
    assert message in str(getattr(caught.value, "message", caught.value))
