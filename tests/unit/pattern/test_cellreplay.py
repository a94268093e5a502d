"""CellReplay's traces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern import library
from mmwemu.pattern.formats import cellreplay
from mmwemu.pattern.model import Direction, Pattern
from tests.patterns import make_pattern
from tests.unit.pattern.measured import sent_bytes

VALUES = {"load": "", "outage": "hold", "end": "loop"}
TRAINS = "0 20 0 1 2 4\n10 24 0 0\n20 24 0\n40 22 0\n"


def made(tmp_path, **parts):
    """Write files by what their names end in; return that of the downlink's delays."""
    for name, text in parts.items():
        (tmp_path / f"s.{name.replace('_', '-')}").write_text(text)
    return tmp_path / "s.down-delay-light-pdo"


def held_at(pattern, values, times_s):
    return values[np.searchsorted(pattern.time_s, np.array(times_s) + 1e-9, side="right") - 1]


def test_delays_are_interpolated_and_cut_to_whole_milliseconds_as_by_the_emulator(tmp_path):
    pattern = cellreplay.read(made(tmp_path, down_delay_light_pdo=TRAINS), VALUES).pattern
    assert pattern.duration_s == 0.04
    times_ms = np.arange(40)
    expected = np.interp(times_ms, [0, 10, 20, 40], [20, 24, 24, 22]).astype(int)
    assert held_at(pattern, pattern.downlink.delay_s * 1e3, times_ms / 1e3).round() == pytest.approx(expected)


def test_a_lone_file_has_the_rates_of_its_trains(tmp_path):
    reading = cellreplay.read(made(tmp_path, down_delay_light_pdo=TRAINS), VALUES)
    found = held_at(reading.pattern, reading.pattern.downlink.rate_bps, [0.0, 0.01, 0.02])
    assert found == pytest.approx(1400 * 8000 * np.array([4 / 5, 2, 1]))
    assert reading.remarks == (
        "has one direction only; the uplink is the same",
        "has no opportunities under load beside it; the rates are those of its packet trains",
    )


def test_opportunities_under_load_are_the_rates_unless_light_load_is_asked_for(tmp_path):
    path = made(tmp_path, down_delay_light_pdo=TRAINS, down_heavy_pdo="1\n1\n50\n",
                up_delay_light_pdo="0 7 0 1\n30 7 0\n60 7 0\n", up_heavy_pdo="1\n")  # fmt: skip
    found = library.read(str(path))
    pattern = found.pattern
    assert (found.form, pattern.duration_s, pattern.meta["conversion"]["load"]) == ("cellreplay", 0.06, "heavy")
    assert sent_bytes(pattern, "downlink") == pytest.approx(1400 * 5)  # it starts again after 50 ms
    assert sent_bytes(pattern, "uplink") == pytest.approx(1400 * 60)
    assert set(pattern.uplink.delay_s) == {0.007}
    assert held_at(pattern, pattern.downlink.delay_s, [0.0, 0.0401, 0.055]) == pytest.approx([0.02, 0.02, 0.024])
    assert "parts shorter than 0.06 s start again until the longest ends, as in CellReplay" in found.remarks
    from_uplink = cellreplay.read(tmp_path / "s.up-delay-light-pdo", VALUES).pattern
    assert np.array_equal(from_uplink.downlink.rate_bps, pattern.downlink.rate_bps)
    light = cellreplay.read(path, VALUES | {"load": "light"}).pattern
    assert light.uplink.rate_bps[0] == 1400 * 8000
    assert light.meta["conversion"]["load"] == "light"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0 1 0\n1 1 0\n", "has 2 lines; must have at least 3 packet trains"),
        ("0 1 0\n1 1 0\n2 1\n", "line 3: is '2 1'; must be time, delay and the times of a packet train"),
        ("0 1 0\n1 1 0\n2 -1 0\n", "line 3: is '2 -1 0'"),
        ("5 1 0\n4 1 0\n6 1 0\n", "line 2: is at 4 ms after 5 ms; times must not fall"),
        ("0 1 0 2 1\n1 1 0\n2 1 0\n", "line 1: has a packet train whose times fall"),
        ("0 1 0\n0 1 0\n0 1 0\n", "line 3: ends the trace at 0 ms; it must last"),
        ("0 3600001 0\n1 1 0\n2 1 0\n", "line 1: is beyond 2592000000 ms, or delays by more than 3600000 ms"),
        (
            "0 0 0\n9999999 3600000 0\n99999999 0 0\n",
            "has 7200000 changes of the delay by 1 ms; must be",
        ),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path, text, problem):
    with pytest.raises(InputError, match=problem):
        cellreplay.read(made(tmp_path, down_delay_light_pdo=text), VALUES)


