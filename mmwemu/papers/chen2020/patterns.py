"""The wireless link of Chen et al. 2020, which is measured there and has no cell: bare, blocked, and with random loss.

Section 4.1 gives the rate of the bare link, the starts of the blockages and the fall for the iron plate. How long the
blockages lasted, and what cardboard and a body leave of the rate, it does not say: these are ours. The quick study has
a link of 1 Gbit/s, which two processors carry, in place of one of 2.5 Gbit/s. Section 4.2 gives delay and losses.
"""

from __future__ import annotations

from mmwemu.papers.paper import Extent
from mmwemu.pattern.algebra import effects
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Pattern
from mmwemu.pattern.synthesis import blockages
from mmwemu.pattern.synthesis.blockages import Obstacle, Obstacles
from mmwemu.pattern.synthesis.lengths import Lengths

RATES_BPS: dict[Extent, float] = {"quick": 1e9, "full": blockages.RATE_BPS}
BLOCKED_S = 2.0
REMAINING: dict[Obstacle, float | None] = {"iron-plate": None, "cardboard": 0.7, "body": 0.5}
"""Share of the rate that remains; None: as measured."""

DELAY_S = 0.0005
"""Each way: a round trip of 1 ms."""

LOSSES = {f"loss-{percent}": percent / 100 for percent in (0.1, 0.3, 1, 3, 10)}
PACKETS_AT_ONCE = 45
"""Packets of 1500 bytes in a super-packet of 64 KB, which netem loses as one."""

AT_ONCE = "loss-1-at-once"
_DURATION_S = 60.0


def patterns(extent: Extent) -> dict[str, Pattern]:
    """Return the patterns of the study by name."""
    rate_bps = RATES_BPS[extent]
    blocked = Lengths("fixed", (BLOCKED_S,))
    found = {"bare": constant(rate_bps, _DURATION_S)}
    found |= {
        obstacle: blockages.generate(Obstacles(obstacle, blocked, remaining, rate_bps))
        for obstacle, remaining in REMAINING.items()
    }
    delayed = effects.delay(found["bare"], DELAY_S)
    losses = LOSSES | {AT_ONCE: LOSSES["loss-1"] / PACKETS_AT_ONCE}
    return found | {name: effects.loss(delayed, loss, "downlink") for name, loss in losses.items()}
