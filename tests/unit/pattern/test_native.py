import contextlib
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.link import replay
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import draw, library
from mmwemu.pattern.formats import native
from mmwemu.pattern.model import EFFECTS, Direction, PacketEvent, Pattern

GOOD = """\
# format = 1
# duration_s = 3.0
# outage = "drop"
# end = "hold"
#
# [source]
# scenario = "t"
time_s,downlink_rate_bps,uplink_rate_bps
0,1000000,inf
1.5,0,500000
"""


def test_reads_what_the_file_says():
    pattern = native.loads(GOOD, "p.csv")
    assert (pattern.duration_s, pattern.outage, pattern.end) == (3.0, "drop", "hold")
    assert pattern.downlink.rate_bps.tolist() == [1e6, 0]
    assert pattern.uplink.rate_bps.tolist() == [np.inf, 5e5]
    assert pattern.meta == {"scenario": "t"}
    assert native.dumps(pattern) == GOOD


def test_opens_in_pandas(tmp_path):
    (tmp_path / "p.csv").write_text(GOOD)
    assert pd.read_csv(tmp_path / "p.csv", comment="#")["downlink_rate_bps"].tolist() == [1e6, 0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1.5,0,", "1.5,-3,", "p.csv: line 10: downlink_rate_bps: is -3; must be from 0 to 1e+12, or inf"),
        ("1.5,0,", "1.5,nan,", "p.csv: line 10: downlink_rate_bps: is nan; must be from 0 to 1e+12, or inf"),
        ("1.5,0,", "1.5,x,", "p.csv: line 10: downlink_rate_bps: is 'x'; must be a number"),
        ("1.5,0,", "1.5,", "p.csv: line 10: has 2 fields where the header has 3"),
        ("1.5,0,500000\n", "", None),
        ("0,1000000,inf\n1.5,0,500000\n", "", "p.csv: has no rows; at least one step is needed"),
        ("0,1000000", "1,1000000", "p.csv: time_s: starts at 1; the first step must start at 0"),
        ("uplink_rate_bps\n", "uplink_rate\n", "p.csv: line 8: has no column uplink_rate_bps"),
        ("uplink_rate_bps\n", "uplink_rate_bps,x\n", "p.csv: line 8: x: is unknown; known are time_s,"),
        ("format = 1", "format = 9", "p.csv: format: is 9; this mmwemu reads up to 1"),
        ('"drop"', '"lose"', "p.csv: outage: is 'lose'; must be one of hold, drop"),
        ("# end", "# ende", "p.csv: end: is missing; it is required"),
        (
            "uplink_rate_bps\n0,1000000,inf\n1.5,0,500000",
            "uplink_rate_bps,uplink_bit_error\n0,1,1,0\n1.5,1,1,2",
            "p.csv: line 10: uplink_bit_error: is 2; must be from 0 to 1",
        ),
        (
            "uplink_rate_bps\n0,1000000,inf\n1.5,0,500000",
            "uplink_rate_bps,uplink_jitter_s\n0,1,1,inf\n1.5,1,1,0",
            "p.csv: line 9: uplink_jitter_s: is inf; must be from 0 to 3600",
        ),
    ],
)
def test_refuses_with_file_line_and_field(old, new, message):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    if message is None:
        assert len(native.loads(text, "p.csv").time_s) == 1
        return
    with pytest.raises(InputError) as caught:
        native.loads(text, "p.csv")
    assert str(caught.value).startswith(message)


def test_times_out_of_order_name_the_line():
    with pytest.raises(InputError, match=r"p.csv: line 10: row 2: time 1.5 s is not before 1 s"):
        native.loads(GOOD + "1,5,5\n", "p.csv")


def test_a_table_without_head_is_pointed_to_convert():
    with pytest.raises(InputError, match="mmwemu pattern convert"):
        native.loads("time_s,downlink_rate_bps,uplink_rate_bps\n0,1,1\n", "p.csv")


