"""milliProxy (Polese et al. 2017) at the base station, as the emulator is told it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MilliProxy:
    """What milliProxy knows and may do; the defaults are the paper's, which does not state the interval.

    Attributes
    ----------
    buffer_bytes
        Data of a connection that it can hold back.
    backlog_limit_bytes
        Queue of the client above which the window is made smaller by twice the queue.
    first_window_bytes
        Window before a round trip is known.
    information_interval_s, information_delay_s
        How often it is told rate and queue, and how old these are then.
    """

    buffer_bytes: int = 10_000_000
    backlog_limit_bytes: int = 2_000_000
    first_window_bytes: int = 400_000_000
    information_interval_s: float = 0.001
    information_delay_s: float = 0.0
