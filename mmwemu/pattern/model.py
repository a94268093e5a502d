"""The pattern as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Outage = Literal["hold", "drop"]
End = Literal["loop", "hold", "stop"]


@dataclass(frozen=True)
class Direction:
    """One direction of a pattern, one value a step.

    Attributes
    ----------
    rate_bps
        Rate in bits of IP packets [n], bit/s; 0 is an outage, inf is unlimited.
    delay_s
        Delay added behind the bottleneck [n], s.
    loss
        Probability that a packet is lost [n], 0 to 1.
    """

    rate_bps: Floats
    delay_s: Floats
    loss: Floats


@dataclass(frozen=True)
class Pattern:
    """What a link does over time; step i holds from time_s[i] to the next step, the last to duration_s.

    Attributes
    ----------
    time_s
        Start of each step [n], s; the first is 0, strictly rising.
    duration_s
        End of the last step, s.
    downlink, uplink
        What each direction does.
    outage
        What happens to packets while the rate is 0: ``hold`` keeps them queued, ``drop`` loses them.
    end
        What follows the last step: ``loop`` from the start, ``hold`` the last step, ``stop`` with rate 0.
    meta
        Provenance: source, engine, seed, conversion.
    """

    time_s: Floats
    duration_s: float
    downlink: Direction
    uplink: Direction
    outage: Outage = "hold"
    end: End = "loop"
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.time_s)
        if n == 0:
            raise InputError("pattern", "has no rows; at least one step is needed")
        times = np.append(self.time_s, self.duration_s)
        if not np.all(np.isfinite(times)):
            raise InputError("pattern: time_s", "must be finite numbers")
        if self.time_s[0] != 0:
            raise InputError("pattern: time_s", f"starts at {self.time_s[0]:g}; the first step must start at 0")
        bad = np.flatnonzero(np.diff(times) <= 0)
        if bad.size:
            i = int(bad[0])
            raise InputError(
                f"pattern: row {i + 1}",
                f"time {times[i]:g} s is not before {times[i + 1]:g} s; times must rise strictly up to duration_s",
                i,
            )
        for name, direction in (("downlink", self.downlink), ("uplink", self.uplink)):
            _check(f"{name}_rate_bps", direction.rate_bps, n, "0 or more", direction.rate_bps >= 0)
            delay = direction.delay_s
            _check(f"{name}_delay_s", delay, n, "finite and 0 or more", (delay >= 0) & np.isfinite(delay))
            loss = direction.loss
            _check(f"{name}_loss", loss, n, "from 0 to 1", (loss >= 0) & (loss <= 1))
        if self.outage not in ("hold", "drop"):
            raise InputError("pattern: outage", f"is {self.outage!r}; must be hold or drop")
        if self.end not in ("loop", "hold", "stop"):
            raise InputError("pattern: end", f"is {self.end!r}; must be loop, hold or stop")

    def to_frame(self) -> pd.DataFrame:
        """Give the steps as a pandas DataFrame with the columns of the file format."""
        import pandas as pd

        columns = {"time_s": self.time_s}
        for name, direction in (("downlink", self.downlink), ("uplink", self.uplink)):
            columns[f"{name}_rate_bps"] = direction.rate_bps
            columns[f"{name}_delay_s"] = direction.delay_s
            columns[f"{name}_loss"] = direction.loss
        return pd.DataFrame(columns)


def _check(name: str, values: Floats, n: int, rule: str, good: NDArray[np.bool_]) -> None:
    if values.shape != (n,):
        raise InputError(f"pattern: {name}", f"has {values.size} values where time_s has {n}")
    bad = np.flatnonzero(~good | np.isnan(values))
    if bad.size:
        i = int(bad[0])
        raise InputError(f"pattern: row {i + 1}: {name}", f"is {values[i]:g}; must be {rule}", i)
