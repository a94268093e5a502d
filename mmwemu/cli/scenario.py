"""mmwemu scenario."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from mmwemu.apps.option_types import SIMULATION_SEED, FilePath
from mmwemu.apps.shipped_types import SCENARIO
from mmwemu.cli.output import json_option, print_json, print_table, say

_seed_option = click.option(
    "--seed", type=SIMULATION_SEED, default=1, show_default=True, help="Draws the scenario's random boxes."
)


@click.group("scenario")
def command() -> None:
    """List, show, check and draw radio scenarios.

    SCENARIO is a TOML file or a shipped scenario, by its name or the start of it: s1-long-nlos or s1.
    """


@command.command("list")
@json_option
def list_scenarios(as_json: bool) -> None:
    """List the scenarios that come with mmwemu."""
    from mmwemu.scenario import geometry, read
    from mmwemu.scenario.random_boxes import placed

    found = [placed(read.load(name), seed=1) for name in read.shipped()]
    if as_json:
        print_json([{"name": s.name, "title": s.title, "duration_s": s.duration_s} for s in found])
        return
    rows = [(s.name, f"{s.duration_s:g} s", len(geometry.los_changes_s(s)), s.title) for s in found]
    print_table(("name", "lasts", "LOS changes", "title"), rows, right=(1, 2))


@command.command("show")
@click.argument("scenario", type=SCENARIO)
@_seed_option
@json_option
def show(scenario: str, seed: int, as_json: bool) -> None:
    """Show a scenario with all its values, defaults included."""
    from mmwemu.scenario import geometry, read, ues
    from mmwemu.scenario.random_boxes import placed

    found = placed(read.load(scenario), seed)
    each = ues.alone(found)
    changes = [geometry.los_changes_s(one).round(3).tolist() for one in each]
    if as_json:
        print_json(asdict(found) | {"los_changes_s": changes[0] if len(each) == 1 else changes})
        return
    say(f"{found.name}: {found.title}")
    say(f"lasts {found.duration_s:g} s; base station at {found.base_station_m} m")
    for number, one in enumerate(each, 1):
        name = "UE" if len(each) == 1 else f"UE {number}"
        rows = [(f"{w.time_s:g} s", *w.position_m) for w in one.route]
        print_table((f"{name} at", "x [m]", "y [m]", "z [m]"), rows, (0, 1, 2, 3))
    print_table(
        ("box", "x [m]", "y [m]", "z [m]", "loss [dB]"),
        [
            (b.name, *(f"{low:g} - {high:g}" for low, high in (b.x_m, b.y_m, b.z_m)), f"{b.loss_db:g}")
            for b in found.boxes
        ],
        (4,),
    )
    for name in ("mmwave", "lte", "traffic", "core", "outage"):
        values = ", ".join(f"{key} = {value}" for key, value in asdict(getattr(found, name)).items())
        say(f"{name}: {values}")
    for number, times in enumerate(changes, 1):
        of_which = "" if len(each) == 1 else f" of UE {number}"
        say(f"line of sight{of_which} changes at: {', '.join(f'{t:g} s' for t in times) or 'never'}")


@command.command("check")
@click.argument("scenarios", type=SCENARIO, nargs=-1, required=True, metavar="SCENARIO...")
def check(scenarios: tuple[str, ...]) -> None:
    """Check that scenarios can be used; the first that breaks a rule ends it with 2."""
    from mmwemu.scenario import reach, read
    from mmwemu.scenario.random_boxes import placed

    for name in scenarios:
        found = placed(read.load(name), seed=1)
        problem = reach.lte_problem(found)
        note = f"; not for LTE: {problem}" if problem else ""
        say(f"{name}: ok ({found.name}, {found.duration_s:g} s, {len(found.boxes)} boxes){note}")


@command.command("plot")
@click.argument("scenario", type=SCENARIO)
@click.option("-o", "--output", type=FilePath(), help="Picture to write.  [default: NAME.png]")
@_seed_option
def plot(scenario: str, output: Path | None, seed: int) -> None:
    """Draw the map: base station, boxes, route with LOS and NLOS parts."""
    from mmwemu.scenario import draw, read
    from mmwemu.scenario.random_boxes import placed

    found = placed(read.load(scenario), seed)
    output = output or Path(f"{found.name}.png")
    draw.plot(found, output)
    say(output)
