"""Client and server of TCP and UDP flows: iperf3."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

from mmwemu.apps.flow.settings import GRACE_S, Flow, FlowSettings
from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.testbed.place import Place

_PORT = 5201
_READY_LIMIT_S = 5.0


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
