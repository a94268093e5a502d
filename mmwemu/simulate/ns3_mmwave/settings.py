"""Settings of the driver: one record a line, a name and its values."""

from __future__ import annotations

import math

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.scenario import geometry
from mmwemu.scenario.model import Scenario
from mmwemu.simulate.config import config_text

_GRID_S = 0.001
# What a simulation may ask for and this engine does; any other record is a wish that it would silently leave out.
# Processing takes the module's own time.
_KNOWN = frozenset(
    (
        *("seed", "format", "rat", "duration_s", "base_station", "waypoint", "box", "core_delay_s"),
        *("rate_bps", "payload_bytes", "start_s", "power_dbm", "rlc_buffer_bytes", "carrier_hz", "bandwidth_hz"),
        *("noise_figure_db", "gnb_array", "ue_array", "path_loss", "beam", "frame", "harq", "channel_update_s"),
        "processing_s",
        *("poll_retransmit_s", "reordering_s", "status_prohibit_s", "shadowing"),
    )
)
# The module has frames of NR alone; slots of 125 us come nearest to those of 100 us of the legacy frame.
_NUMEROLOGY = {"legacy": 3, "numerology2": 2, "numerology3": 3}
_SMALLEST_PAYLOAD_BYTES = 12


def settings_text(scenario: Scenario, seed: int) -> str:
    """Return the settings of one simulation.

    Raises
    ------
    InputError
        If the scenario asks for something that the module, or our driver, cannot do.
    """
    if scenario.traffic.transport != "lite":
        problem = f"is {scenario.traffic.transport}; engine ns3-mmwave has UDP of its own: --transport lite"
        raise InputError("transport", problem)
    asked = [line.split()[0] for line in config_text(scenario, "mmwave", seed).splitlines()]
    if unknown := sorted(set(asked) - _KNOWN):
        raise InputError(f"scenario {scenario.name}", f"asks for {unknown[0]}, which engine ns3-mmwave does not have")
    if scenario.traffic.payload_bytes < _SMALLEST_PAYLOAD_BYTES:
        rule = f"engine ns3-mmwave needs packets of at least {_SMALLEST_PAYLOAD_BYTES} bytes"
        raise InputError(f"scenario {scenario.name}: traffic.payload_bytes", rule)
    radio, traffic = scenario.mmwave, scenario.traffic
    if radio.shadowing and radio.path_loss == "akdeniz":
        rule = "engine ns3-mmwave has shadowing with umi-street-canyon and uma only"
        raise InputError(f"scenario {scenario.name}: radio.mmwave.shadowing", rule)
    records: list[tuple[object, ...]] = [
        ("seed", seed),
        ("duration_s", scenario.duration_s),
        ("base_station", *scenario.base_station_m),
        *(("waypoint", point.time_s, *point.position_m) for point in scenario.route),
        *(("ray", *state) for state in ray_states(scenario)),
        ("rate_bps", traffic.rate_bps),
        ("start_s", traffic.start_s),
        ("core_delay_s", scenario.core.delay_s),
        ("payload_bytes", traffic.payload_bytes),
        ("power_dbm", radio.power_dbm),
        ("noise_figure_db", radio.noise_figure_db),
        ("carrier_hz", radio.carrier_hz),
        ("bandwidth_hz", radio.bandwidth_hz),
        ("rlc_buffer_bytes", radio.rlc_buffer_bytes),
        ("gnb_array", *radio.gnb_array),
        ("ue_array", *radio.ue_array),
        ("path_loss", radio.path_loss),
        ("beam", radio.beam),
        ("numerology", numerology(scenario)),
        ("harq", int(radio.harq)),
        ("channel_update_s", radio.channel_update_s),
        ("shadowing", int(radio.shadowing)),
        ("poll_retransmit_s", radio.rlc.poll_retransmit_s),
        ("reordering_s", radio.rlc.reordering_s),
        ("status_prohibit_s", radio.rlc.status_prohibit_s),
    ]
    return "".join(" ".join(map(str, record)) + "\n" for record in records)


def numerology(scenario: Scenario) -> int:
    """Return the numerology that stands for the scenario's frame."""
    return _NUMEROLOGY[scenario.mmwave.frame]


def ray_states(scenario: Scenario) -> list[tuple[float, int, float]]:
    """Return the states of the direct ray: start, s; 1 if free, else 0; loss of the obstacles that it crosses, dB."""
    time_s = np.arange(max(1, math.ceil(scenario.duration_s / _GRID_S)), dtype=np.float64) * _GRID_S
    free, loss_db = geometry.los(scenario, time_s), geometry.extra_loss_db(scenario, time_s)
    changes = np.flatnonzero(np.append(True, (np.diff(free.astype(int)) != 0) | (np.diff(loss_db) != 0)))
    return [(float(time_s[i].round(6)), int(free[i]), float(loss_db[i])) for i in changes]
