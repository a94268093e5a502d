"""Tracing of rays along the route of a scenario, by Sionna RT."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.names import is_name
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.core.text import cut, digits, printable
from mmwemu.rays import requirements
from mmwemu.rays.model import MOST_POINTS, Floats, Rays
from mmwemu.scenario import geometry
from mmwemu.scenario.model import Scenario

_POINTS_AT_ONCE = 16
_UE = "ue-{}"
_ANGLES = (
    ("departure_azimuth_deg", "phi_t"),
    ("departure_elevation_deg", "theta_t"),
    ("arrival_azimuth_deg", "phi_r"),
    ("arrival_elevation_deg", "theta_r"),
)


@dataclass(frozen=True)
class Tracing:
    """How rays are traced.

    Attributes
    ----------
    step_m
        Distance between points along the route.
    depth
        Reflections and diffractions of a path, at most.
    samples
        Directions that are tried from the base station.
    diffraction
        Whether paths are bent around edges.
    seed
        Of the directions.
    """

    step_m: float = 0.1
    depth: int = 3
    samples: int = 100_000
    diffraction: bool = False
    seed: int = 1


def scenes() -> dict[str, Path]:
    """Return the scenes that come with Sionna RT, by name.

    Raises
    ------
    MissingError
        If it is not installed, or cannot be used.
    """
    requirements.require()
    import sionna

    folder = Path(sionna.__path__[0]) / "rt" / "scenes"
    return {path.stem: path for path in sorted(folder.glob("*/*.xml")) if path.stem == path.parent.name}


class Tracer:
    """A scene with the base station of a scenario.

    Parameters
    ----------
    scene
        Name of a scene of Sionna RT, or a file of Mitsuba's XML format.
    scenario
        The route, the base station and the carrier.

    Raises
    ------
    InputError
        If there is no such scene, or it cannot be used at the carrier.
    MissingError
        If Sionna RT is not installed, or cannot be used.
    """

    def __init__(self, scene: str, scenario: Scenario) -> None:
        path = _find(scene)
        import mitsuba
        import sionna.rt as rt

        mitsuba.set_log_level(mitsuba.LogLevel.Error)
        self._name = path.stem
        self._scenario = scenario
        self._version = rt.__version__
        self._solver = rt.PathSolver()
        try:
            self._scene = rt.load_scene(str(path))
            self._scene.frequency = scenario.mmwave.carrier_hz
        except Exception as error:  # whatever a scene makes Mitsuba raise
            raise InputError(f"scene {scene}", f"cannot be used: {_line(error)}") from None
        isotropic = rt.PlanarArray(
            num_rows=1, num_cols=1, vertical_spacing=0.5, horizontal_spacing=0.5, pattern="iso", polarization="V"
        )
        self._scene.tx_array = self._scene.rx_array = isotropic
        self._scene.add(rt.Transmitter("base-station", position=list(scenario.base_station_m)))
        self._receiver = rt.Receiver

    def trace(self, tracing: Tracing, on_progress: OnProgress = ignore) -> Rays:
        """Return the rays to points along the whole route.

        Parameters
        ----------
        tracing
            How they are traced.
        on_progress
            Receives the progress; ``done`` and ``total`` are points.

        Raises
        ------
        InputError
            If there would be too many points or paths.
        MmwemuError
            If Sionna RT fails.
        """
        scenario = self._scenario
        length_m = float(geometry.along_m(scenario, np.array([scenario.duration_s]))[0])
        if length_m / tracing.step_m > MOST_POINTS - 2:
            problem = f"gives {length_m / tracing.step_m:.0f} points of {digits(length_m)} m"
            raise InputError("step", f"of {digits(tracing.step_m)} m {problem}; at most {MOST_POINTS} are traced")
        along_m = points_m(length_m, tracing.step_m)
        where_m = geometry.position_along_m(scenario, along_m)
        found: list[dict[str, Floats]] = []
        for start in range(0, len(along_m), _POINTS_AT_ONCE):
            on_progress(Progress("trace", start, len(along_m)))
            try:
                found += self._paths(where_m[start : start + _POINTS_AT_ONCE], tracing)
            except RuntimeError as error:
                raise MmwemuError(f"Sionna RT failed: {_line(error)}") from None
        on_progress(Progress("trace", len(along_m), len(along_m)))
        columns = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
        first = np.concatenate([[0], np.cumsum([len(one["delay_s"]) for one in found])]).astype(np.int64)
        x_m, y_m, z_m = where_m.T.copy()
        source = (
            f"sionna-rt {self._version}, scene {printable(self._name)}, depth {tracing.depth},"
            f" {tracing.samples} samples, diffraction {'on' if tracing.diffraction else 'off'}, seed {tracing.seed}"
        )
        carrier_hz = scenario.mmwave.carrier_hz
        return Rays(
            scenario.base_station_m, carrier_hz, along_m, x_m, y_m, z_m, first, source=source, **columns
        )  # fmt: skip

    def _paths(self, where_m: Floats, tracing: Tracing) -> list[dict[str, Floats]]:
        """Return the columns of the paths to each of some points [n, 3]."""
        for i, at in enumerate(where_m):
            if _UE.format(i) not in self._scene.receivers:
                self._scene.add(self._receiver(_UE.format(i), position=at.tolist()))
            self._scene.get(_UE.format(i)).position = at.tolist()
        for i in range(len(where_m), len(self._scene.receivers)):
            self._scene.remove(_UE.format(i))
        paths = self._solver(
            scene=self._scene,
            max_depth=tracing.depth,
            samples_per_src=tracing.samples,
            synthetic_array=True,
            los=True,
            specular_reflection=True,
            diffuse_reflection=False,
            refraction=False,
            diffraction=tracing.diffraction,
            seed=tracing.seed,
        )
        real, imaginary = (np.array(part, dtype=np.float64)[:, 0, 0, 0] for part in paths.a)
        coefficient = real + 1j * imaginary
        delay_s = np.array(paths.tau, dtype=np.float64)[:, 0]
        interactions = np.array(paths.interactions)[:, :, 0]
        angles = {name: np.degrees(np.array(getattr(paths, attribute), dtype=np.float64)[:, 0])
                  for name, attribute in _ANGLES}  # fmt: skip
        usable = np.array(paths.valid)[:, 0] & (np.abs(coefficient) > 0)
        return [
            _columns(usable[i], coefficient[i], delay_s[i], interactions[:, i], {k: v[i] for k, v in angles.items()},
                     self._scenario.mmwave.carrier_hz)
            for i in range(len(where_m))
        ]  # fmt: skip

    def surfaces_m(self) -> Floats:
        """Return the triangles of the scene, the positions of their corners [n, 3, 3], m."""
        corners_m = [np.zeros((0, 3, 3))]
        for shape in self._scene.mi_scene.shapes():
            if shape.is_mesh():
                vertices_m = np.array(shape.vertex_positions_buffer(), dtype=np.float64).reshape(-1, 3)
                corners_m.append(vertices_m[np.array(shape.faces_buffer()).reshape(-1, 3)])
        return np.concatenate(corners_m)


def points_m(length_m: float, step_m: float) -> Floats:
    """Return distances along a route [n], m: from 0 by ``step_m``, and its end."""
    inner = np.arange(math.ceil(length_m / step_m * (1 - 1e-9)), dtype=np.float64) * step_m
    return np.append(inner, length_m) if length_m > 0 else np.zeros(1)


def _find(scene: str) -> Path:
    known = scenes()
    if scene in known and is_name(scene):
        return known[scene]
    path = Path(scene)
    if path.suffix == ".xml" and path.is_file():
        return path
    raise InputError(f"scene {scene}", f"is neither a file (.xml) nor one of {', '.join(known)}")


def _columns(
    usable: np.ndarray[Any, np.dtype[np.bool_]],
    coefficient: np.ndarray[Any, np.dtype[np.complex128]],
    delay_s: Floats,
    interactions: np.ndarray[Any, np.dtype[np.uint32]],
    angles: dict[str, Floats],
    carrier_hz: float,
) -> dict[str, Floats]:
    """Return the columns of the usable paths [m] to one point, the first ones first.

    Sionna RT leaves the phase of the delay out of its coefficients, and gives elevations as angles from the zenith.
    """
    order = np.flatnonzero(usable)[np.argsort(delay_s[usable], kind="stable")]
    turns = np.angle(coefficient[order]) - 2 * np.pi * ((carrier_hz * delay_s[order]) % 1)
    columns = {
        "delay_s": delay_s[order],
        "gain_db": 20 * np.log10(np.abs(coefficient[order])),
        "phase_rad": turns,
        "direct": (interactions[:, order] == 0).all(axis=0).astype(np.float64),
    }
    for name, values in angles.items():
        columns[name] = 90.0 - values[order] if "elevation" in name else values[order]
    return columns


def _line(error: Exception) -> str:
    words = " ".join(printable(str(error)).split())
    return cut(words) or type(error).__name__
