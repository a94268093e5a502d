import click
import cloup
import pytest

from mmwemu.cli.replay_options import replay_options, replay_plan
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
    argv += ["--serve-edge", "cmd", "--core-rate", "1Gbit/s", "--core-loss", 0.1, "--link", "hurtig2019"]
    assert replay_plan(parse(*argv)) == ReplayPlan(
        repetitions=2, starts_at_s=(1.0, 2.5), start_between_s=(3.0, 9.5), congestion_control="bbr", seed=7,
        packets=("parquet", "pcapng"), clients=3, scheduler="round-robin", edge=True, serve_edge="cmd",
        core_rate_bps=1e9, core_loss=0.1, queue_packets=1000,
    )  # fmt: skip
    tc = replay_plan(parse("--backend", "tc", "--tc-mode", "netem-rate", "--queue-ms", 50))
    assert tc == ReplayPlan(backend="tc", tc_mode="netem-rate", queue_s=0.05, repetitions=4)
    assert tc.core_rate_bps is None


def test_a_plan_that_makes_no_sense_is_refused():
    with pytest.raises(click.BadParameter, match="'9-3' is not two times in s that rise"):
        replay_plan(parse("--start-random", "9-3"))
