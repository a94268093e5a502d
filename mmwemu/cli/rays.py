"""mmwemu rays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import SIMULATION_SEED, Coordinates, FileOrName, FilePath, Number, Whole
from mmwemu.cli.output import json_option, print_json, print_table, progress, say
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    from mmwemu.rays.model import Rays
    from mmwemu.scenario.model import Point, Scenario

_CARRIER = Number("Hz", least=0.5e9, most=1e11)
_HEIGHT = Number("m", above=0.0, most=1000.0)
_output = click.option("-o", "--output", type=FilePath(), required=True, help="Rays to write (Parquet).")
_scenario_out = click.option(
    "--scenario-out", type=FilePath(), help="Write the scenario of the route as well, for mmwemu simulate."
)
_plot = click.option("--plot", type=FilePath(), help="Draw route and power, and the scene, into this picture as well.")


@click.group("rays")
def command() -> None:
    """Trace or import the paths along a route, for mmwemu simulate --rays."""


@command.command("trace")
@click.option("--scene", type=FileOrName(), required=True, help="Scene of Sionna RT such as munich, or Mitsuba's XML.")
@click.option("--route", type=FileOrName(), required=True,
              help="Scenario, or CSV with the columns time_s,x_m,y_m,z_m.")  # fmt: skip
@click.option("--base-station", "base_station_m", type=Coordinates(), metavar="X,Y,Z",
              help="Position, m; for a route in CSV.")  # fmt: skip
@click.option("--carrier-hz", type=_CARRIER, help="Carrier; for a route in CSV.  [default: 28e9]")
@click.option("--step-m", type=Number("m", least=0.001, most=1000.0), default=0.1, show_default=True,
              help="Distance between points.")  # fmt: skip
@click.option("--depth", type=Whole(least=0, most=20), default=3, show_default=True,
              help="Reflections and diffractions of a path, at most.")  # fmt: skip
@click.option("--samples", type=Whole(least=1, most=10_000_000), default=100_000, show_default=True,
              help="Directions that are tried from the base station.")  # fmt: skip
@click.option("--diffraction", is_flag=True, help="Bend paths around edges, too.")
@click.option("--seed", type=SIMULATION_SEED, default=1, show_default=True, help="Of those directions.")
@_output
@_scenario_out
@_plot
def trace(
    scene: str,
    route: str,
    base_station_m: Point | None,
    carrier_hz: float | None,
    step_m: float,
    depth: int,
    samples: int,
    diffraction: bool,
    seed: int,
    output: Path,
    scenario_out: Path | None,
    plot: Path | None,
) -> None:
    """Trace the paths to each point of a route in a scene, by Sionna RT; writes rays."""
    from mmwemu.core import figure
    from mmwemu.core.files import whole_file
    from mmwemu.rays import draw, parquet
    from mmwemu.rays.trace import Tracer, Tracing

    scenario = _route(route, base_station_m, carrier_hz)
    if plot:
        figure.check_path(plot)
    tracer = Tracer(scene, scenario)
    with whole_file(output) as draft:
        draft.touch()
        with progress() as on_progress:
            rays = tracer.trace(Tracing(step_m, depth, samples, diffraction, seed), on_progress)
        parquet.write(rays, draft)
    if plot:
        draw.plot(rays, plot, tracer.surfaces_m(), f"{scenario.name} in {scene}")
    _finish(rays, output, scenario, scenario_out)


@command.command("import")
@click.argument("source", type=FilePath())
@click.option("--carrier-hz", type=_CARRIER, help="Carrier.  [default: that of the file's direct paths]")
@click.option("--ue-height-m", type=_HEIGHT, default=1.5, show_default=True, help="Height of the first point.")
@click.option("--speed-mps", type=Number("m/s", above=0.0, most=1000.0), default=3.0, show_default=True,
              help="Speed along the route, in the scenario.")  # fmt: skip
@_output
@_scenario_out
@_plot
def import_rays(
    source: Path,
    carrier_hz: float | None,
    ue_height_m: float,
    speed_mps: float,
    output: Path,
    scenario_out: Path | None,
    plot: Path | None,
) -> None:
    """Import a ray file of the public ns3-mmwave module, eight lines a point; writes rays."""
    from mmwemu.core import figure
    from mmwemu.rays import draw, eight_lines, parquet, placing, walk

    if plot:
        figure.check_path(plot)
    points = eight_lines.load(source)
    rays = placing.place(points, carrier_hz, ue_height_m, str(source))
    scenario = walk.along(rays, speed_mps, scenario_out) if scenario_out else None
    parquet.save(rays, output)
    if plot:
        draw.plot(rays, plot, title=source.name)
    _finish(rays, output, scenario, scenario_out)


@command.command("show")
@click.argument("rays_file", type=FilePath(), metavar="RAYS")
@json_option
def show(rays_file: Path, as_json: bool) -> None:
    """Show what a file of rays holds."""
    from mmwemu.rays import parquet, summary

    found = summary.of(parquet.load(rays_file))
    if as_json:
        print_json(found)
    else:
        print_table((str(rays_file), ""), [(name, _shown(value)) for name, value in found.items()])


def _shown(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _route(route: str, base_station_m: Point | None, carrier_hz: float | None) -> Scenario:
    from mmwemu.rays import walk
    from mmwemu.scenario import read

    if Path(route).suffix == ".csv":
        if base_station_m is None:
            raise InputError("--base-station", f"is missing; {route} is a route without one")
        return walk.load(Path(route), base_station_m, carrier_hz or 28e9)
    if base_station_m is not None or carrier_hz is not None:
        option = "--base-station" if base_station_m is not None else "--carrier-hz"
        raise InputError(option, f"is for routes in CSV; scenario {route} has its own")
    return read.load(route)


def _finish(rays: Rays, output: Path, scenario: Scenario | None, scenario_out: Path | None) -> None:
    """Write the scenario if it was asked for, and print what was written."""
    from mmwemu.rays import walk

    counts = rays.first[1:] - rays.first[:-1]
    say(f"{output}: {len(rays.along_m)} points, {rays.along_m[-1]:.1f} m; {counts.min()} to {counts.max()} paths each")
    if scenario_out and scenario:
        walk.save(scenario, scenario_out)
        say(scenario_out)
