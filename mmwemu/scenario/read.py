"""Strict reader of scenarios in TOML; docs/formats/scenario.md describes the format."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast, get_args

from mmwemu.core import paths
from mmwemu.core.errors import InputError
from mmwemu.core.tables import Table, read_text
from mmwemu.scenario.model import (
    Beam,
    Box,
    Core,
    Frame,
    LteRadio,
    MmwaveRadio,
    OutageRule,
    PathLoss,
    Point,
    RlcTimers,
    Scenario,
    Traffic,
    Waypoint,
)


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
    path = Path(name_or_path)
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
    top = Table.parse(where, text)
    top.format()
    duration_s = top.number("duration_s", above=0)
    radio = top.table("radio")
    scenario = Scenario(
        name=top.text("name"),
        title=top.text("title", ""),
        duration_s=duration_s,
        base_station_m=_station(top.table("base_station", required=True)),
        route=_route(top, duration_s),
        boxes=tuple(_box(table) for table in top.tables("boxes")),
        mmwave=_mmwave(radio.table("mmwave")),
        lte=_lte(radio.table("lte")),
        traffic=_traffic(top.table("traffic")),
        core=_core(top.table("core")),
        outage=_outage(top.table("outage")),
    )
    radio.finish()
    top.finish()
    return scenario


def _station(table: Table) -> Point:
    position = _point(table, "position_m")
    table.finish()
    return position


def _point(table: Table, key: str) -> Point:
    point = cast(Point, table.numbers(key, 3))
    if point[2] <= 0:
        raise table.refuse(f"{key}[2]", f"is {point[2]:g}; the height must be above 0")
    return point


def _route(top: Table, duration_s: float) -> tuple[Waypoint, ...]:
    route: list[Waypoint] = []
    for table in top.tables("route"):
        waypoint = Waypoint(table.number("time_s", least=0), _point(table, "position_m"))
        if not route and waypoint.time_s != 0:
            raise table.refuse("time_s", f"is {waypoint.time_s:g}; the route must start at 0")
        if route and waypoint.time_s <= route[-1].time_s:
            raise table.refuse(
                "time_s", f"is {waypoint.time_s:g}, not after {route[-1].time_s:g}; a route must not run backwards"
            )
        if waypoint.time_s > duration_s:
            raise table.refuse("time_s", f"is {waypoint.time_s:g}, after the end of the scenario at {duration_s:g}")
        table.finish()
        route.append(waypoint)
    if not route:
        raise top.refuse("route", "has no waypoint; at least one [[route]] is needed")
    return tuple(route)


def _box(table: Table) -> Box:
    sides = {key: cast(tuple[float, float], table.numbers(key, 2)) for key in ("x_m", "y_m", "z_m")}
    for key, (low, high) in sides.items():
        if low >= high:
            raise table.refuse(key, f"is [{low:g}, {high:g}]; the first must be less than the second (no volume)")
    box = Box(**sides, name=table.text("name", ""), loss_db=table.number("loss_db", 0.0, least=0))
    table.finish()
    return box


def _mmwave(table: Table) -> MmwaveRadio:
    d = MmwaveRadio()
    rlc = table.table("rlc")
    timers = RlcTimers(
        poll_retransmit_s=rlc.number("poll_retransmit_s", d.rlc.poll_retransmit_s, above=0),
        reordering_s=rlc.number("reordering_s", d.rlc.reordering_s, above=0),
        status_prohibit_s=rlc.number("status_prohibit_s", d.rlc.status_prohibit_s, above=0),
    )
    rlc.finish()
    radio = MmwaveRadio(
        carrier_hz=table.number("carrier_hz", d.carrier_hz, least=0.5e9),
        bandwidth_hz=table.number("bandwidth_hz", d.bandwidth_hz, least=50e6),
        power_dbm=table.number("power_dbm", d.power_dbm),
        noise_figure_db=table.number("noise_figure_db", d.noise_figure_db, least=0),
        gnb_array=_array(table, "gnb_array", d.gnb_array),
        ue_array=_array(table, "ue_array", d.ue_array),
        path_loss=cast(PathLoss, table.text("path_loss", d.path_loss, choices=get_args(PathLoss))),
        beam=cast(Beam, table.text("beam", d.beam, choices=get_args(Beam))),
        frame=cast(Frame, table.text("frame", d.frame, choices=get_args(Frame))),
        harq=table.flag("harq", d.harq),
        channel_update_s=table.number("channel_update_s", d.channel_update_s, above=0),
        rlc_buffer_bytes=table.integer("rlc_buffer_bytes", d.rlc_buffer_bytes),
        rlc=timers,
    )
    table.finish()
    return radio


def _array(table: Table, key: str, default: tuple[int, int]) -> tuple[int, int]:
    rows, columns = table.numbers(key, 2, default)
    if min(rows, columns) < 1 or rows != int(rows) or columns != int(columns):
        raise table.refuse(key, f"is [{rows:g}, {columns:g}]; must be two whole numbers from 1 on (rows, columns)")
    return int(rows), int(columns)


def _lte(table: Table) -> LteRadio:
    d = LteRadio()
    blocks = table.integer("resource_blocks", d.resource_blocks)
    if blocks not in (6, 15, 25, 50, 75, 100):
        raise table.refuse("resource_blocks", f"is {blocks}; LTE has 6, 15, 25, 50, 75 or 100")
    radio = LteRadio(
        resource_blocks=blocks,
        power_dbm=table.number("power_dbm", d.power_dbm),
        rlc_buffer_bytes=table.integer("rlc_buffer_bytes", d.rlc_buffer_bytes),
    )
    table.finish()
    return radio


def _traffic(table: Table) -> Traffic:
    d = Traffic()
    traffic = Traffic(
        rate_bps=table.number("rate_bps", d.rate_bps, above=0),
        payload_bytes=table.integer("payload_bytes", d.payload_bytes),
        start_s=table.number("start_s", d.start_s, least=0),
    )
    if traffic.payload_bytes > 1472:
        raise table.refuse("payload_bytes", f"is {traffic.payload_bytes}; at most 1472 fit a 1500-byte packet")
    table.finish()
    return traffic


def _core(table: Table) -> Core:
    core = Core(delay_s=table.number("delay_s", Core().delay_s, least=0))
    table.finish()
    return core


def _outage(table: Table) -> OutageRule:
    rule = OutageRule(
        below_bps=table.number("below_bps", OutageRule().below_bps, least=0),
        packets=cast(Literal["hold", "drop"], table.text("packets", OutageRule().packets, choices=("hold", "drop"))),
    )
    table.finish()
    return rule
