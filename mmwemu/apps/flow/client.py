"""Client and server of bulk flows by iperf3."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from typing import Any, Literal

from mmwemu.apps.flow.subpath import Subpath
from mmwemu.core import process
from mmwemu.core.bounds import HIGHEST_RATE_BPS
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.text import digits
from mmwemu.pattern.model import DirectionName
from mmwemu.testbed.place import Place

Protocol = Literal["tcp", "udp"]

_PORT = 5201
_READY_LIMIT_S = 5.0
MOST_STREAMS = 128
LONGEST_S = 86_400
LONGEST_WARM_UP_S = 600
"""The most that iperf3 takes of each."""

GRACE_S = 10.0
"""Extra time limit of iperf3 for connection set-up, exchange of results and an outage, s."""


@dataclass(frozen=True)
class FlowSettings:
    """Settings of a flow.

    Attributes
    ----------
    protocol
        TCP or UDP.
    direction
        ``downlink`` to the client, ``uplink`` to the server.
    duration_s
        Length of the flow, whole seconds.
    streams
        Number of parallel streams.
    rate_bps
        Payload rate offered by each stream, bit/s; None for unlimited (TCP only).
    warm_up_s
        Time before ``duration_s`` that does not count, whole seconds: slow start and what it leaves behind.
    subpath
        The part of the way that the flow takes.
    """

    protocol: Protocol = "tcp"
    direction: DirectionName = "downlink"
    duration_s: float = 10.0
    streams: int = 1
    rate_bps: float | None = None
    warm_up_s: float = 0.0
    subpath: Subpath = "whole"

    def __post_init__(self) -> None:
        if self.protocol == "udp" and self.rate_bps is None:
            raise InputError("rate", "is missing; a UDP flow needs one")
        if not 1 <= self.streams <= MOST_STREAMS:
            raise InputError("streams", f"is {self.streams}; must be from 1 to {MOST_STREAMS}")
        if not 1 <= self.duration_s <= LONGEST_S or self.duration_s != int(self.duration_s):
            problem = f"is {digits(self.duration_s)} s; iperf3 takes whole seconds from 1 to {LONGEST_S}"
            raise InputError("duration", problem)
        if not 0 <= self.warm_up_s <= LONGEST_WARM_UP_S or self.warm_up_s != int(self.warm_up_s):
            problem = f"is {digits(self.warm_up_s)} s; iperf3 takes whole seconds from 0 to {LONGEST_WARM_UP_S}"
            raise InputError("warm-up", problem)
        if self.rate_bps is not None and not 0 < self.rate_bps <= HIGHEST_RATE_BPS:
            raise InputError(
                "rate", f"is {digits(self.rate_bps)} bit/s; must be above 0 and at most {digits(HIGHEST_RATE_BPS)}"
            )


@dataclass(frozen=True)
class Flow:
    """Result of a flow; None if the protocol lacks the value or the flow ended too early.

    Attributes
    ----------
    status, error
        ``ok``; ``timeout``: no result within the time limit, as in a long outage; ``failed``.
    duration_s
        Time in which the receiver received, without the warm-up; so are the following.
    received_bytes, goodput_bps
        Received payload, and its rate.
    retransmissions, cwnd_max_bytes, tcp_rtt_mean_s
        TCP state at the sender; retransmissions of all streams, the others of the largest stream.
    lost_packets, jitter_s
        UDP only; jitter as in RFC 3550, section 6.4.1.
    """

    status: str
    error: str
    duration_s: float
    received_bytes: int | None = None
    goodput_bps: float | None = None
    retransmissions: int | None = None
    cwnd_max_bytes: int | None = None
    tcp_rtt_mean_s: float | None = None
    lost_packets: int | None = None
    jitter_s: float | None = None


def find_iperf3() -> str:
    """Return the path of iperf3.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("iperf3", "install it: sudo apt-get install iperf3")


def flow(
    client: Place, server: Place, settings: FlowSettings, port: int = _PORT, pacing_bps: float | None = None
) -> Flow:
    """Run one flow; the sender opens the connection, to ``port``, so that iperf3 reports its TCP state.

    With ``pacing_bps`` it sends at most at this rate on each connection, bit/s.

    Raises
    ------
    MissingError
        If iperf3 is not installed.
    MmwemuError
        If the receiver does not start.
    """
    iperf3 = find_iperf3()
    receiver, sender = (client, server) if settings.direction == "downlink" else (server, client)
    listener = receiver.popen(
        [iperf3, "-s", "-1", "-p", str(port), "--forceflush"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        _wait_until_listening(listener)
        own = arguments(settings, pacing_bps)
        return _send(sender, [iperf3, "-c", receiver.address, "-p", str(port), *own], settings)
    finally:
        listener.kill()
        listener.communicate()


def arguments(settings: FlowSettings, pacing_bps: float | None = None) -> list[str]:
    """Return the options of iperf3's sender."""
    argv = ["--json", "--time", str(int(settings.duration_s)), "--parallel", str(settings.streams)]
    if settings.protocol == "udp":
        argv.append("--udp")
    if settings.rate_bps is not None:
        argv += ["--bitrate", f"{settings.rate_bps:.0f}"]
    if settings.warm_up_s:
        argv += ["--omit", str(int(settings.warm_up_s))]
    if pacing_bps is not None:
        argv += ["--fq-rate", f"{pacing_bps:.0f}"]
    return argv


def _wait_until_listening(receiver: subprocess.Popen[bytes]) -> None:
    assert receiver.stdout is not None
    deadline = time.monotonic() + _READY_LIMIT_S
    while time.monotonic() < deadline:
        line = receiver.stdout.readline().decode(errors="replace")
        if "listening" in line:
            return
        if not line:
            break
    raise MmwemuError("iperf3 did not start listening")


def _send(place: Place, argv: list[str], settings: FlowSettings) -> Flow:
    limit_s = settings.warm_up_s + settings.duration_s + GRACE_S
    sender = place.popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, _ = sender.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        sender.kill()
        sender.communicate()
        return Flow("timeout", f"no result within {limit_s:g} s", limit_s)
    except BaseException:
        sender.kill()
        sender.wait()
        raise
    try:
        return interpret(json.loads(output))
    except (ValueError, KeyError, IndexError) as error:
        raise MmwemuError(f"iperf3 returned no readable result: {error!r}") from None


def interpret(result: dict[str, Any]) -> Flow:
    """Return the `Flow` in iperf3's JSON."""
    if "error" in result:
        return Flow("failed", str(result["error"]), 0.0)
    end = result["end"]
    got = end["sum_received"]
    common: dict[str, Any] = {
        "status": "ok",
        "error": "",
        "duration_s": float(got["seconds"]),
        "received_bytes": int(got["bytes"]),
        "goodput_bps": float(got["bits_per_second"]),
    }
    if result["start"]["test_start"]["protocol"] == "UDP":
        return Flow(**common, lost_packets=int(got["lost_packets"]), jitter_s=float(got["jitter_ms"]) / 1e3)
    senders = [stream["sender"] for stream in end["streams"]]
    largest = max(senders, key=lambda sender: int(sender["bytes"]))
    return Flow(
        **common,
        retransmissions=int(end["sum_sent"]["retransmits"]),
        cwnd_max_bytes=int(largest["max_snd_cwnd"]),
        tcp_rtt_mean_s=float(largest["mean_rtt"]) / 1e6,
    )
