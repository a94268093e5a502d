"""Replay of a simulation's own traffic over patterns of it, to see whether a link does what the simulated cell did."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mmwemu.core import process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.core.temporary import temporary_folder
from mmwemu.link.check import LinkCheck
from mmwemu.link.packets import PacketLog, times_s
from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.comparison import likeness, series
from mmwemu.pattern.comparison.likeness import Comparison
from mmwemu.pattern.comparison.series import Series
from mmwemu.pattern.model import Floats, Pattern
from mmwemu.scenario import read
from mmwemu.scenario.model import Scenario, Traffic
from mmwemu.simulate.config import scenario_hash
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed, open_testbed
from mmwemu.trace.model import Trace

Protocol = Literal["udp", "tcp"]

_PROGRAM = [sys.executable, "-P", "-m", "mmwemu.probe.steady_source"]
_GRACE_S = 10.0
_DRAIN_S = 0.2
_LATEST_SOURCE_S = 0.005
_DOWNLINK, _PACKET = 0, 0


@dataclass(frozen=True)
class Source:
    """The traffic of a simulation, and the path that it took.

    Attributes
    ----------
    traffic
        Rate, payload and start of the source.
    core_delay_s
        Delay between the remote host and the base station, s.
    buffer_bytes
        The RLC buffer, which the link's queue stands for, bytes.
    protocol
        Transport.
    congestion_control
        That of TCP.
    """

    traffic: Traffic
    core_delay_s: float
    buffer_bytes: int
    protocol: Protocol = "udp"
    congestion_control: str = "reno"


@dataclass(frozen=True)
class Replayed:
    """The replay of a pattern: its name, the link's check, what kept it from being valid, and which try it was."""

    name: str
    check: LinkCheck
    reasons: tuple[str, ...]
    tries: int


@dataclass(frozen=True)
class Fidelity:
    """What came through a link with each pattern, compared with what came in the simulation."""

    comparison: Comparison
    replays: tuple[Replayed, ...]

    @property
    def reasons(self) -> list[str]:
        """Why the measurement is not valid, one line for each reason; none if it is."""
        return [f"{one.name}: {reason}" for one in self.replays for reason in one.reasons]


def source_of(trace: Trace, scenario: Scenario | None = None, protocol: Protocol | None = None) -> Source:
    """Return the source and path of the simulation that made a trace.

    Parameters
    ----------
    trace
        The trace.
    scenario
        Its scenario; None for the shipped one of that name.
    protocol
        None: TCP if the trace has the state of a TCP sender, else UDP.

    Raises
    ------
    InputError
        If the trace does not say its scenario, or was made from another one.
    """
    name, rat = trace.meta.get("scenario"), trace.meta.get("rat")
    if rat not in ("mmwave", "lte"):
        raise InputError("trace: rat", f"is {rat!r}; must be mmwave or lte")
    if scenario is None:
        if name not in read.shipped():
            raise InputError("trace: scenario", f"is {name!r}, which is not shipped; give its file with --scenario")
        scenario = read.load(str(name))
    if trace.meta.get("scenario_hash") != scenario_hash(scenario, rat):
        problem = f"{scenario.name} has other settings than the trace was made with; give its own with --scenario"
        raise InputError("scenario", problem)
    traffic = scenario.traffic
    found = protocol or ("tcp" if "cwnd_bytes" in trace.optional else "udp")
    if found == "udp" and traffic.payload_bytes + trace.meta.get("header_bytes", 0) > MTU_BYTES:
        problem = f"makes packets of {traffic.payload_bytes} bytes and headers; a link takes {MTU_BYTES} bytes"
        raise InputError("scenario: traffic.payload_bytes", problem)
    radio = scenario.mmwave if rat == "mmwave" else scenario.lte
    return Source(traffic, scenario.core.delay_s, radio.rlc_buffer_bytes, found)


