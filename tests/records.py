"""Runs for tests."""

from typing import Any

from mmwemu.apps.download.record import DownloadRun
from mmwemu.link.profile import LinkProfile

COMMON = {
    "application": "download", "experiment": 1, "offset_s": 0.0,
    "client": 1, "clients": 1, "pattern": "p", "pattern_sha256": "00",
    "rat": "lte", "start_at_s": 0.0, "congestion_control": "cubic", "limit_s": 40.0, "seed": 1, "backend": "tun",
    "tc_mode": "tbf", "scheduler": "fifo", "edge": False, "core_rate_bps": float("inf"), "core_loss": 0.0,
    "access_delay_s": 0.0, "edge_proxy": "", "edge_congestion_control": "",
    "link": LinkProfile().profile(), "status": "ok", "error": "", "duration_s": 1.0,
    "valid": True, "invalid_because": "", "delivered_ratio": None, "lateness_p99_s": 0.001,
    "waited_s": 0.0, "stopped_s": 0.0, "held_up_s": 0.0, "cpu_bound": False, "cpu_bound_because": "",
    "dropped_queue_bytes": 0, "dropped_aqm_bytes": 0, "dropped_outage_bytes": 0, "dropped_loss_bytes": 0,
}  # fmt: skip


def common(number: int, **changes: Any) -> dict[str, Any]:
    """Return the columns that every run has, of run ``number``, which is its replay and repetition too."""
    return COMMON | {"run": number, "replay": number, "repetition": number} | changes


def download(number: int, **changes: Any) -> DownloadRun:
    """Make the record of a download of 2 MB."""
    own = {
        "size_bytes": 2_000_000, "protocol": "http", "received_bytes": 2_000_000, "connect_s": 0.02, "ttfb_s": 0.05,
        "goodput_bps": 16e6,
    }  # fmt: skip
    return DownloadRun(**(common(number) | own | changes))
