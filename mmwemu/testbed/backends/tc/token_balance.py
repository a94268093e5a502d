"""The balance of tokens that a tbf released too early or lost, and the rate that settles it.

Every change of a tbf fills its bucket, and a full bucket loses tokens when a wake-up comes late, as it does while the
kernel has no processor for it. While packets wait, both show as a difference between the bytes sent and the integral of
the rate. The next step's rate takes it into account; within a long step, setting the same rate again pays a bucket, and
a higher rate for some ms pays more. Only the comparison of backend tc with tun needs this: it gets no more features.
"""

from __future__ import annotations

import math

_MOST = 2.0
_BYTE_BITS = 8


class TokenBalance:
    """The balance of one direction.

    Attributes
    ----------
    owed_bytes
        Bytes that the link should have sent and has not; negative if it has sent too many.
    """

    def __init__(self) -> None:
        self.owed_bytes = 0.0

    def settle(self, sent_bytes: float, capacity_bytes: float, most_bytes: float) -> None:
        """Enter the bytes sent and the capacity since the last call.

        Parameters
        ----------
        sent_bytes, capacity_bytes
            Both since the last call.
        most_bytes
            The most that may be owed; capacity beyond it counts as unused. Inf where packets certainly waited.
        """
        if not math.isfinite(capacity_bytes):
            self.owed_bytes = 0.0
            return
        self.owed_bytes = min(self.owed_bytes + capacity_bytes - sent_bytes, most_bytes)

    def rate_bps(self, rate_bps: float, lasts_s: float, gift_bytes: float) -> float:
        """Return the rate to set for a step so that the balance is 0 at its end; 0 means hold.

        Parameters
        ----------
        rate_bps
            What the pattern says.
        lasts_s
            How long the step lasts.
        gift_bytes
            Bytes that the change lets pass at once.
        """
        if not math.isfinite(rate_bps) or not math.isfinite(lasts_s) or lasts_s <= 0:
            return rate_bps
        correction_bps = (self.owed_bytes - gift_bytes) * _BYTE_BITS / lasts_s
        return min(max(rate_bps + correction_bps, 0.0), _MOST * rate_bps)