def test_load_that_was_not_recorded_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no opportunities under load beside it, in a file that ends in heavy-pdo"):
        cellreplay.read(made(tmp_path, down_delay_light_pdo=TRAINS), VALUES | {"load": "heavy"})


def test_four_files_are_written_and_what_they_cannot_express_is_told(tmp_path):
    pattern = make_pattern([12e6, 0], delay_s=[0.01, 0.0204], loss=0.1, end="hold")
    remarks = cellreplay.write(pattern, tmp_path / "s.down-delay-light-pdo", VALUES)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "s.down-delay-light-pdo", "s.down-heavy-pdo", "s.up-delay-light-pdo", "s.up-heavy-pdo",
    ]  # fmt: skip
    assert (tmp_path / "s.down-delay-light-pdo").read_text() == "0 10 0\n499 10 0\n500 20 0\n999 20 0\n1000 20 0\n"
    assert remarks[0] == "cellreplay cannot express loss and the end hold; left out"
    assert "cellreplay cannot express that the downlink ends with 0.5 s without an opportunity" in remarks[3]


@pytest.mark.parametrize(
    ("pattern", "name", "problem"),
    [
        (make_pattern([1e6]), "t.csv", "must end in down-delay-light-pdo; three other files are written beside it"),
        (make_pattern([1e6]), "t.up-delay-light-pdo", "must end in down-delay-light-pdo"),
        (make_pattern([np.inf]), "down-delay-light-pdo", "has an unlimited rate"),
        (
            make_pattern([1e6], step_s=0.002),
            "down-delay-light-pdo",
            "would last 0.002 s; CellReplay needs",
        ),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(tmp_path, pattern, name, problem):
    with pytest.raises(InputError, match=problem):
        cellreplay.write(pattern, tmp_path / name, VALUES)
    assert not list(tmp_path.iterdir())


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(0, 40), st.integers(0, 60)), min_size=1, max_size=8))
def test_what_is_written_is_read_again(tmp_path_factory, rows):
    """Opportunities at whole milliseconds and delays in whole milliseconds come back as they were."""
    lengths_ms, per_ms, delay_ms = (np.array(column) for column in zip(*[(3, 1, 5), *rows], strict=True))
    edges_s = np.append(0, np.cumsum(lengths_ms)) / 1e3
    one = Direction(per_ms * 1400 * 8000.0, delay_ms / 1e3, np.zeros(len(per_ms)))
    path = tmp_path_factory.mktemp("cellreplay") / "down-delay-light-pdo"
    cellreplay.write(Pattern(edges_s[:-1], edges_s[-1], one, one), path, VALUES)
    again = cellreplay.read(path, VALUES).pattern
    assert again.duration_s == edges_s[-1]
    middles_s = np.arange(round(edges_s[-1] * 1e3)) / 1e3 + 5e-4
    steps = np.searchsorted(edges_s, middles_s, side="right") - 1
    assert held_at(again, again.downlink.delay_s, middles_s) == pytest.approx(one.delay_s[steps])
    rates = held_at(again, again.uplink.rate_bps, middles_s)
    if per_ms[-1] == 0:  # one opportunity marks the end
        assert rates[-1] == 1400 * 8000
        rates[-1] = 0
    assert rates == pytest.approx(one.rate_bps[steps])
