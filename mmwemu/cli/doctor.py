"""mmwemu doctor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from mmwemu.cli.output import json_option, print_json, print_table, progress, say
from mmwemu.core.errors import InputError
from mmwemu.core.units import mbps, ms

if TYPE_CHECKING:
    from mmwemu.core.requirements import Requirement
    from mmwemu.probe.calibrate import Calibration


@click.command("doctor")
@click.option("--calibrate", "wants_calibration", is_flag=True,
              help="Measure what the link can do on this machine, and remember it; takes below 10 s.")  # fmt: skip
@json_option
def command(wants_calibration: bool, as_json: bool) -> int:
    """Show what this machine can do and how to mend what it cannot.

    Ends with 3 if something the main job needs is missing.
    """
    if wants_calibration:
        return _calibrate(as_json)
    findings = _examine()
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        marks = {(True, True): "ok", (True, False): "ok", (False, True): "MISSING", (False, False): "absent"}
        rows = [
            (marks[f.found, f.required], f.what, f.detail[:50] if f.found else f"{f.remedy}   [{f.needed_for}]")
            for f in findings
        ]
        rows.append(_calibration_row())
        print_table(("", "what", "version, or how to get it [what needs it]"), rows)
    return 3 if any(f.required and not f.found for f in findings) else 0


def _examine() -> list[Requirement]:
    """Look for what every part needs, the required first."""
    from mmwemu.apps import registry
    from mmwemu.core.requirements import requirement, tool
    from mmwemu.rays import requirements as rays
    from mmwemu.simulate import registry as engines
    from mmwemu.testbed import requirements as testbed

    found = [*testbed.examine(), *rays.examine()]
    for name in engines.names():
        try:
            found += engines.load(name).requirements()
        except InputError as error:
            found.append(requirement(error.where, "simulate", None, error.problem))
    for name in registry.names():
        try:
            found += registry.load(name).requirements()
        except InputError as error:
            found.append(requirement(error.where, f"run {name}", None, error.problem))
    found += [tool("g++", "building from source", "g++"), tool("cmake", "building from source", "cmake")]
    return sorted(_merged(found), key=lambda one: not one.required)


def _merged(found: Iterable[Requirement]) -> list[Requirement]:
    """Return requirements with one for all that need the same."""
    by_name: dict[str, Requirement] = {}
    for one in found:
        same = by_name.setdefault(one.what, one)
        if same is not one:
            needed_for = f"{same.needed_for}, {one.needed_for}"
            by_name[one.what] = replace(same, needed_for=needed_for, required=same.required or one.required)
    return list(by_name.values())


def _calibration_row() -> tuple[str, str, str]:
    from mmwemu.probe.calibrate import remembered

    found = remembered()
    if found is None:
        return "absent", "calibration", "mmwemu doctor --calibrate   [a warning before runs that ask for too much]"
    return "ok", "calibration", f"{mbps(found.rate_bps):.0f} Mbit/s on {found.measured[:10]}"


def _calibrate(as_json: bool) -> int:
    from mmwemu.probe.calibrate import calibrate, keep

    with progress() as on_progress:
        calibration = calibrate(on_progress)
    path = keep(calibration)
    if as_json:
        print_json(asdict(calibration))
    else:
        _print(calibration)
        say(f"remembered: {path}")
    return 0


def _print(calibration: Calibration) -> None:
    rows = (
        ("highest rate carried truthfully", f"{mbps(calibration.rate_bps):.0f} Mbit/s"),
        ("lateness of packets under steps, 99 % / worst",
         f"{ms(calibration.lateness_p99_s):.2f} / {ms(calibration.lateness_max_s):.2f} ms"),
        ("lateness of timers, 99 % / worst",
         f"{ms(calibration.timer_p99_s):.2f} / {ms(calibration.timer_max_s):.2f} ms"),
    )  # fmt: skip
    print_table(("on this machine, as it is now", ""), rows, right=(1,))
