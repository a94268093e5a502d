"""mmwemu explain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import FilePath, Text, Whole
from mmwemu.cli.output import json_option, print_json, print_table, progress, say, warn
from mmwemu.core.bounds import MOST_REPETITIONS

if TYPE_CHECKING:
    from mmwemu.study.explain.explanation import Explanation
    from mmwemu.study.explain.what_if import WhatIf


@click.command("explain")
@click.argument("kept", type=FilePath(), metavar="FOLDER")
@click.option("--run", "number", type=Whole("runs", least=1, most=10**9), default=1, show_default=True,
              help="Number of the run.")  # fmt: skip
@click.option("--what-if", "changed", type=Text(),
              help="Replay the run with one cause removed, and as it was, in turns, and compare: no-outage, "
                   "initcwnd=PACKETS, cc=NAME or queue=SIZE.")  # fmt: skip
@click.option("--repetitions", "-n", type=Whole("repetitions", least=2, most=MOST_REPETITIONS), default=10,
              show_default=True, help="Replays of each with --what-if.")  # fmt: skip
@click.option("--plot", type=FilePath(), help="Draw the time line into this picture.")
@click.option("-o", "--output", type=FilePath(), help="Results folder of --what-if.  [default: results/UTC-NAME]")
@json_option
def command(
    kept: Path,
    *,
    number: int,
    changed: str | None,
    repetitions: int,
    plot: Path | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Tell where the time of a download or page load went, from its packets.

    FOLDER is a results folder of runs with --packets parquet. The parts add up to the whole run.
    """
    from mmwemu.core import figure
    from mmwemu.core.errors import InputError, InvalidRunError
    from mmwemu.results.collection import open_folder
    from mmwemu.study.explain import changes, draw, what_if
    from mmwemu.study.explain.explanation import explain

    if plot is not None:
        figure.check_path(plot)
    if output is not None and changed is None:
        raise InputError("--output", "is the results folder of --what-if, which is not given")
    change = changes.parse(changed) if changed is not None else None
    folder = open_folder(kept)
    found = explain(folder, number)
    if plot is not None:
        draw.plot(found, plot)
    answer = None
    if change is not None:
        with progress() as on_progress:
            answer = what_if.replay(folder, found.run, change, repetitions, output, sys.argv, on_progress)
    if as_json:
        print_json(found.to_json() | ({"what_if": answer.to_json()} if answer else {}))
    else:
        _print(found)
        if plot is not None:
            say(plot)
        if answer is not None:
            _print_answer(answer)
    if not found.run["valid"]:
        warn(f"the link was not valid in this run: {found.run['invalid_because']}")
    if answer is not None and answer.left_out:
        warn(f"{len(answer.left_out)} of {repetitions} pairs are left out: {answer.left_out[0]}")
    return InvalidRunError.exit_code if answer is not None and answer.difference_s.n == 0 else 0


def _print(found: Explanation) -> None:
    from mmwemu.core.units import ms
    from mmwemu.study.explain.causes import WORDS

    run = found.run
    say(f"run {run['run']}: {run['application']} over {run['pattern']}, {run['status']}, {found.length_s:.3f} s")
    rows = [
        (WORDS[cause], f"{part_s:.3f}", f"{100 * part_s / found.length_s:.1f}")
        for cause, part_s in sorted(found.parts_s.items(), key=lambda each: -each[1])
        if part_s > 0
    ]
    print_table(("cause", "s", "%"), [*rows, ("in all", f"{found.length_s:.3f}", "100.0")], (1, 2))
    median_s, p99_s = found.queueing_s
    say(
        f"packets waited {ms(median_s):.1f} ms in the queue (median; 99 %: {ms(p99_s):.1f} ms); "
        f"{found.lost_packets} lost, {found.repeated_packets} sent again"
    )


def _print_answer(answer: WhatIf) -> None:
    say("")
    rows = [(name, *_numbers(values)) for name, values in (("as it was", answer.base_s), (answer.name, answer.new_s))]
    print_table(("replayed", "mean [s]", "least", "most", "runs"), rows, (1, 2, 3, 4))
    difference = answer.difference_s
    if difference.n:
        interval = f", 95 % interval {difference.low:+.3f} to {difference.high:+.3f}" if difference.has_interval else ""
        say(f"difference: {difference.value:+.3f} s{interval}, {difference.n} pairs: {answer.verdict}")
    say(f"results: {answer.folder}")


def _numbers(values: list[float]) -> tuple[str, ...]:
    if not values:
        return ("-", "-", "-", "0")
    return (f"{sum(values) / len(values):.3f}", f"{min(values):.3f}", f"{max(values):.3f}", str(len(values)))