EVENTS = """#
# [[packets]]
# direction = "downlink"
# number = 17
# action = "lose"
#
# [[packets]]
# direction = "uplink"
# number = 3
# action = "delay"
# delay_s = 0.05
"""


def test_packets_are_told_by_number():
    text = GOOD.replace("#\n# [source]", EVENTS + "#\n# [source]")
    pattern = native.loads(text, "p.csv")
    assert pattern.packets == (PacketEvent("downlink", 17, "lose"), PacketEvent("uplink", 3, "delay", 0.05))
    assert native.loads(native.dumps(pattern), "p.csv").packets == pattern.packets


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"lose"', '"eat"', "p.csv: packets[0].action: is 'eat'; must be one of lose, duplicate, corrupt, delay"),
        ("number = 17", "number = 0", "p.csv: packets[0].number: is 0; must be at least 1"),
        ('"downlink"', '"down"', "p.csv: packets[0].direction: is 'down'; must be one of downlink, uplink"),
        ("# delay_s = 0.05\n", "", "p.csv: packets[1].delay_s: is missing; it is required"),
        ('"lose"', '"lose"\n# delay_s = 1.0', "p.csv: packets[0].delay_s: is not a known key"),
    ],
)
def test_packets_that_make_no_sense_are_refused(old, new, message):
    text = GOOD.replace("#\n# [source]", EVENTS.replace(old, new, 1) + "#\n# [source]")
    with pytest.raises(InputError) as caught:
        native.loads(text, "p.csv")
    assert str(caught.value).startswith(message)


def test_columns_of_zeros_are_left_out_and_the_others_kept():
    zero, some = np.zeros(2), np.array([0.0, 0.25])
    for name in EFFECTS:
        down = Direction(zero + 1e6, zero, zero, **{name: some})
        text = native.dumps(Pattern(np.array([0.0, 1.0]), 2.0, down, Direction(zero, zero, zero)))
        assert f"\ntime_s,downlink_rate_bps,uplink_rate_bps,downlink_{name}\n" in text
        assert getattr(native.loads(text, "p.csv").downlink, name).tolist() == [0, 0.25]


_rates = st.one_of(st.just(np.inf), st.floats(0, 1e11))


@given(
    st.lists(
        st.tuples(st.floats(1e-6, 100), _rates, _rates, st.floats(0, 5), st.floats(0, 1)), min_size=1, max_size=30
    ),
    st.sampled_from(["hold", "drop"]),
    st.sampled_from(["loop", "hold", "stop"]),
)
def test_round_trip_is_exact(rows, outage, end):
    steps, down, up, delay, loss = (np.array(c) for c in zip(*rows, strict=True))
    edges = np.cumsum(steps)
    time_s = np.append(0.0, edges[:-1])
    pattern = Pattern(time_s, edges[-1], Direction(down, delay, loss), Direction(up, delay, loss), outage, end)
    text = native.dumps(pattern)
    back = native.loads(text, "p.csv")
    assert back.to_frame().equals(pattern.to_frame())
    assert native.dumps(back) == text


