"""The shaper of one direction: its token balance, and the settings of its tbf over time."""

from __future__ import annotations

import math

from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.telemetry import BIN_S
from mmwemu.testbed.backends.tc import tbf as tbfs
from mmwemu.testbed.backends.tc.netem import Netem
from mmwemu.testbed.backends.tc.rtnetlink import Counters
from mmwemu.testbed.backends.tc.tbf import Tbf
from mmwemu.testbed.backends.tc.token_balance import TokenBalance

_NO_PACKETS = Counters(0, 0, 0, 0, 0)
# A long step spreads the correction over at least two samples, and over more until it keeps half of its rate.
_CORRECTED_SAMPLES = 2
# What setting the rate anew pays off, a bucket each sample; more takes a higher rate.
_REFILLED_BUCKETS = 2
_BYTE_BITS = 8


class Shaper:
    """One direction.

    A change of the rate fills the bucket. A short step has a rate that makes up for that and for the balance from
    before. A long one has such a rate for some ms, and then its own, which fills the bucket again; after that it is set
    anew whenever a bucket is owed, and has a higher rate for some ms when more is.

    Parameters
    ----------
    queue_bytes
        Size of the queue, bytes.

    Attributes
    ----------
    netem, tbf
        Their present settings.
    before
        The counters at the last `settle`.
    outage_drops
        Packets dropped in outages so far.
    lateness_s
        How late packets were at worst, since somebody set this to 0, that certainly waited for a tbf which slept too
        long: what was owed beyond a bucket, s.
    """

    def __init__(self, queue_bytes: int) -> None:
        self.netem: Netem | None = None
        self.tbf: Tbf | None = None
        self.before = _NO_PACKETS
        self.outage_drops = 0
        self.lateness_s = 0.0
        self._queue_bytes = queue_bytes
        self._balance = TokenBalance()
        self._rate_bps = math.nan
        self._bucket_bytes = 0.0
        self._corrected_samples = 0
        self._loses = False

    def settle(self, now: Counters, capacity_bytes: float, over_s: float) -> None:
        """Enter the bytes sent since ``before``, ``over_s`` ago, and the capacity since then into the balance."""
        sent_bytes = now.bytes - self.before.bytes
        self._balance.settle(sent_bytes, capacity_bytes, self._most_bytes(sent_bytes, now))
        late_bytes = self._balance.owed_bytes - self._slack_bytes
        # Where a step came late, its rate counts too.
        rate_bps = max(self._rate_bps, capacity_bytes * _BYTE_BITS / over_s if over_s > 0 else 0.0)
        if late_bytes > 0 and rate_bps > 0:
            self.lateness_s = max(self.lateness_s, late_bytes * _BYTE_BITS / rate_bps)
        if self._loses:
            self.outage_drops += now.drops - self.before.drops
        self.before = now

    def _most_bytes(self, sent_bytes: int, now: Counters) -> float:
        """Return the most that may be owed since ``before``: everything if packets certainly waited all the time."""
        if not self.before.backlog_bytes or not now.backlog_bytes or not self._bucket_bytes:
            return 0.0
        return math.inf if self.before.backlog_bytes > sent_bytes else self._bucket_bytes

    @property
    def _slack_bytes(self) -> float:
        return self._bucket_bytes + MTU_BYTES

    def wait(self) -> Tbf:
        """Return the setting before the beginning."""
        return tbfs.hold(self._queue_bytes)

    def step(self, rate_bps: float, lasts_s: float, to_sample_s: float, *, drops: bool) -> Tbf | None:
        """Return the setting for a new step, None if it stays.

        Parameters
        ----------
        rate_bps, lasts_s
            The rate, and for how long it stays; inf for long.
        to_sample_s
            Time to the next sample.
        drops
            Rate 0 drops arriving packets.
        """
        if rate_bps == self._rate_bps:
            return None
        self._rate_bps, self._corrected_samples = rate_bps, 0
        self._loses = rate_bps == 0 and drops
        if rate_bps == 0:
            return tbfs.lose(self._queue_bytes) if drops else tbfs.hold(self._queue_bytes)
        self._bucket_bytes = tbfs.bucket_bytes(rate_bps)
        if math.isinf(rate_bps):
            return tbfs.shape(rate_bps, self._queue_bytes)
        if not math.isinf(lasts_s):
            return self._shape(lasts_s, 1)
        return self._correct(to_sample_s)

    def sample(self) -> Tbf | None:
        """Return the setting within a step, at a sample; None if it stays."""
        if not self._rate_bps > 0 or math.isinf(self._rate_bps):
            return None
        own = tbfs.shape(self._rate_bps, self._queue_bytes)
        owed_bytes, most_bytes = self._balance.owed_bytes, _REFILLED_BUCKETS * self._bucket_bytes + MTU_BYTES
        if self._corrected_samples > 0:
            self._corrected_samples -= 1
            if self._corrected_samples > 0:
                return None
            return self._correct(BIN_S) if owed_bytes <= -self._slack_bytes or owed_bytes > most_bytes else own
        if self.tbf != own or owed_bytes <= self._slack_bytes:
            return None
        return own if owed_bytes <= most_bytes else self._correct(BIN_S)

    def _correct(self, to_sample_s: float) -> Tbf:
        gentle_s = 2 * 2 * self._bucket_bytes * _BYTE_BITS / self._rate_bps
        self._corrected_samples = max(_CORRECTED_SAMPLES, math.ceil(gentle_s / BIN_S))
        return self._shape(to_sample_s + (self._corrected_samples - 1) * BIN_S, 2)

    def _shape(self, lasts_s: float, fillings: int) -> Tbf:
        gift_bytes = min(self._bucket_bytes, self.before.backlog_bytes)
        rate_bps = self._balance.rate_bps(self._rate_bps, lasts_s, fillings * gift_bytes)
        return tbfs.shape(rate_bps, self._queue_bytes) if rate_bps > 0 else tbfs.hold(self._queue_bytes)
