"""Reader of a scenario's cells."""

from __future__ import annotations

from typing import cast, get_args

from mmwemu.core.bounds import LONGEST_SCENARIO_S, LONGEST_TIMER_S
from mmwemu.core.tables import Table
from mmwemu.core.text import digits
from mmwemu.scenario.model import (
    Beam,
    BeamSearch,
    Evolution,
    Frame,
    LosChange,
    LtePathLoss,
    LteRadio,
    MmwaveRadio,
    PathLoss,
    Rlc,
    RlcMode,
    Scheduler,
    Tti,
    Uplink,
)

# The ranges of mmwemu-cell, which reads the same values (simulate/cell/core/config.cpp).
_SHORTEST_TIMER_S = 1e-6
_LARGEST_BUFFER_BYTES = 2**32 - 1
_MOST_ELEMENTS = 32
LEAST_UPLINK_SHARE, LARGEST_UPLINK_SHARE = 0.01, 0.9


def read_mmwave(table: Table) -> MmwaveRadio:
    """Return the mmWave cell that a scenario's table describes.

    Raises
    ------
    InputError
        With file, key and rule, if the table breaks one.
    """
    d = MmwaveRadio()
    rlc = table.table("rlc")
    layer = Rlc(
        poll_retransmit_s=_timer(rlc, "poll_retransmit_s", d.rlc.poll_retransmit_s),
        reordering_s=_timer(rlc, "reordering_s", d.rlc.reordering_s),
        status_prohibit_s=_timer(rlc, "status_prohibit_s", d.rlc.status_prohibit_s),
        mode=cast(RlcMode, rlc.text("mode", d.rlc.mode, choices=get_args(RlcMode))),
    )
    rlc.finish()
    radio = MmwaveRadio(
        carrier_hz=table.number("carrier_hz", d.carrier_hz, least=0.5e9, most=1e11),
        bandwidth_hz=table.number("bandwidth_hz", d.bandwidth_hz, least=50e6, most=4e9),
        power_dbm=table.number("power_dbm", d.power_dbm, least=-50, most=80),
        noise_figure_db=table.number("noise_figure_db", d.noise_figure_db, least=0, most=50),
        gnb_array=_array(table, "gnb_array", d.gnb_array),
        ue_array=_array(table, "ue_array", d.ue_array),
        path_loss=cast(PathLoss, table.text("path_loss", d.path_loss, choices=get_args(PathLoss))),
        beam=cast(Beam, table.text("beam", d.beam, choices=get_args(Beam))),
        frame=cast(Frame, table.text("frame", d.frame, choices=get_args(Frame))),
        tti=cast(Tti, table.text("tti", d.tti, choices=get_args(Tti))),
        scheduler=cast(Scheduler, table.text("scheduler", d.scheduler, choices=get_args(Scheduler))),
        uplink=_uplink(table.table("uplink")),
        harq=table.flag("harq", d.harq),
        processing_s=table.number("processing_s", d.processing_s, least=0, most=0.1),
        channel_update_s=table.number("channel_update_s", d.channel_update_s, least=0.001, most=LONGEST_SCENARIO_S),
        evolution=cast(Evolution, table.text("evolution", d.evolution, choices=get_args(Evolution))),
        los_change=cast(LosChange, table.text("los_change", d.los_change, choices=get_args(LosChange))),
        shadowing=table.flag("shadowing", d.shadowing),
        blockage=table.flag("blockage", d.blockage),
        beam_search=_beam_search(table.table("beam_search")),
        rlc_buffer_bytes=table.integer("rlc_buffer_bytes", d.rlc_buffer_bytes, most=_LARGEST_BUFFER_BYTES),
        rlc=layer,
    )
    if radio.evolution != "consistent":
        for key, value, other in (("los_change", "diffraction", radio.los_change), ("beam", "codebook", radio.beam)):
            if value == other:
                raise table.refuse(key, f'is "{value}"; it needs evolution = "consistent"')
    table.finish()
    return radio


def _beam_search(table: Table) -> BeamSearch:
    d = BeamSearch()
    search = BeamSearch(
        period_s=table.number("period_s", d.period_s, least=0.001, most=LONGEST_TIMER_S),
        sweep_s=table.number("sweep_s", d.sweep_s, least=0, most=LONGEST_TIMER_S),
        error_db=table.number("error_db", d.error_db, least=0, most=30),
    )
    if search.sweep_s >= search.period_s:
        raise table.refuse(
            "sweep_s", f"is {digits(search.sweep_s)}; must be less than period_s, {digits(search.period_s)}"
        )
    table.finish()
    return search


def _uplink(table: Table) -> Uplink:
    d = Uplink()
    uplink = Uplink(
        share=table.number("share", d.share, least=0, most=LARGEST_UPLINK_SHARE),
        power_dbm=table.number("power_dbm", d.power_dbm, least=-50, most=80),
        noise_figure_db=table.number("noise_figure_db", d.noise_figure_db, least=0, most=50),
    )
    if 0 < uplink.share < LEAST_UPLINK_SHARE:
        rule = f"must be 0 (no uplink) or at least {LEAST_UPLINK_SHARE}"
        raise table.refuse("share", f"is {digits(uplink.share)}; {rule}")
    table.finish()
    return uplink


def _timer(table: Table, key: str, default: float) -> float:
    return table.number(key, default, least=_SHORTEST_TIMER_S, most=LONGEST_TIMER_S)


def _array(table: Table, key: str, default: tuple[int, int]) -> tuple[int, int]:
    rows, columns = table.numbers(key, 2, default, least=1, most=_MOST_ELEMENTS)
    if rows != int(rows) or columns != int(columns):
        raise table.refuse(key, f"is [{digits(rows)}, {digits(columns)}]; must be two whole numbers (rows, columns)")
    return int(rows), int(columns)


def read_lte(table: Table) -> LteRadio:
    """Return the LTE cell that a scenario's table describes.

    Raises
    ------
    InputError
        With file, key and rule, if the table breaks one.
    """
    d = LteRadio()
    blocks = table.integer("resource_blocks", d.resource_blocks)
    if blocks not in (6, 15, 25, 50, 75, 100):
        raise table.refuse("resource_blocks", f"is {blocks}; LTE has 6, 15, 25, 50, 75 or 100")
    radio = LteRadio(
        resource_blocks=blocks,
        path_loss=cast(LtePathLoss, table.text("path_loss", d.path_loss, choices=get_args(LtePathLoss))),
        power_dbm=table.number("power_dbm", d.power_dbm, least=-50, most=80),
        rlc_buffer_bytes=table.integer("rlc_buffer_bytes", d.rlc_buffer_bytes, most=_LARGEST_BUFFER_BYTES),
    )
    table.finish()
    return radio