def replay_source(
    name: str,
    trace: Trace,
    patterns: Sequence[tuple[str, Pattern]],
    source: Source,
    on_progress: OnProgress = ignore,
    *,
    tries: int = 3,
) -> Fidelity:
    """Send the source's traffic over each pattern and compare what came with the trace.

    The pattern's time is the simulation's: it starts with the first packet, at the time at which the source does. The
    link's core delay and queue are the core delay and RLC buffer of the simulation. Rates are of IP packets at the
    moment of their delivery, delays from sending to delivery, both from the link's log of packets.

    Parameters
    ----------
    name
        What to call the trace.
    trace, source
        The simulation's result and its source.
    patterns
        Name and pattern; a name may come more than once.
    on_progress
        Called with the progress.
    tries
        How often a pattern is replayed at most, until a replay is valid; the last one counts.

    Raises
    ------
    InputError
        If a trace or pattern cannot be used.
    MissingError
        If the machine lacks what a link takes.
    MmwemuError
        If a program fails.
    """
    reference = series.of_trace(name, trace)
    if source.traffic.start_s >= trace.duration_s:
        raise InputError("scenario: traffic.start_s", "is after the end of the trace; nothing would be sent")
    found: list[Series] = []
    replays: list[Replayed] = []
    with temporary_folder("packets") as folder, open_testbed() as testbed:
        testbed.set_congestion_control(source.congestion_control)
        sink = _started(testbed.client, "sink", source.protocol, testbed.client.address)
        try:
            for i, (one, pattern) in enumerate(patterns):
                on_progress(Progress("replay", i, len(patterns)))
                number = 0
                reasons: tuple[str, ...] = ("not replayed",)
                while reasons and number < tries:
                    number += 1
                    with PacketLog(folder, headers=False) as log:
                        check = _replay(testbed, pattern, source, trace.duration_s, log)
                        came, late = _came(one, log, source, trace.duration_s)
                    reasons = (*check.reasons, *late)
                found.append(came)
                replays.append(Replayed(one, check, reasons, number))
        finally:
            process.end(sink, 1.0)
    on_progress(Progress("replay", len(patterns), len(patterns)))
    return Fidelity(likeness.compare(reference, found), tuple(replays))


def _replay(testbed: Testbed, pattern: Pattern, source: Source, duration_s: float, log: PacketLog) -> LinkCheck:
    """Send the traffic over a pattern."""
    traffic = source.traffic
    settings = LinkSettings(
        pattern,
        start="first-packet",
        start_at_s=traffic.start_s,
        delay_s=source.core_delay_s,
        queue_bytes=max(MTU_BYTES, source.buffer_bytes),
    )
    testbed.start(settings, packets={1: log})
    seconds = duration_s - traffic.start_s
    words = ["send", source.protocol, testbed.client.address, traffic.rate_bps, traffic.payload_bytes, seconds]
    sender = testbed.server.popen(
        [*_PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, errors = sender.communicate(timeout=seconds + _GRACE_S)
    except subprocess.TimeoutExpired:
        raise MmwemuError(f"the source did not end within {seconds + _GRACE_S:g} s: the machine is too busy") from None
    finally:
        sender.kill()
        sender.wait()
    if sender.returncode != 0:
        raise MmwemuError(f"the source failed: {errors.decode(errors='replace').strip().splitlines()[-1:]}")
    time.sleep(_DRAIN_S)
    check = testbed.check(testbed.telemetry())
    testbed.links[1].finish_packets()
    return check


def _came(name: str, log: PacketLog, source: Source, duration_s: float) -> tuple[Series, list[str]]:
    """Return what came of the downlink's packets, in the simulation's time, and what is wrong with the sending."""
    records = log.records()
    records = records[(records["direction"] == _DOWNLINK) & (records["number"] > 0)]
    times = times_s(records, source.core_delay_s)
    reasons = _source_late(records, times["sent_s"], source) if source.protocol == "udp" else []
    came = (records["ending"] == _PACKET) & np.isfinite(times["delivery_s"])
    delivery_s = times["delivery_s"][came]
    size_bytes = records["size_bytes"][came].astype(np.float64)
    delay_s = delivery_s - times["sent_s"][came]
    return series.of_packets(name, delivery_s + source.traffic.start_s, delay_s, size_bytes, duration_s), reasons


def _source_late(records: NDArray[Any], sent_s: Floats, source: Source) -> list[str]:
    """Return that the source fell behind its rate, if it did."""
    if not len(records):
        return ["no packet came to the link"]
    interval_s = source.traffic.payload_bytes * 8 / source.traffic.rate_bps
    number = records["number"].astype(np.float64)
    late_s = sent_s - (number - 1) * interval_s
    late_s -= sent_s[np.argmin(number)]
    worst_s = float(np.quantile(late_s, 0.99))
    if worst_s <= _LATEST_SOURCE_S:
        return []
    allowed = f"{_LATEST_SOURCE_S * 1e3:g} ms are allowed"
    return [f"1 % of the packets were sent more than {worst_s * 1e3:.1f} ms late ({allowed}): the machine was too busy"]


def _started(place: Place, *words: str) -> subprocess.Popen[bytes]:
    """Start the program at a place and wait until it is ready."""
    program = place.popen([*_PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert program.stdout is not None
    if program.stdout.readline() != b"ready\n":
        program.kill()
        program.wait()
        raise MmwemuError("the sink of the traffic did not start")
    return program
