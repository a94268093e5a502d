import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern.formats import kaunet
from mmwemu.pattern.model import Direction, PacketEvent, Pattern
from tests.patterns import make_pattern

VALUES = {"outage": "hold", "end": "loop"}
ALIKE = "both directions are alike, as KauNetEm's are if one pattern is set on both interfaces"


def written(tmp_path, text):
    path = tmp_path / "s1.patt_gen"
    path.write_text(text)
    return path


def test_bandwidth_over_time_as_the_study_writes_it(tmp_path):
    path = written(tmp_path, "# s1\npatt_gen -bw -s 40000 -u bit -o bw5g 1,1021022118,\\\n2134,0\n")
    reading = kaunet.read(path, VALUES)
    assert (reading.pattern.time_s.tolist(), reading.pattern.duration_s) == ([0, 2.134], 40)
    assert reading.pattern.uplink.rate_bps.tolist() == [1021022118, 0]
    assert reading.remarks == (ALIKE, "the first rate begins at 1 ms; it holds from 0")


def test_lost_packets_by_number(tmp_path):
    reading = kaunet.read(written(tmp_path, "patt_gen -pkt -pos lost.plp data 60 20,10\n"), VALUES)
    assert reading.pattern.packets == tuple(
        PacketEvent(direction, number, "lose") for direction in ("downlink", "uplink") for number in (10, 20)
    )
    assert reading.pattern.downlink.rate_bps.tolist() == [np.inf]
    assert "has no bandwidth; the rate is unlimited, for 1 s that loops" in reading.remarks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", " has no command patt_gen"),
        ("rm -rf x\n", "line 1: begins with ['rm']; must be a command patt_gen"),
        ("\n\npatt_gen -ber x\n", "line 3: has '-ber' where -bw or -pkt is expected; no other kind can be read"),
        ("patt_gen\n", "line 1: has '' where -bw or -pkt is expected"),
        ("patt_gen -bw -s 9 -u bit -o x 0,1 \\", "line 1: ends in the middle of a command"),
        ("patt_gen -bw 'x\n", "line 1: has a quotation mark that is not closed"),
        ("patt_gen -bw -s 9 -o x 0,1\n", "line 1: has the unit ''; only -u bit, bit/s, can be read"),
        ("patt_gen -bw -s 9 -u kbit -o x 0,1\n", "line 1: has the unit 'kbit'; only -u bit, bit/s, can be read"),
        ("patt_gen -bw -s 9 -u bit -o x 0,1,2\n", "line 1: has 3 numbers; must be pairs of time and rate"),
        ("patt_gen -bw -s 9 -u bit -o x 0,-1\n", "line 1: is '-1'; must be a whole number from 0"),
        ("patt_gen -bw -s 9 -u bit -o x 0,nan\n", "line 1: is 'nan'; must be a whole number from 0"),
        ("patt_gen -bw -s 9 -u bit -o x 0,1,0,2\n", "line 1: has the time 0 after 0; times must rise"),
        ("patt_gen -bw -s 9 -u bit -o x 0,1,9,2\n", "line 1: has the time 9 in a pattern of 9 ms; must be below -s"),
        ("patt_gen -bw -s x -u bit -o x 0,1\n", "line 1: -s: is 'x'; must be a whole number from 0"),
        ("patt_gen -bw -u bit -o x 0,1\n", "line 1: -s: is ''; must be a whole number from 0"),
        ("patt_gen -bw -s 9 -u bit -o x 0,1 2,3\n", "line 1: has 2 words beside -s, -u and -o; must be one list"),
        ("patt_gen -bw -s 9 -u bit -o x 0,9999999999999\n", "line 1: downlink_rate_bps is 1e+13; must be from 0"),
        ("patt_gen -pkt -int x data 100 95,100\n", "line 1: is no -pkt -pos FILE data SIZE N,N,...; no other form"),
        ("patt_gen -pkt -pos x data 9 10\n", "line 1: has a packet beyond 1 to 9"),
        ("patt_gen -pkt -pos x data 9 1\npatt_gen -pkt -pos x data 9 2\n", "line 2: is a second command with -pkt"),
    ],
)
def test_refuses_with_file_and_line(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        kaunet.read(path, VALUES)
    assert str(caught.value).startswith(f"{path}: {message.strip()}")


@given(
    st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**12)), min_size=1, max_size=8),
    st.sets(st.integers(1, 10**6), max_size=4),
)
def test_what_is_written_and_read_again_is_the_same(tmp_path_factory, steps, lost):
    path = tmp_path_factory.mktemp("kaunet") / "it's.patt_gen"
    edges = np.append(0, np.cumsum([length for length, _ in steps])) / 1e3
    one = Direction(np.array([float(rate) for _, rate in steps]), np.zeros(len(steps)), np.zeros(len(steps)))
    events = tuple(PacketEvent(way, number, "lose") for way in ("downlink", "uplink") for number in sorted(lost))
    pattern = Pattern(edges[:-1], float(edges[-1]), one, one, packets=events)
    assert kaunet.write(pattern, path, VALUES) == []
    again = kaunet.read(path, VALUES).pattern
    assert (again.time_s.tolist(), again.duration_s) == (pattern.time_s.tolist(), pattern.duration_s)
    assert again.uplink.rate_bps.tolist() == one.rate_bps.tolist()
    assert again.packets == events


def test_a_writer_tells_what_is_lost(tmp_path):
    pattern = make_pattern([1.4, 2, 3], times_s=[0, 0.0001, 0.5004, 1], loss=0.1, outage="drop", end="hold")
    assert kaunet.write(pattern, tmp_path / "x", VALUES) == [
        "kaunet cannot express loss and the end hold; left out",
        "1 steps shorter than a millisecond are left out",
        "times are rounded to whole milliseconds",
    ]
    assert (tmp_path / "x").read_text() == "patt_gen -bw -s 1000 -u bit -o x 0,2,500,3\n"
    with pytest.raises(InputError, match="unlimited rate"):
        kaunet.write(make_pattern([np.inf]), tmp_path / "y", VALUES)
