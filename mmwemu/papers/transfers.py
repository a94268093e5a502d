"""Table of transfers of files, by each variant of sending: the model's, those simulated, and those over Linux's TCP."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.model import slowstart
from mmwemu.papers.variant import Variant

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.trace.model import Trace

COLUMNS = (
    "by", "variant", "size_bytes", "repetition", "rate_bps", "goodput_bps", "valid", "status", "cpu_bound",
)  # fmt: skip
_GOOD = {"valid": True, "status": "ok", "cpu_bound": False}
_SEGMENT_BYTES = 1460
_FIRST_WINDOW = 10
# Of a download over HTTP: handshake, and request until the first byte.
_SETUP_ROUND_TRIPS = 2


@dataclass(frozen=True)
class Path:
    """The rate of the bottleneck for payload, bit/s, and the round trip without queues, s."""

    rate_bps: float
    round_trip_s: float


def table_of(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a table with the columns `COLUMNS`.

    ``by`` is ``model``, ``simulation`` or ``linux``; ``repetition`` the seed, or that of the study. ``rate_bps`` is the
    size over the time from the first byte's arrival to the last one's, over Linux two round trips after the opening of
    the connection; ``goodput_bps`` counts from that opening, and is not known of the model.
    """
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(COLUMNS))


def of_model(path: Path, variants: Sequence[Variant], sizes_bytes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield a row for each size, and each variant that begins with the kernel's window or with one of rate x RTT."""
    full = path.rate_bps / 8 * path.round_trip_s
    for variant in variants:
        if variant.model is None:
            continue
        window = full if variant.model == "bdp" else _FIRST_WINDOW * _SEGMENT_BYTES
        for size in sizes_bytes:
            transfer = slowstart.Transfer(size, path.rate_bps, path.round_trip_s, window)
            rate = 8 * size / float(slowstart.time_s(transfer))
            yield {
                "by": "model",
                "variant": variant.name,
                "size_bytes": size,
                "repetition": 0,
                "rate_bps": rate,
                **_GOOD,
            }


def of_trace(variant: str, trace: Trace, start_s: float, sizes_bytes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield a row for each size that arrived in one simulated transfer, which began at ``start_s``.

    A file is the first bytes of a larger one: the sender cannot know which it sends.

    Raises
    ------
    InputError
        If nothing arrived.
    """
    arrived = np.cumsum(trace.throughput_bps) * trace.bin_s / 8
    if not arrived[-1] > 0:
        raise InputError(f"{variant}: the simulated transfer", "brought nothing")
    first_s = float(trace.time_s[int(np.argmax(arrived > 0))])
    for size in sizes_bytes:
        if arrived[-1] < size - 1:
            continue
        i = int(np.searchsorted(arrived, size - 1))
        before = float(arrived[i - 1]) if i else 0.0
        # Within the bin, bytes are taken to arrive evenly.
        end_s = float(trace.time_s[i]) + trace.bin_s * min(1.0, (size - before) / float(arrived[i] - before))
        yield {
            "by": "simulation", "variant": variant, "size_bytes": size, "repetition": trace.meta.get("seed", 0),
            "rate_bps": 8 * size / (end_s - first_s), "goodput_bps": 8 * size / (end_s - start_s), **_GOOD,
        }  # fmt: skip


def of_runs(variants: Sequence[Variant], runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield a row for each download of the experiments that run variants."""
    names = {variant.experiment: variant.name for variant in variants if variant.experiment is not None}
    for row in runs[runs["experiment"].isin(list(names))].to_dict("records"):
        known = row["status"] == "ok"
        # Not from the first byte that the client read: on a busy machine that is late, and the rest comes at once.
        took_s = row["duration_s"] - _SETUP_ROUND_TRIPS * 2 * row["delay_s"] if known else math.nan
        yield {
            "by": "linux", "variant": names[row["experiment"]], "size_bytes": row["size_bytes"],
            "repetition": row["repetition"],
            "rate_bps": 8 * row["size_bytes"] / took_s if took_s > 0 else math.nan,
            "goodput_bps": row["goodput_bps"] if known else math.nan,
            "valid": row["valid"], "status": row["status"], "cpu_bound": row["cpu_bound"],
        }  # fmt: skip
