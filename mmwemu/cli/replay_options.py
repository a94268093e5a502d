"""Options of the verbs that run applications over patterns and keep results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps.option_types import SEED, FilePath, Seconds, Span, Whole
from mmwemu.apps.shipped_types import PATTERN
from mmwemu.cli.link_options import congestion_control_option, link_options, link_profile, testbed_options, variations
from mmwemu.cli.sender_options import FIELDS, sender_options
from mmwemu.core.bounds import MOST_REPETITIONS

if TYPE_CHECKING:
    from mmwemu.study.plan import ReplayPlan

_PLAN = (
    "repetitions", "starts_at_s", "start_between_s", "seed", "packets", "backend", "tc_mode", "scheduler",
    "client_shift_s", "edge", "serve_edge", "edge_proxy", "edge_congestion_control",
    "core_rate_bps", "core_loss", "access_delay_s", *FIELDS,
)  # fmt: skip


def repetitions_option(repetitions: int) -> Any:
    """Return the option of repetitions."""
    return cloup.option("--repetitions", "-n", type=Whole("repetitions", least=1, most=MOST_REPETITIONS),
                        default=repetitions, show_default=True,
                        help="Runs of each case over each pattern.")  # fmt: skip


def results_options() -> Any:
    """Return the options of where results go."""
    return (
        cloup.option("-o", "--output", type=FilePath(),
                     help="Results folder.  [default: results/UTC-NAME]"),
        cloup.option("--json", "as_json", is_flag=True, help="Print JSON."),
    )  # fmt: skip


def replay_options(repetitions: int) -> Callable[[Any], Any]:
    """Return a decorator that adds all options of `replay_plan`, and ``patterns``, ``output`` and ``as_json``."""
    group = cloup.option_group(
        "Replays and results",
        cloup.option("--pattern", "patterns", type=PATTERN, multiple=True, required=True,
                     help="Pattern file or shipped pattern, or a folder with a pattern for each client; may be given "
                          "more than once."),
        repetitions_option(repetitions),
        congestion_control_option("cubic", several=True),
        *sender_options(),
        cloup.option("--start-at", "starts_at_s", type=Seconds(), multiple=True, default=(0.0,),
                     show_default=True, help="Time in the pattern to start at, s; may be given more than once."),
        cloup.option("--start-random", "start_between_s", type=Span(),
                     help="Draw the start of each repetition from this span instead, s; Hurtig 2019 has 0-20."),
        cloup.option("--seed", type=SEED, default=1, show_default=True,
                     help="Seed of random starts and of random loss."),
        cloup.option("--packets", type=click.Choice(["parquet", "pcapng"]), multiple=True,
                     help="Write down each packet of each replay; 50 bytes a packet (parquet) or 180 (pcapng); "
                          "may be given twice."),
        *results_options(),
    )  # fmt: skip

    def add(function: Any) -> Any:
        return group(link_options(several=True)(testbed_options(function)))

    return add


def replay_plan(options: dict[str, Any]) -> ReplayPlan:
    """Take the options of a plan out of ``options``."""
    from mmwemu.study.plan import ReplayPlan

    vary = variations(options)
    given = {name: options.pop(name) for name in _PLAN if name in options}
    return ReplayPlan(
        **link_profile(options),
        **given,
        clients=options.pop("clients", None) or 1,
        congestion_control=options.pop("congestion_control") or "cubic",
        vary=vary,
    )
