"""TheaterQ's trace files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern import library
from mmwemu.pattern.formats import theaterq
from mmwemu.pattern.model import Direction, Pattern
from tests.fuzz import good
from tests.patterns import make_pattern

VALUES = {"uplink": "", "limit": "1000", "outage": "hold", "end": "loop"}


def written(tmp_path, text, name="t.theaterq"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_the_simple_form_is_read(tmp_path):
    found = library.read(
        str(written(tmp_path, "# made by hand\n500000,11000000,73700000,0,1000\n1000,0,-1,4294967295,1000\n"))
    )
    pattern = found.pattern
    assert (found.form, pattern.time_s.tolist(), pattern.duration_s) == ("theaterq", [0, 0.5], 0.501)
    assert pattern.downlink.rate_bps.tolist() == [73.7e6, np.inf]
    assert pattern.downlink.delay_s.tolist() == [0.011, 0]
    assert pattern.downlink.loss.tolist() == [0, 1]
    assert found.remarks == (
        "has one direction only; the uplink is the same (--uplink names another file)",
        "downlink: LIMIT is 1000 packets; give it to the link as --queue-packets 1000",
        "downlink: packets may overtake each other there (ROUTE_ID); here they keep their order",
    )


def test_the_extended_form_is_read_and_says_what_is_left_out(tmp_path):
    reading = theaterq.read(written(tmp_path, good.THEATERQ), VALUES)
    down = reading.pattern.downlink
    assert down.rate_bps.tolist() == [1021022118, 0, np.inf]
    assert down.jitter_s.tolist() == [0, 0.001, 0]
    assert down.loss == pytest.approx([0, 1, 0.01], abs=1e-9)
    assert down.duplication == pytest.approx([0, 0, 0.1], abs=1e-9)
    assert reading.remarks[1:] == (
        "downlink: LIMIT changes from 500 to 1000 packets; a pattern has no queue",
        "downlink: DUP_DELAY is left out; copies come with their packets",
        "downlink: QUEUE_ID changes; a link has one queue",
    )


def test_a_trace_without_queue_ids_is_of_an_older_module(tmp_path):
    reading = theaterq.read(written(tmp_path, "1000,0,0,8000000,0,0,0,0,1\n"), VALUES)
    assert (reading.pattern.downlink.rate_bps.tolist(), len(reading.remarks)) == ([8e6], 1)


def test_the_uplink_is_beside_it_and_starts_again_until_the_downlink_ends(tmp_path):
    written(tmp_path, "1000,0,1000000,0,0\n1000,0,2000000,0,0\n", "t.uplink.theaterq")
    reading = theaterq.read(written(tmp_path, "5000,0,9000000,0,0\n"), VALUES)
    assert reading.pattern.uplink.rate_bps.tolist() == [1e6, 2e6, 1e6, 2e6, 1e6]
    assert reading.pattern.downlink.rate_bps.tolist() == [9e6] * 5
    assert [remark.partition(" ")[2] for remark in reading.remarks] == [
        f"uplink is {tmp_path / 't.uplink.theaterq'}",
        "uplink starts again after 0.002 s until the other ends",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1000,0,1,0\n", "line 1: is '1000,0,1,0'; must be 5, 9 or 10 whole numbers, split by commas"),
        ("1000,0,1,0,0\n1,0,0,1,0,0,0,0,0\n", "line 2: is '1,0,0,1,0,0,0,0,0'; must be 5 whole numbers"),
        ("1000,0,1.5,0,0\n", "line 1: is '1000,0,1.5,0,0'; must be 5 whole numbers"),
        ("0,0,1,0,0\n", "line 1: KEEP: is 0; must be from 1 to 2592000000000"),
        ("1,0,-2,0,0\n", "line 1: RATE: is -2; must be from -1 to 1000000000000"),
        ("1,0,9,0,0\n1,0,1,4294967296,0\n", "line 2: LOSS: is 4294967296; must be from 0 to 4294967295"),
        ("1,-1,1,0,0\n", "line 1: LATENCY: is -1; must be from 0 to 3600000000000"),
        ("1,0,1000000000001,0,0\n", "line 1: RATE: is 1000000000001; must be from -1"),
        ("2592000000000,0,1,0,0\n1,0,1,0,0\n", "lasts longer than 2.592e\\+06 s"),
        ("# nothing\n", "has no entries"),
    ],
)
def test_what_is_no_entry_is_refused(tmp_path, text, problem):
    with pytest.raises(InputError, match=problem):
        theaterq.read(written(tmp_path, text), VALUES)


def test_what_cannot_be_expressed_is_told(tmp_path):
    pattern = make_pattern(
        [1e6, 0, 5.0], delay_s=[0.0, 0.01, 0.0], effects={"bit_error": 0.1}, end="stop", outage="drop"
    )
    remarks = theaterq.write(pattern, tmp_path / "t.theaterq", VALUES)
    assert list(remarks) == [
        "theaterq cannot express bit errors and outages that drop packets; left out",
        "theaterq counts whole bytes a second; rates below 8 bit/s hold packets",
        "start it with cont HOLD",
        f"{tmp_path / 't.theaterq'} is in the extended form: ingest EXTENDED",
    ]
    assert (tmp_path / "t.theaterq").read_text().splitlines()[-1] == "1,0,0,0,0,1000,0,0,1,0"  # it stops
    with pytest.raises(InputError, match="--limit: is '-1'; must be a number of packets, 0 for no limit"):
        theaterq.write(pattern, tmp_path / "u.theaterq", VALUES | {"limit": "-1"})


shares = st.integers(0, 2**32 - 1).map(lambda share: share / (2**32 - 1))
delays = st.integers(0, 10**9).map(lambda delay_ns: delay_ns / 1e9)
rates = st.integers(8, 10**12).map(float) | st.sampled_from([0.0, np.inf])


@given(st.lists(st.tuples(st.integers(1, 10**9), rates, delays, shares, delays, shares, rates), min_size=1, max_size=8),
       st.booleans())  # fmt: skip
def test_what_is_written_is_read_again(tmp_path_factory, rows, plain):
    lengths_us, down_bps, delay_s, loss, jitter_s, copies, up_bps = (
        np.array(column, float) for column in zip(*rows, strict=True)
    )
    if plain:
        delay_s, jitter_s, copies, up_bps = np.full(len(rows), 0.011), jitter_s * 0, copies * 0, down_bps
    edges_s = np.append(0, np.cumsum(lengths_us)) / 1e6
    both = (Direction(rate, delay_s, loss, jitter_s=jitter_s, duplication=copies) for rate in (down_bps, up_bps))
    path = tmp_path_factory.mktemp("theaterq") / "t.theaterq"
    theaterq.write(Pattern(edges_s[:-1], edges_s[-1], *both), path, VALUES)
    again = theaterq.read(path, VALUES).pattern
    assert np.append(again.time_s, again.duration_s) == pytest.approx(edges_s)
    for name, (down, up) in {"rate_bps": (down_bps, up_bps), "delay_s": (delay_s, delay_s), "loss": (loss, loss),
                             "jitter_s": (jitter_s, jitter_s), "duplication": (copies, copies)}.items():  # fmt: skip
        assert getattr(again.downlink, name) == pytest.approx(down, rel=1e-12, abs=1e-9)
        assert getattr(again.uplink, name) == pytest.approx(up, rel=1e-12, abs=1e-9)
    simple = len(set(delay_s)) == 1 and not jitter_s.any() and not copies.any()
    assert len(path.read_text().splitlines()[1].split(",")) == (5 if simple else 10)
