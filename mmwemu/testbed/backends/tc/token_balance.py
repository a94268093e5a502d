"""What a token bucket gave away or held back, and what makes up for it.

Every change of a tbf fills its bucket, and a bucket that is full when a wake-up comes late loses tokens. While packets
wait, both show as a difference between what was sent and the integral of the rate. The next step's rate takes it into
account; within a long step, setting the same rate again pays a bucket.
"""

from __future__ import annotations

import math

MOST_BUCKETS = 3  # owed at most, where packets waited for certain
_MOST = 2.0
_BYTE_BITS = 8


class TokenBalance:
    """The account of one direction.

    Attributes
    ----------
    owed_bytes
        What the link should have sent and has not, bytes; below 0 it has sent too much.
    """

    def __init__(self) -> None:
        self.owed_bytes = 0.0

    def settle(self, sent_bytes: float, capacity_bytes: float, most_bytes: float) -> None:
        """Enter what was sent since the last time and what the rate allowed.

        Parameters
        ----------
        sent_bytes, capacity_bytes
            Both since the last call.
        most_bytes
            No more than this is owed: what goes beyond is forgotten, as capacity that nobody used.
        """
        if not math.isfinite(capacity_bytes):
            self.owed_bytes = 0.0
            return
        self.owed_bytes = min(self.owed_bytes + capacity_bytes - sent_bytes, most_bytes)

    def rate_bps(self, rate_bps: float, lasts_s: float, gift_bytes: float) -> float:
        """Give the rate to set for a step so that the account comes to 0 at its end; 0 is to hold.

        Parameters
        ----------
        rate_bps
            What the pattern says.
        lasts_s
            How long the step lasts.
        gift_bytes
            What the change lets pass at once, bytes.
        """
        if not math.isfinite(rate_bps) or not math.isfinite(lasts_s) or lasts_s <= 0:
            return rate_bps
        correction_bps = (self.owed_bytes - gift_bytes) * _BYTE_BITS / lasts_s
        return min(max(rate_bps + correction_bps, 0.0), _MOST * rate_bps)