def test_library_finds_files_and_says_what_is_shipped(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(GOOD)
    assert library.load(str(path)).duration_s == 3
    with pytest.raises(InputError, match=r"^s9: is neither a file nor a shipped pattern; shipped: s1-long-nlos.lte"):
        library.load("s9")


def test_shipped_patterns_can_be_read_and_drawn(tmp_path):
    shipped = library.shipped()
    assert {f"{s}.{rat}" for s in ("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage")
            for rat in ("mmwave", "lte")} <= set(shipped)  # fmt: skip
    for name in shipped:
        pattern = library.load(name)
        assert pattern.duration_s == 40
        assert pattern.meta["seed"] == 1
        if pattern.meta["scenario"] == "s4-outage":
            draw.plot(pattern, tmp_path / "p.png", name)


FULL = """\
# format = 1
# duration_s = 2.5
# outage = "hold"
# end = "loop"
# [[packets]]
# direction = "uplink"
# number = 3
# action = "delay"
# delay_s = 0.2
#
# [source]
# scenario = "t"
time_s,downlink_rate_bps,uplink_rate_bps,downlink_delay_s,uplink_gilbert_p,uplink_gilbert_r
0,1000000,inf,0.01,0.1,0.5
1e-3,0,500000,0,0,0
2,5e8,1,0.5,1,1
"""
WORDS = (
    "inf",
    "nan",
    "-1",
    "1e999",
    "1e-400",
    '"',
    ",",
    "\n",
    "# ",
    "\0",
    "\ufeff",
    "[",
    "]]",
    "=",
    "0x1p3",
    "1_0",
    "é",
)


@st.composite
def damaged(draw):
    text = draw(st.sampled_from([GOOD, FULL]))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 12)))
        text = text[:at] + draw(st.sampled_from(("", *WORDS)) | st.text(max_size=4)) + text[end:]
    return text


def message_of(pattern):
    return replay.encode(replay.resolve(LinkSettings(pattern)))


@settings(max_examples=600, deadline=None)
@given(damaged() | st.text(max_size=60) | st.binary(max_size=60).map(lambda data: data.decode("latin-1")))
def test_whatever_the_text_a_pattern_or_an_input_error_comes_of_it(text):
    try:
        pattern = native.loads(text, "p.csv")
        message = message_of(pattern)
    except InputError:
        return
    again = native.loads(native.dumps(pattern), "p.csv")
    assert message_of(again) == message


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80) | st.binary(max_size=20).map(lambda data: GOOD.encode() + data))
def test_whatever_is_in_the_file(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.csv"
        path.write_bytes(data)
        with contextlib.suppress(InputError):
            native.load(path)


def test_columns_that_come_twice_are_refused():
    with pytest.raises(InputError) as caught:
        native.loads(GOOD.replace("uplink_rate_bps\n", "uplink_rate_bps,time_s\n"), "p.csv")
    assert str(caught.value) == "p.csv: line 8: time_s: is twice"


def test_a_head_needs_no_blank_after_its_hash_and_keeps_those_within():
    text = GOOD.replace("# format", "#format").replace('# scenario = "t"', "# text = '''a\n#   b'''")
    assert native.loads(text, "p.csv").meta == {"text": "a\n  b"}


def test_only_columns_with_values_are_written():
    n = np.zeros(2)
    down = Direction(np.array([1.0, 2.5]), n, n, jitter_s=np.array([0, 0.5]))
    pattern = Pattern(np.array([0.0, 0.25]), 1.0, down, Direction(np.array([1e6, 0.0]), n, np.array([0.1, 0])))
    assert native.dumps(pattern).splitlines()[-3:] == [
        "time_s,downlink_rate_bps,uplink_rate_bps,uplink_loss,downlink_jitter_s",
        "0,1,1000000,0.1,0",
        "0.25,2.5,0,0,0.5",
    ]
    assert native.dumps(pattern).splitlines()[:5] == [
        "# format = 1", "# duration_s = 1.0", '# outage = "hold"', '# end = "loop"', "#",
    ]  # fmt: skip
    again = native.loads(native.dumps(pattern), "p.csv")
    assert again.to_frame().equals(pattern.to_frame())


def test_a_delay_belongs_to_packets_that_are_delayed():
    text = GOOD.replace("#\n# [source]", EVENTS + "#\n# [source]")
    for old, new, problem in (
        ("delay_s = 0.05", "delay_s = 0", r"packets\[1\]\.delay_s: is 0; must be above 0"),
        ("# delay_s = 0.05\n", "", r"packets\[1\]\.delay_s: is missing; it is required"),
        ('"lose"', '"lose"\n# delay_s = 1', r"packets\[0\]\.delay_s: is not a known key"),
    ):
        with pytest.raises(InputError, match=problem):
            native.loads(text.replace(old, new, 1), "p.csv")
