"""Strict reader of scenarios in TOML; docs/formats/scenario.md describes the format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from mmwemu.core import paths
from mmwemu.core.bounds import HIGHEST_RATE_BPS, LONGEST_SCENARIO_S, LONGEST_TIMER_S
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_path
from mmwemu.core.tables import Table
from mmwemu.core.text import digits, parse_toml, read_text
from mmwemu.scenario import reach
from mmwemu.scenario.model import Box, Core, OutageRule, Point, RandomBoxes, Scenario
from mmwemu.scenario.places import FAR_M, point
from mmwemu.scenario.radio import read_lte, read_mmwave
from mmwemu.scenario.traffic import read_traffic
from mmwemu.scenario.ues import alone, read_ues

_SMALLEST_SIDE_M = 0.01
# Where the line of sight changes is looked for in steps of 1 ms, box by box.
_MOST_BOX_SECONDS, _MOST_BOXES = 36_000.0, 1_000


def shipped() -> dict[str, Path]:
    """Return the files of the scenarios that come with mmwemu, by name."""
    folder = paths.installed("data/scenarios")
    return {p.stem: p for p in sorted(folder.glob("*.toml"))} if folder else {}


def load(name_or_path: str) -> Scenario:
    """Read a scenario from a file, or a shipped one by its name or the part of its name before the first dash.

    Raises
    ------
    InputError
        If neither exists, or the content breaks a rule.
    """
    path = check_path(name_or_path)
    if path.is_file() or path.suffix == ".toml":
        return parse(read_text(path), str(path))
    known = shipped()
    for name, file in known.items():
        if name_or_path in (name, name.partition("-")[0]):
            return parse(read_text(file), file.name)
    raise InputError(name_or_path, f"is neither a file nor a shipped scenario; shipped: {', '.join(known)}")


def parse(text: str, where: str) -> Scenario:
    """Read a scenario from TOML text; ``where`` names it in errors.

    Raises
    ------
    InputError
        With file, key and rule, if the text breaks one.
    """
    return from_values(parse_toml(text, where), where)


def from_values(values: Mapping[str, Any], where: str) -> Scenario:
    """Read a scenario from the values of its file; ``where`` names it in errors.

    Raises
    ------
    InputError
        With file, key and rule, if a value breaks one.
    """
    top = Table(where, values)
    top.format()
    duration_s = top.number("duration_s", least=0.002, most=LONGEST_SCENARIO_S)
    radio = top.table("radio")
    station_m = _station(top.table("base_station", required=True))
    boxes = _boxes(top, duration_s)
    traffic = read_traffic(top.table("traffic"))
    ues = read_ues(top, duration_s, station_m, boxes, traffic)
    if len(boxes) * len(ues) * duration_s > _MOST_BOX_SECONDS:
        most = int(_MOST_BOX_SECONDS / duration_s / len(ues))
        rule = f"at most {most} for {len(ues)} UEs in {digits(duration_s)} s"
        raise top.refuse("boxes", f"has {len(boxes)} boxes; must have {rule}")
    scenario = Scenario(
        name=top.name("name"),
        title=top.title("title"),
        duration_s=duration_s,
        base_station_m=station_m,
        route=ues[0].route,
        boxes=boxes,
        random_boxes=_random_boxes(top.table("random_boxes"), duration_s, len(boxes))
        if "random_boxes" in top
        else None,
        mmwave=read_mmwave(radio.table("mmwave")),
        lte=read_lte(radio.table("lte")),
        traffic=traffic,
        core=_core(top.table("core")),
        outage=_outage(top.table("outage")),
        ues=ues,
    )
    if len(ues) == 1:
        (scenario,) = alone(scenario)
    problem = reach.lte_problem(scenario)
    if problem is not None and "lte" in radio:
        raise radio.refuse("lte.path_loss", problem)
    radio.finish()
    top.finish()
    if scenario.mmwave.uplink.share == 0 and any(ue.uplink_rate_bps > 0 for ue in ues):
        raise top.refuse("traffic.uplink_rate_bps", "is above 0; it needs radio.mmwave.uplink.share above 0, too")
    return scenario


def _station(table: Table) -> Point:
    position = point(table, "position_m")
    table.finish()
    return position


def _boxes(top: Table, duration_s: float) -> tuple[Box, ...]:
    tables = top.tables("boxes")
    most = _most_boxes(duration_s)
    if len(tables) > most:
        raise top.refuse("boxes", f"has {len(tables)} boxes; must have at most {most} in {digits(duration_s)} s")
    return tuple(map(_box, tables))


def _most_boxes(duration_s: float) -> int:
    return min(_MOST_BOXES, int(_MOST_BOX_SECONDS / duration_s))


def _random_boxes(table: Table, duration_s: float, listed: int) -> RandomBoxes:
    def span(key: str, least: float) -> tuple[float, float]:
        low, high = table.numbers(key, 2, least=least, most=FAR_M)
        if low > high:
            raise table.refuse(key, f"is [{digits(low)}, {digits(high)}]; must be the least and the most")
        return low, high

    boxes = RandomBoxes(
        count=table.integer("count", least=1, most=max(1, _most_boxes(duration_s) - listed)),
        x_m=span("x_m", -FAR_M),
        y_m=span("y_m", -FAR_M),
        width_m=span("width_m", _SMALLEST_SIDE_M),
        depth_m=span("depth_m", _SMALLEST_SIDE_M),
        height_m=span("height_m", _SMALLEST_SIDE_M),
        loss_db=_loss_db(table),
    )
    table.finish()
    return boxes


def _loss_db(table: Table) -> float:
    return table.number("loss_db", 0.0, least=0, most=300)


def _box(table: Table) -> Box:
    sides = {
        key: cast(tuple[float, float], table.numbers(key, 2, least=-FAR_M, most=FAR_M)) for key in ("x_m", "y_m", "z_m")
    }
    for key, (low, high) in sides.items():
        if low >= high:
            raise table.refuse(
                key, f"is [{digits(low)}, {digits(high)}]; the first must be less than the second (no volume)"
            )
    box = Box(**sides, name=table.title("name"), loss_db=_loss_db(table))
    table.finish()
    return box


def _core(table: Table) -> Core:
    core = Core(delay_s=table.number("delay_s", Core().delay_s, least=0, most=LONGEST_TIMER_S))
    table.finish()
    return core


def _outage(table: Table) -> OutageRule:
    rule = OutageRule(
        below_bps=table.number("below_bps", OutageRule().below_bps, least=0, most=HIGHEST_RATE_BPS),
        packets=cast(Literal["hold", "drop"], table.text("packets", OutageRule().packets, choices=("hold", "drop"))),
    )
    table.finish()
    return rule
