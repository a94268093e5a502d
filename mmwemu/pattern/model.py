"""Pattern dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import HIGHEST_RATE_BPS, LONGEST_DELAY_S, LONGEST_S, MOST_STEPS, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.core.units import NS_PER_S

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Outage = Literal["hold", "drop"]
End = Literal["loop", "hold", "stop"]
DirectionName = Literal["downlink", "uplink"]
Action = Literal["lose", "duplicate", "corrupt", "delay"]

# Effects on packets beside delay and plain loss, in the order of the file's columns.
EFFECTS = ("jitter_s", "duplication", "bit_error", "reordering", "gilbert_p", "gilbert_r", "loss_bad")
OPTIONAL = ("delay_s", "loss", *EFFECTS)


def _nothing() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True)
class Direction:
    """One direction of a pattern, one value per step.

    Attributes
    ----------
    rate_bps
        Rate in bits of IP packets [n], bit/s; 0 is an outage, inf is unlimited.
    delay_s
        Delay added behind the bottleneck [n], s.
    loss
        Probability that a packet is lost [n], 0 to 1; with a Gilbert-Elliott model, in its good state.
    jitter_s
        The delay of each packet is drawn uniformly from delay_s - jitter_s to delay_s + jitter_s, not below 0 [n], s.
        Packets keep their order: a packet that would overtake waits.
    duplication
        Probability that a packet is duplicated [n].
    bit_error
        Probability that a bit of a packet is inverted [n], independent of other bits.
    reordering
        Probability that a packet skips delay_s and so overtakes earlier ones [n], as in netem's ``reorder``.
    gilbert_p, gilbert_r, loss_bad
        Bursts of loss (Gilbert 1960; Elliott 1963): after each packet a good state turns bad with gilbert_p, a bad one
        good with gilbert_r; in the bad state a packet is lost with loss_bad [n]. They are p, r and 1-h of netem's
        ``gemodel``, whose 1-k is ``loss``. Where p and r are 0, the state is good.

    Empty arrays stand for 0 in all steps.
    """

    rate_bps: Floats
    delay_s: Floats
    loss: Floats
    jitter_s: Floats = field(default_factory=_nothing)
    duplication: Floats = field(default_factory=_nothing)
    bit_error: Floats = field(default_factory=_nothing)
    reordering: Floats = field(default_factory=_nothing)
    gilbert_p: Floats = field(default_factory=_nothing)
    gilbert_r: Floats = field(default_factory=_nothing)
    loss_bad: Floats = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        for name in EFFECTS:
            if getattr(self, name).size == 0:
                object.__setattr__(self, name, np.zeros(len(self.rate_bps)))


@dataclass(frozen=True)
class PacketEvent:
    """An effect on one packet, selected by its number and not by time.

    Attributes
    ----------
    direction
        ``downlink`` or ``uplink``.
    number
        Position from 1 in the order of arrival at the bottleneck; a loop of the pattern does not restart the count.
    action
        ``lose``, ``duplicate``, ``corrupt`` (one bit) or ``delay`` (this packet only, so that others overtake it).
    delay_s
        Extra delay with ``delay``, s.
    """

    direction: DirectionName
    number: int
    action: Action
    delay_s: float = 0.0

    def __post_init__(self) -> None:
        if self.direction not in get_args(DirectionName):
            raise InputError("direction", f"is {self.direction!r}; must be {' or '.join(get_args(DirectionName))}")
        if not 1 <= self.number < 2**63:
            raise InputError("number", f"is {self.number}; packets are counted from 1")
        if self.action not in get_args(Action):
            raise InputError("action", f"is {self.action!r}; must be one of {', '.join(get_args(Action))}")
        if not 0 <= self.delay_s <= LONGEST_DELAY_S or (self.delay_s > 0) != (self.action == "delay"):
            problem = (
                f"is {digits(self.delay_s)}; must be above 0 and at most {digits(LONGEST_DELAY_S)} with delay, else 0"
            )
            raise InputError("delay_s", problem)


@dataclass(frozen=True)
class Pattern:
    """Settings of a link over time; step i holds from time_s[i] to the next step, the last one to duration_s.

    Attributes
    ----------
    time_s
        Start of each step [n], s, strictly rising from 0.
    duration_s
        End of the last step, s.
    downlink, uplink
        Settings of each direction.
    outage
        Treatment of packets while the rate is 0: ``hold`` keeps them queued, ``drop`` loses them.
    end
        Behaviour after the last step: ``loop`` from the start, ``hold`` the last step, ``stop`` with rate 0.
    meta
        Provenance: source, engine, seed, conversion.
    packets
        Effects on single packets, by number.
    """

    time_s: Floats
    duration_s: float
    downlink: Direction
    uplink: Direction
    outage: Outage = "hold"
    end: End = "loop"
    meta: Mapping[str, Any] = field(default_factory=dict)
    packets: tuple[PacketEvent, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.time_s)
        if n == 0:
            raise InputError("pattern", "has no rows; at least one step is needed")
        times = np.append(self.time_s, self.duration_s)
        if not np.all(np.isfinite(times)):
            raise InputError("pattern: time_s", "must be finite numbers")
        if self.time_s[0] != 0:
            raise InputError("pattern: time_s", f"starts at {digits(self.time_s[0])}; the first step must start at 0")
        bad = np.flatnonzero(np.diff(times) <= 0)
        if bad.size:
            i = int(bad[0])
            raise InputError(
                f"pattern: row {i + 1}",
                f"time {digits(times[i])} s is not before {digits(times[i + 1])} s;"
                " times must rise strictly up to duration_s",
                i,
            )
        if n > MOST_STEPS:
            raise InputError("pattern", f"has {n} steps; must have at most {MOST_STEPS}")
        if self.duration_s > LONGEST_S:
            raise InputError(
                "pattern: duration_s", f"is {digits(self.duration_s)}; must be at most {digits(LONGEST_S)}"
            )
        # A link takes times in whole nanoseconds.
        short = np.flatnonzero(np.diff(np.rint(times * NS_PER_S)) < SHORTEST_STEP_S * NS_PER_S)
        if short.size:
            i = int(short[0])
            problem = f"lasts {times[i + 1] - times[i]:.4g} s; a step must last at least {digits(SHORTEST_STEP_S)} s"
            raise InputError(f"pattern: row {i + 1}", problem, i)
        for name, direction in (("downlink", self.downlink), ("uplink", self.uplink)):
            rate_bps = direction.rate_bps
            good = ((rate_bps >= 0) & (rate_bps <= HIGHEST_RATE_BPS)) | np.isposinf(rate_bps)
            _check(f"{name}_rate_bps", rate_bps, n, f"from 0 to {digits(HIGHEST_RATE_BPS)}, or inf", good)
            for key in OPTIONAL:
                values: Floats = getattr(direction, key)
                if key.endswith("_s"):
                    good = (values >= 0) & (values <= LONGEST_DELAY_S)
                    _check(f"{name}_{key}", values, n, f"from 0 to {digits(LONGEST_DELAY_S)}", good)
                else:
                    _check(f"{name}_{key}", values, n, "from 0 to 1", (values >= 0) & (values <= 1))
        if self.outage not in ("hold", "drop"):
            raise InputError("pattern: outage", f"is {self.outage!r}; must be hold or drop")
        if self.end not in ("loop", "hold", "stop"):
            raise InputError("pattern: end", f"is {self.end!r}; must be loop, hold or stop")

    def columns(self) -> dict[str, Floats]:
        """Return the columns of the file format by name, each [n]."""
        columns = {"time_s": self.time_s}
        for name, direction in (("downlink", self.downlink), ("uplink", self.uplink)):
            columns[f"{name}_rate_bps"] = direction.rate_bps
            columns |= {f"{name}_{key}": getattr(direction, key) for key in OPTIONAL}
        return columns

    def to_frame(self) -> pd.DataFrame:
        """Return the steps as a pandas DataFrame with the columns of the file format."""
        import pandas as pd

        return pd.DataFrame(self.columns())


def _check(name: str, values: Floats, n: int, rule: str, good: NDArray[np.bool_]) -> None:
    if values.shape != (n,):
        raise InputError(f"pattern: {name}", f"has {values.size} values where time_s has {n}")
    bad = np.flatnonzero(~good | np.isnan(values))
    if bad.size:
        i = int(bad[0])
        raise InputError(f"pattern: row {i + 1}: {name}", f"is {digits(values[i])}; must be {rule}", i)
