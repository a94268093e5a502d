"""Options that change a scenario for one simulation."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click
import cloup

from mmwemu.apps.option_types import Number, Rate, Size, Whole
from mmwemu.core.bounds import LONGEST_SCENARIO_S
from mmwemu.scenario.changes import Changes
from mmwemu.scenario.radio import LARGEST_UPLINK_SHARE, LEAST_UPLINK_SHARE
from mmwemu.scenario.traffic import (
    FASTEST_TRAFFIC_BPS,
    LARGEST_FILE_BYTES,
    LARGEST_MIN_RTO_S,
    LARGEST_SEGMENT_BYTES,
    LARGEST_SOCKET_BUFFER_BYTES,
    LARGEST_WINDOW,
    LEAST_MIN_RTO_S,
    LEAST_SOCKET_BUFFER_BYTES,
)

_LONGEST_DELAY_MS = 10_000.0
_LARGEST_RLC_BUFFER_BYTES = 2**32 - 1


class _Bytes(Size):
    """A size within bounds."""

    def __init__(self, least: int, most: int) -> None:
        self.least = least
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return bytes."""
        size = super().convert(value, param, ctx)
        if not self.least <= size <= self.most:
            self.fail(f"{value} is not from {self.least} to {self.most} bytes.", param, ctx)
        return size


class _SourceRate(Rate):
    """A rate of a source within bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return bit/s."""
        rate = super().convert(value, param, ctx)
        if not 1 <= rate <= FASTEST_TRAFFIC_BPS:
            self.fail(f"{value} is not from 1 to {FASTEST_TRAFFIC_BPS:.10g} bit/s.", param, ctx)
        return rate


_SOCKET_BUFFER = _Bytes(LEAST_SOCKET_BUFFER_BYTES, LARGEST_SOCKET_BUFFER_BYTES)


def cell_options(function: Any) -> Any:
    """Add the options; `changes` reads them."""
    cell = cloup.option_group(
        "Instead of the scenario's values",
        cloup.option("--duration-s", type=Number("s", least=0.002, most=LONGEST_SCENARIO_S),
                     help="Simulate only so long from the start."),
        cloup.option("--rate", "rate_bps", type=_SourceRate(),
                     help="Rate of the source, such as 300Mbit/s; of one UE."),
        cloup.option("--transport", type=click.Choice(["lite", "udp", "tcp"]),
                     help="UDP without packets of ns-3, or UDP or TCP through its internet stack; lte: lite."),
        cloup.option("--core-delay-ms", "core_delay_s", type=Number("ms", most=_LONGEST_DELAY_MS),
                     help="Delay of the core, each way."),
        cloup.option("--rlc", "rlc_mode", type=click.Choice(["am", "um"]),
                     help="mmWave: acknowledged or unacknowledged mode."),
        cloup.option("--rlc-buffer", "rlc_buffer_bytes", type=_Bytes(1, _LARGEST_RLC_BUFFER_BYTES),
                     help="RLC buffer, such as 10MB."),
        cloup.option("--harq/--no-harq", default=None, help="mmWave: send failed transport blocks again, or not."),
        cloup.option("--tti", type=click.Choice(["fixed", "flexible"]),
                     help="mmWave: a block takes a slot, or the symbols that it needs."),
        cloup.option("--uplink-share", type=Number("", least=LEAST_UPLINK_SHARE, most=LARGEST_UPLINK_SHARE),
                     help="mmWave: an uplink, sure of this share of the symbols."),
    )  # fmt: skip
    tcp = cloup.option_group(
        "With transport tcp",
        cloup.option("--cc", "congestion_control", type=click.Choice(["newreno", "cubic", "bbr"]),
                     help="TCP congestion control."),
        cloup.option("--mss", "mss_bytes", type=Whole("bytes", least=8, most=LARGEST_SEGMENT_BYTES),
                     help="Maximum segment size."),
        cloup.option("--send-buffer", "send_buffer_bytes", type=_SOCKET_BUFFER, help="Sender's buffer, such as 4MiB."),
        cloup.option("--receive-buffer", "receive_buffer_bytes", type=_SOCKET_BUFFER, help="Receiver's buffer."),
        cloup.option("--initial-window", type=Whole("segments", least=1, most=LARGEST_WINDOW),
                     help="Congestion window at the start."),
        cloup.option("--pacing/--no-pacing", default=None, help="Space segments by the congestion window, or not."),
        cloup.option("--min-rto-s", type=Number("s", least=LEAST_MIN_RTO_S, most=LARGEST_MIN_RTO_S),
                     help="Least timeout; Linux has 0.2."),
        cloup.option("--sack/--no-sack", default=None, help="Selective acknowledgements, or none."),
        cloup.option("--proxy", type=click.Choice(["none", "milliproxy", "split"]),
                     help="Node at the base station: milliProxy steers the window that the server sees; a split proxy "
                          "ends the connection."),
        cloup.option("--file-size", "file_bytes", type=_Bytes(1, LARGEST_FILE_BYTES),
                     help="Send this much, such as 20MB, and no more."),
    )  # fmt: skip
    return cell(tcp(function))


def changes(options: dict[str, Any]) -> Changes:
    """Take the options of `cell_options` out of ``options``."""
    given = {field.name: options.pop(field.name) for field in fields(Changes)}
    if given["core_delay_s"] is not None:
        given["core_delay_s"] /= 1000
    return Changes(**given)
