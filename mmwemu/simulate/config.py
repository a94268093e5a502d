"""Configuration text of ``mmwemu-cell``: one record per line, a name and its values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict

import numpy as np

from mmwemu.rays.model import Rays
from mmwemu.scenario.model import LteRadio, MmwaveRadio, Rat, Rlc, Scenario, Tcp, Traffic, Waypoint
from mmwemu.scenario.random_boxes import placed

FORMAT = 1

_CHANNEL_RECORDS = (
    *("base_station", "waypoint", "box", "carrier_hz", "bandwidth_hz", "gnb_array", "ue_array", "path_loss"),
    *("beam", "beam_search", "channel_update_s", "evolution", "los_change", "shadowing", "blockage"),
)

# This record had no effect and is gone; it stays in the hash so that hashes in existing patterns remain true.
_RETIRED_MMWAVE_RECORDS = "report_buffer_s 0.004\n"

_POINT_VALUES = ("along_m", "x_m", "y_m", "z_m")
_PATH_VALUES = ("delay_s", "gain_db", "phase_rad", "departure_azimuth_deg", "departure_elevation_deg",
                "arrival_azimuth_deg", "arrival_elevation_deg", "direct")  # fmt: skip


def config_text(scenario: Scenario, rat: Rat, seed: int, files: Mapping[str, str] | None = None) -> str:
    """Return the configuration of one simulation, with the records of this RAT only.

    ``files`` names further files by the record that names them: ``rays``, ``channel_in``, ``channel_out``; and the
    ``channel_hash`` that the last two need.

    Raises
    ------
    InputError
        If the scenario's random boxes find no room.
    """
    further = "".join(f"{name} {value}\n" for name, value in (files or {}).items())
    return f"seed {seed}\n{_without_seed(placed(scenario, seed), rat)}{further}"


def scenario_hash(scenario: Scenario, rat: Rat, rays: Rays | None = None) -> str:
    """Return the SHA-256, in hex, of the configuration without the seed; equal hashes mean equal scenarios and rays."""
    retired = _RETIRED_MMWAVE_RECORDS if rat == "mmwave" else ""
    own = hashlib.sha256((_without_seed(scenario, rat) + retired).encode())
    if rays is not None:
        own.update(rays_text(rays).encode())
    return own.hexdigest()


def channel_hash(scenario: Scenario, rays: Rays | None = None) -> str:
    """Return the SHA-256, in hex, of all that shapes the mmWave channel but the seed and the duration.

    Power, noise, traffic and RLC are not part of it, nor the frame of a channel that is drawn anew each 100 ms.
    """
    records = [line for line in _without_seed(scenario, "mmwave").splitlines() if line.split()[0] in _CHANNEL_RECORDS]
    if scenario.mmwave.evolution == "consistent":
        records.append(f"frame {scenario.mmwave.frame}")
    own = hashlib.sha256("\n".join(records).encode())
    if rays is not None:
        own.update(rays_text(rays).encode())
    return own.hexdigest()


def rays_text(rays: Rays) -> str:
    """Return rays as ``mmwemu-cell`` reads them: a record for each point, one for each of its paths after it."""
    points = np.stack([getattr(rays, name) for name in _POINT_VALUES], axis=-1).tolist()
    paths = np.stack([getattr(rays, name) for name in _PATH_VALUES], axis=-1).tolist()
    lines: list[str] = []
    for i, point in enumerate(points):
        lines.append(f"point {' '.join(map(repr, point))}")
        lines += [f"ray {' '.join(map(repr, path))}" for path in paths[rays.first[i] : rays.first[i + 1]]]
    return "\n".join(lines) + "\n"


def _without_seed(scenario: Scenario, rat: Rat) -> str:
    lines: list[str] = []

    def record(name: str, *values: float | str) -> None:
        lines.append(" ".join([name, *(v if isinstance(v, str) else _number(v) for v in values)]))

    def waypoints(route: tuple[Waypoint, ...]) -> None:
        for waypoint in route:
            record("waypoint", waypoint.time_s, *waypoint.position_m)

    record("format", FORMAT)
    record("rat", rat)
    record("duration_s", scenario.duration_s)
    record("base_station", *scenario.base_station_m)
    for ue in scenario.ues:
        record("ue", ue.rate_bps, ue.uplink_rate_bps, ue.start_s)
        waypoints(ue.route)
    if not scenario.ues:
        waypoints(scenario.route)
    for box in scenario.boxes:
        record("box", *box.x_m, *box.y_m, *box.z_m, box.loss_db)
    if scenario.random_boxes:  # in the hash alone
        for key, value in asdict(scenario.random_boxes).items():
            record(f"random_boxes_{key}", *(value if isinstance(value, tuple) else (value,)))
    traffic = scenario.traffic
    record("rate_bps", traffic.rate_bps)
    record("payload_bytes", traffic.payload_bytes)
    record("start_s", traffic.start_s)
    record("core_delay_s", scenario.core.delay_s)
    # A setting that came later has no record where it has its default, so that hashes of older scenarios remain true.
    if traffic.transport != Traffic.transport:
        record("transport", traffic.transport)
    if traffic.transport == "tcp":
        _tcp(record, traffic.tcp)
    if rat == "mmwave" and traffic.uplink_rate_bps != Traffic.uplink_rate_bps:
        record("uplink_rate_bps", traffic.uplink_rate_bps)
    radio = scenario.mmwave if rat == "mmwave" else scenario.lte
    record("power_dbm", radio.power_dbm)
    record("rlc_buffer_bytes", radio.rlc_buffer_bytes)
    if rat == "lte":
        record("resource_blocks", scenario.lte.resource_blocks)
        if scenario.lte.path_loss != LteRadio.path_loss:
            record("lte_path_loss", scenario.lte.path_loss)
        return "\n".join(lines) + "\n"
    mmwave, rlc = scenario.mmwave, scenario.mmwave.rlc
    record("carrier_hz", mmwave.carrier_hz)
    record("bandwidth_hz", mmwave.bandwidth_hz)
    record("noise_figure_db", mmwave.noise_figure_db)
    record("gnb_array", *mmwave.gnb_array)
    record("ue_array", *mmwave.ue_array)
    record("path_loss", mmwave.path_loss)
    record("beam", mmwave.beam)
    record("frame", mmwave.frame)
    if mmwave.tti != MmwaveRadio.tti:
        record("tti", mmwave.tti)
    if mmwave.scheduler != MmwaveRadio.scheduler:
        record("scheduler", mmwave.scheduler)
    if mmwave.uplink.share > 0:
        record("uplink", mmwave.uplink.share, mmwave.uplink.power_dbm, mmwave.uplink.noise_figure_db)
    record("harq", int(mmwave.harq))
    if mmwave.processing_s > 0:
        record("processing_s", mmwave.processing_s)
    if rlc.mode != Rlc.mode:
        record("rlc_mode", rlc.mode)
    record("channel_update_s", mmwave.channel_update_s)
    if mmwave.evolution != MmwaveRadio.evolution:
        record("evolution", mmwave.evolution)
    if mmwave.los_change != MmwaveRadio.los_change:
        record("los_change", mmwave.los_change)
    if mmwave.shadowing:
        record("shadowing", 1)
    if mmwave.blockage:
        record("blockage", 1)
    if mmwave.beam == "codebook":
        record("beam_search", mmwave.beam_search.period_s, mmwave.beam_search.sweep_s, mmwave.beam_search.error_db)
    record("poll_retransmit_s", rlc.poll_retransmit_s)
    record("reordering_s", rlc.reordering_s)
    record("status_prohibit_s", rlc.status_prohibit_s)
    return "\n".join(lines) + "\n"


def _tcp(record: Callable[..., None], tcp: Tcp) -> None:
    record("congestion_control", tcp.congestion_control)
    record("send_buffer_bytes", tcp.send_buffer_bytes)
    record("receive_buffer_bytes", tcp.receive_buffer_bytes)
    record("initial_window", tcp.initial_window)
    record("delayed_ack", tcp.delayed_ack)
    record("pacing", int(tcp.pacing))
    record("sack", int(tcp.sack))
    if tcp.proxy.kind == "milliproxy":
        own = tcp.proxy
        record(
            "milliproxy", own.buffer_bytes, own.backlog_limit_bytes, own.information_interval_s, own.information_delay_s
        )
    if tcp.proxy.kind == "split":
        record("split_proxy", 1)
    record("min_rto_s", tcp.min_rto_s)
    record("file_bytes", tcp.file_bytes)


def _number(value: float) -> str:
    """Write a number so that it is read as the same number; 5 and 5.0 alike."""
    whole = float(value).is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else repr(float(value))
