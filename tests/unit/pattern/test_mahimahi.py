import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern.formats import mahimahi
from mmwemu.pattern.formats.format import Reading
from mmwemu.pattern.model import Direction, Pattern
from tests.unit.pattern.measured import measured

VALUES = {"uplink": "", "outage": "hold", "end": "loop"}


def written(tmp_path, text, name="t.down"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_an_opportunity_ends_the_millisecond_before_it(tmp_path):
    pattern = mahimahi.read(written(tmp_path, "1\n3\n3\n4\n"), VALUES).pattern
    assert pattern.time_s.tolist() == [0, 0.001, 0.002, 0.003]
    assert pattern.downlink.rate_bps.tolist() == [12e6, 0, 24e6, 12e6]
    assert (pattern.duration_s, pattern.meta) == (0.004, {"file": "t.down", "conversion": {"method": "mahimahi"}})


def test_one_direction_alone_is_both_and_says_so(tmp_path):
    reading = mahimahi.read(written(tmp_path, "0\n2\n"), VALUES)
    assert reading.pattern.uplink.rate_bps.tolist() == reading.pattern.downlink.rate_bps.tolist() == [12e6, 12e6][:1]
    assert reading.remarks == ("has one direction only; the uplink is the same (--uplink names another file)",)


@pytest.mark.parametrize("given_name", ["t.down", "t.up"])
def test_the_other_direction_lies_beside_or_is_named(tmp_path, given_name):
    written(tmp_path, "1\n2\n")
    written(tmp_path, "1\n1\n2\n2\n", "t.up")
    reading = mahimahi.read(tmp_path / given_name, VALUES)
    assert (reading.pattern.downlink.rate_bps[0], reading.pattern.uplink.rate_bps[0]) == (12e6, 24e6)
    other = "t.up" if given_name == "t.down" else "t.down"
    assert reading.remarks == (f"the {'uplink' if other == 't.up' else 'downlink'} is {tmp_path / other}",)
    lone = written(tmp_path, "1\n2\n", "lone.txt")
    named = mahimahi.read(lone, VALUES | {"uplink": str(tmp_path / "t.up")})
    assert (named.pattern.uplink.rate_bps[0], named.remarks) == (24e6, ())


def test_a_shorter_direction_starts_again(tmp_path):
    written(tmp_path, "2\n", "t.up")
    reading = mahimahi.read(written(tmp_path, "1\n2\n3\n4\n5\n"), VALUES)
    assert reading.pattern.uplink.rate_bps.tolist() == [0, 12e6, 0, 12e6, 0]
    assert "the uplink starts again after 0.002 s" in reading.remarks[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no lines; at least one opportunity is needed"),
        ("1\n\n2\n", "line 2: is ''; must be a time in whole milliseconds"),
        ("1\n2.5\n", "line 2: is '2.5'; must be a time in whole milliseconds"),
        ("1\n-2\n", "line 2: is '-2'; must be a time in whole milliseconds"),
        ("1\nnan\n", "line 2: is 'nan'; must be a time in whole milliseconds"),
        ("5\n4\n", "line 2: is 4 after 5; times must not fall"),
        ("0\n0\n", "line 2: ends the trace at 0 ms; must be 1 to 2592000000 ms"),
        ("2592000001\n", "line 1: ends the trace at 2592000001 ms; must be 1 to 2592000000 ms"),
    ],
)
def test_refuses_with_file_and_line(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        mahimahi.read(path, VALUES)
    assert str(caught.value) == f"{path}: {message}"


def test_a_trace_that_is_too_fast_for_a_pattern_names_its_file(tmp_path):
    path = written(tmp_path, "1\n" * 100_000)
    with pytest.raises(InputError, match=rf"{path}: pattern: row 1: downlink_rate_bps is 1.2e\+12; must be from 0"):
        mahimahi.read(path, VALUES)


rates = st.sampled_from([0.0, 1.0, 1e5, 12e6, 12e6 + 1, 3.3e8]) | st.floats(0, 5e8)


@st.composite
def patterns(draw):
    lengths = np.array(draw(st.lists(st.floats(1e-4, 0.2), min_size=1, max_size=8)))
    times = np.append(0.0, np.cumsum(lengths))
    nothing = np.zeros(len(lengths))
    both = [Direction(np.array([draw(rates) for _ in lengths]), nothing, nothing) for _ in range(2)]
    return Pattern(times[:-1], float(times[-1]), *both)


def sent_until(pattern, direction, times_s):
    """Return the bytes that could be sent until each of some times."""
    edges = np.append(pattern.time_s, pattern.duration_s)
    sent = np.append(0, np.cumsum(getattr(pattern, direction).rate_bps * np.diff(edges))) / 8
    return np.interp(times_s, edges, sent)


@given(patterns())
def test_what_is_written_and_read_again_stays_within_a_packet(tmp_path_factory, pattern):
    path = tmp_path_factory.mktemp("mahimahi") / "t.down"
    mahimahi.write(pattern, path, VALUES)
    again = mahimahi.read(path, VALUES).pattern
    assert again.duration_s == pytest.approx(max(0.001, round(pattern.duration_s, 3)), abs=1e-9)
    times_s = np.arange(0, int(min(again.duration_s, pattern.duration_s) * 1000)) / 1000
    for direction in ("downlink", "uplink"):
        lag = sent_until(pattern, direction, times_s) - sent_until(again, direction, times_s)
        assert lag.min(initial=0) >= -0.01
        assert lag.max(initial=0) < 1500.01
    second = path.with_name("u.down")
    mahimahi.write(again, second, VALUES)
    assert second.read_bytes() == path.read_bytes()
    assert second.with_suffix(".up").read_bytes() == path.with_suffix(".up").read_bytes()


def test_a_writer_tells_what_is_lost(tmp_path):
    nothing = np.zeros(2)
    rate_bps = np.array([12e6, 0.0])
    pattern = Pattern(
        np.array([0.0, 0.01]), 2.0, Direction(rate_bps, nothing + 0.01, nothing), Direction(rate_bps, nothing, nothing),
        "drop", "stop",
    )  # fmt: skip
    path = tmp_path / "t.down"
    assert mahimahi.write(pattern, path, VALUES) == [
        "mahimahi cannot express delay, outages that drop packets and the end stop; left out",
        "rates are in opportunities of 1500 bytes at whole milliseconds",
        *(
            f"mahimahi cannot express that the {name} ends with 1.99 s without an opportunity; one at the end keeps "
            "the length"
            for name in ("downlink", "uplink")
        ),
    ]
    assert path.read_text().split() == [*map(str, range(1, 11)), "2000"]


@pytest.mark.parametrize(
    ("rate_bps", "duration_s", "name", "message"),
    [
        (np.inf, 1.0, "t.down", "downlink: has an unlimited rate, which a list of opportunities cannot express"),
        (1e12, 2_592_000.0, "t.down", "makes 216000000000000 opportunities, a file larger than 64 MiB"),
        (1e6, 1.0, "t.txt", "must end in .down"),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(tmp_path, rate_bps, duration_s, name, message):
    one = Direction(np.array([rate_bps]), np.zeros(1), np.zeros(1))
    with pytest.raises(InputError, match=message):
        mahimahi.write(Pattern(np.zeros(1), duration_s, one, one), tmp_path / name, VALUES)
    assert not list(tmp_path.iterdir())


def test_measured_traces_written_again_are_the_same(tmp_path):
    for file in measured("mahimahi/ATT*.down"):
        reading: Reading = mahimahi.read(file, VALUES)
        mahimahi.write(reading.pattern, tmp_path / "t.down", VALUES)
        for ending in (".down", ".up"):
            ours = (tmp_path / "t.down").with_suffix(ending).read_text().split()
            theirs = file.with_suffix(ending).read_text().split()
            # An opportunity at 0 ms is one of the first millisecond.
            assert ours == [one if one != "0" else "1" for one in theirs]
