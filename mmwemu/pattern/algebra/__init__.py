"""Arithmetic on patterns: pure functions from patterns to a pattern, which says in its metadata what was done.

Where steps change, times become whole nanoseconds, as a link takes them, and equal neighbouring steps become one.
Effects on single packets are counted from the start of a replay, whatever the time, so they stay, but for `concat`.
"""

from mmwemu.pattern.algebra.blocking import blockage
from mmwemu.pattern.algebra.effects import delay, loss
from mmwemu.pattern.algebra.ensemble import ensemble
from mmwemu.pattern.algebra.joining import concat, join_uplink
from mmwemu.pattern.algebra.rates import clip, scale
from mmwemu.pattern.algebra.resampling import resample
from mmwemu.pattern.algebra.timeline import cut, repeat, shift, slow

__all__ = [
    "blockage",
    "clip",
    "concat",
    "cut",
    "delay",
    "ensemble",
    "join_uplink",
    "loss",
    "repeat",
    "resample",
    "scale",
    "shift",
    "slow",
]
