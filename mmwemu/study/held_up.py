"""What the computer rather than the link took from a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mmwemu.core.units import from_ns, ms
from mmwemu.link.room import room
from mmwemu.pattern.model import Floats
from mmwemu.probe.processor_waits import ProcessorWaits
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed
from mmwemu.testbed.topology import CORE

if TYPE_CHECKING:
    import pandas as pd

MOST_HELD_UP = 0.03
"""A run that was held up for more than this share of its time is CPU-bound."""


@dataclass(frozen=True)
class HeldUp:
    """How the computer held up the programs of a run; see docs/explanation/cpu-bound.md.

    Attributes
    ----------
    waited_s
        Time for which a program waited for a processor, that of the thread that waited longest at each moment, s; None
        if the kernel does not count that.
    stopped_s
        Time for which a program stood stopped, s.
    held_up_s
        The part of both in which the link had room, s: while its queue is never empty, nothing is lost.
    duration_s
        Time of the run.
    """

    waited_s: float | None
    stopped_s: float
    held_up_s: float
    duration_s: float

    @property
    def because(self) -> str:
        """Why the run is CPU-bound, empty if it is not."""
        if self.held_up_s <= MOST_HELD_UP * self.duration_s:
            return ""
        what = [*(["stood stopped"] if self.stopped_s else []), *(["waited for a processor"] if self.waited_s else [])]
        share = f"{ms(self.held_up_s):.0f} of {ms(self.duration_s):.0f} ms"
        return f"for {share} a program {' or '.join(what)} while the link had room"


def held_up(waits: ProcessorWaits, shares: Floats, begin_s: float, duration_s: float) -> HeldUp:
    """Sum up the waits of a run.

    Parameters
    ----------
    waits
        Between samples, n of them.
    shares
        The share of the link's capacity that was left, between the same samples [n]; see `mmwemu.link.room.room`.
    begin_s, duration_s
        The run, on the samples' clock.
    """
    edges_s = np.clip(waits.edges_s, begin_s, begin_s + duration_s)
    lengths_s = np.diff(waits.edges_s)
    inside = np.divide(np.diff(edges_s), lengths_s, out=np.zeros(len(lengths_s)), where=lengths_s > 0)
    unknown = bool(np.isnan(waits.waited_s).any())
    waited_s = np.nan_to_num(waits.waited_s)
    held_up_s = float((np.minimum(waited_s + waits.stopped_s, lengths_s) * shares * inside).sum())
    return HeldUp(
        waited_s=None if unknown else float((waited_s * inside).sum()),
        stopped_s=float((waits.stopped_s * inside).sum()),
        held_up_s=held_up_s,
        duration_s=duration_s,
    )


def room_of(testbed: Testbed, client: Place, telemetry: pd.DataFrame, times_s: Floats) -> Floats:
    """Return the room between a client and the server between times of CLOCK_MONOTONIC: that of the fuller link."""
    shares = np.ones(len(times_s) - 1)
    for number in (testbed.topology.link_of(client.number), CORE):
        if number in testbed.links and (epoch_ns := testbed.links[number].epoch_ns()):
            part = telemetry[telemetry["link"] == number]
            shares = np.minimum(shares, room(part, times_s - from_ns(float(epoch_ns))))
    return shares
