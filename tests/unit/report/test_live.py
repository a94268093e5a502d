import math

import click
import numpy as np
import pandas as pd
import pytest

from mmwemu.link import replay
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Direction, Pattern
from mmwemu.report.live import LINES, History


def telemetry(delivered_bytes, *, capacity_bytes=12_500.0, queue_bytes=0):
    """Make bins of both directions; nothing goes up."""
    n = len(delivered_bytes)
    down = {"direction": "downlink", "delivered_bytes": delivered_bytes, "queue_bytes": queue_bytes}
    up = {"direction": "uplink", "delivered_bytes": np.zeros(n), "queue_bytes": 0}
    frames = [
        pd.DataFrame({"time_s": np.arange(n) * 0.01, "capacity_bytes": capacity_bytes, **part}) for part in (down, up)
    ]
    return pd.concat(frames).assign(queue_max_bytes=lambda frame: frame["queue_bytes"])


def history_of(pattern, **options):
    return History(replay.resolve(LinkSettings(pattern, **options)))


def plain(history, width):
    return [click.unstyle(line) for line in history.draw(width)]


def test_before_the_first_packet_it_says_so():
    lines = plain(history_of(constant(1e6, 1.0)), 60)
    assert len(lines) == LINES
    assert "waits for the first packet" in lines[0]
    assert all(len(line) <= 60 for line in lines)


def test_the_rate_is_drawn_before_what_the_pattern_allows():
    history = history_of(constant(10e6, 1.0))
    history.add(telemetry(np.repeat([12_500, 6_250, 0], 10)))
    lines = plain(history, 60)
    assert "downlink 0.3 s" in lines[0]
    # 3 lines of 8 eighths: all, half and nothing of a pattern that is full height.
    assert [line[-18:-15] for line in lines[1:4]] == ["█  ", "█▄ ", "██ "]
    assert [line[-14:].strip() for line in lines[1:4]] == ["10 Mbit/s", "10 allowed", "0 came"]
    assert history.time_s == pytest.approx(0.3)


def test_what_is_not_a_whole_slot_waits():
    history = history_of(constant(10e6, 1.0))
    history.add(telemetry(np.full(14, 12_500)))
    assert history.time_s == pytest.approx(0.1)


def test_the_delay_is_core_queue_and_access():
    one = Direction(np.array([1e6]), np.array([0.004]), np.zeros(1))
    history = history_of(Pattern(np.zeros(1), 1.0, one, one), delay_s=0.011)
    history.add(telemetry(np.full(10, 1250), queue_bytes=12_500))
    queue, delay = (line[-14:].strip() for line in plain(history, 60)[4:])
    assert queue == "12.5 kB"
    assert delay == "115.0 ms"  # 12.5 kB at 1 Mbit/s are 100 ms


def test_an_outage_to_come_is_in_the_delay():
    steps = Direction(np.array([1e6, 0.0, 1e6]), np.zeros(3), np.zeros(3))
    history = history_of(Pattern(np.array([0.0, 0.15, 1.15]), 10.0, steps, steps), delay_s=0.0)
    history.add(telemetry(np.full(10, 1250), queue_bytes=12_500))
    assert plain(history, 60)[5].strip().endswith("1100.0 ms")
    ended = Pattern(np.array([0.0]), 0.05, one := Direction(np.array([1e6]), np.zeros(1), np.zeros(1)), one, end="stop")
    history = history_of(ended)
    history.add(telemetry(np.full(10, 0), queue_bytes=1500))
    assert plain(history, 60)[5].strip().endswith("> 10 s")


def test_an_unlimited_rate_is_drawn_by_what_came():
    history = history_of(constant(math.inf, 1.0))
    history.add(telemetry(np.full(20, 12_500), capacity_bytes=math.inf))
    lines = plain(history, 60)
    assert [line[-17:-15] for line in lines[1:4]] == ["██"] * 3
    assert lines[2].strip().endswith("inf allowed")
