import json

import numpy as np
import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern.formats import rattan
from mmwemu.pattern.model import Direction, Pattern
from tests.patterns import make_pattern

VALUES = {"uplink": "", "outage": "hold", "end": ""}
ALIKE = "has one direction only; the uplink is the same (--uplink names another file)"


def static(bw="1Mbps", duration="1s"):
    return {"StaticBwConfig": {"bw": bw, "duration": duration}}


def repeated(*steps, count=0, word="Bw"):
    return {f"Repeated{word}PatternConfig": {"pattern": list(steps), "count": count}}


def written(tmp_path, document, name="t.json"):
    path = tmp_path / name
    path.write_text(tomli_w.dumps(document) if name.endswith(".toml") else json.dumps(document))
    return path


# The examples of netem-trace's documentation, in both of its notations.
@pytest.mark.parametrize("name", ["t.json", "t.toml"])
@pytest.mark.parametrize("steps", [
    [static("12Mbps", "1s"), static("24Mbps", "1s")],
    [static({"gbps": 0, "bps": 12000000}, {"secs": 1, "nanos": 0}), static({"bps": 24000000}, {"secs": 1})],
])  # fmt: skip
def test_the_example_of_repeated_bandwidth(tmp_path, name, steps):
    reading = rattan.read(written(tmp_path, repeated(*steps, count=2), name), VALUES)
    assert reading.pattern.time_s.tolist() == [0, 1, 2, 3]
    assert reading.pattern.downlink.rate_bps.tolist() == [12e6, 24e6, 12e6, 24e6]
    assert (reading.pattern.duration_s, reading.pattern.end, reading.remarks) == (4, "hold", (ALIKE,))


def test_the_example_of_a_compact_trace(tmp_path):
    trace = {"TraceBwConfig": {"pattern": [["1ms", ["2Mbps", "4Mbps"]], ["2ms", ["1Mbps"]]]}}
    pattern = rattan.read(written(tmp_path, repeated(trace)), VALUES).pattern
    assert (pattern.time_s.tolist(), pattern.duration_s, pattern.end) == ([0, 0.001, 0.002], 0.004, "loop")
    assert pattern.downlink.rate_bps.tolist() == [2e6, 4e6, 1e6]


@pytest.mark.parametrize(("bw", "rate_bps"), [("1Gbps 200Mbps", 1.2e9), ("500 kbps", 5e5), ("0bps", 0), (None, 12e6)])
def test_bandwidths(tmp_path, bw, rate_bps):
    document = static(bw) if bw is not None else {"StaticBwConfig": {"duration": "1s"}}
    assert rattan.read(written(tmp_path, document), VALUES).pattern.uplink.rate_bps.tolist() == [rate_bps]


@pytest.mark.parametrize(("text", "time_s"), [("1s 500ms", 1.5), ("2min", 120), ("3us", 3e-6), ("1500000ns", 0.0015)])
def test_durations(tmp_path, text, time_s):
    assert rattan.read(written(tmp_path, static(duration=text)), VALUES).pattern.duration_s == time_s


def test_delay_and_loss_alone_have_no_limit_of_the_rate(tmp_path):
    path = written(tmp_path, {"StaticDelayConfig": {"delay": "50ms", "duration": "1s"}})
    reading = rattan.read(path, VALUES)
    assert (reading.pattern.uplink.rate_bps.tolist(), reading.pattern.downlink.delay_s.tolist()) == ([np.inf], [0.05])
    assert reading.remarks == ("has no bandwidth; the rate is unlimited", ALIKE)


@pytest.mark.parametrize(
    ("loss", "plain", "p", "r", "bad"),
    [([], 0, 0, 0, 0), ([0.25], 0.25, 0, 0, 0), ([0.5, 0.5], 0.5, 0, 0, 0), ([0.25, 0.75], 0, 0.25, 0.25, 1)],
)
def test_loss_after_loss_is_a_burst(tmp_path, loss, plain, p, r, bad):
    one = rattan.read(written(tmp_path, {"StaticLossConfig": {"loss": loss}}), VALUES).pattern.downlink
    found = [getattr(one, key).tolist() for key in ("loss", "gilbert_p", "gilbert_r", "loss_bad")]
    assert found == [[plain], [p], [r], [bad]]


def test_files_beside_it_belong_to_it(tmp_path):
    path = written(tmp_path, static())
    written(tmp_path, static("2Mbps"), "t.uplink.json")
    written(tmp_path, {"StaticDelayConfig": {"delay": "5ms"}}, "t.delay.json")
    reading = rattan.read(path, VALUES)
    assert (reading.pattern.downlink.delay_s.tolist(), reading.pattern.uplink.delay_s.tolist()) == ([0.005], [0])
    assert reading.pattern.uplink.rate_bps.tolist() == [2e6]
    assert reading.remarks == (
        f"{tmp_path}/t.delay.json is its downlink delay",
        f"{tmp_path}/t.uplink.json is its uplink bandwidth",
    )
    written(tmp_path, static(duration="2s"), "t.uplink.json")
    with pytest.raises(InputError, match=r"lasts 2 s where .*t\.json lasts 1 s; make them equal"):
        rattan.read(path, VALUES)
    written(tmp_path, {"StaticLossConfig": {"loss": [0.1]}}, "t.uplink.json")
    with pytest.raises(InputError, match="is a trace of Loss; must be one of Bw"):
        rattan.read(path, VALUES)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (static("12 apples"), "StaticBwConfig.bw: is '12 apples'; must be a bandwidth such as 12Mbps"),
        (static("-1Mbps"), "StaticBwConfig.bw: is '-1Mbps'; must be a bandwidth such as 12Mbps"),
        (static("nan"), "StaticBwConfig.bw: is 'nan'; must be a bandwidth such as 12Mbps"),
        (static(1e6), "StaticBwConfig.bw: is 1000000.0; must be a bandwidth such as 12Mbps"),
        (static("2Tbps"), " pattern: row 1: downlink_rate_bps is 2e+12; must be from 0 to 1e+12, or inf"),
        (static(duration="0s"), "StaticBwConfig.duration: is '0s'; must be a time such as 1s 500ms"),
        (static(duration="1000days"), "StaticBwConfig.duration: is '1000days'; must be a time such as"),
        (repeated(), " has no steps; at least one is needed"),
        (repeated(static(), count=10**7), "RepeatedBwPatternConfig.count: makes 10000000 steps; must be at most"),
        (repeated(repeated(static())), "pattern[0].RepeatedBwPatternConfig.count: is 0, endless, inside another"),
        (repeated(static(), count=-1), "RepeatedBwPatternConfig.count: is -1; must be a whole number from 0"),
        (repeated({"SawtoothBwConfig": {}}), "pattern[0].SawtoothBwConfig: cannot be read; of Bw, StaticBwConfig and"),
        (repeated({"StaticDelayConfig": {}}), "StaticDelayConfig: cannot be read; of Bw"),
        ({"StaticBwConfig": {"x": 1}}, "StaticBwConfig.x: is unknown; known are bw, duration"),
        ({"StaticRwndConfig": {}}, "'StaticRwndConfig': is no trace of Bw, Delay or Loss"),
        ({"StaticLossConfig": {"loss": [1.5]}}, "StaticLossConfig.loss: is [1.5]; must be a list of probabilities"),
        ({"StaticLossConfig": {"loss": [0.1, 0.2, 0.3]}}, "has 3 probabilities; a pattern has two states of loss"),
        ({"a": {}, "b": {}}, "must be one configuration, such as StaticBwConfig"),
    ],
)
def test_refuses_with_file_and_field(tmp_path, document, message):
    path = written(tmp_path, document)
    with pytest.raises(InputError) as caught:
        rattan.read(path, VALUES)
    assert str(caught.value).startswith(f"{path}:")
    assert message in str(caught.value)


@st.composite
def patterns(draw):
    steps = draw(st.lists(st.integers(1000, 10**9), min_size=1, max_size=6))
    edges = np.append(0, np.cumsum(steps)) / 1e9

    def direction():
        column = lambda values: np.array([draw(values) for _ in steps], dtype=float)  # noqa: E731
        delays = st.integers(0, 10**9).map(lambda ns: ns / 1e9)
        return Direction(column(st.integers(0, 10**12)), column(delays), column(st.floats(0, 1)))

    down = direction()
    up = draw(st.sampled_from([down, direction()]))
    return Pattern(edges[:-1], float(edges[-1]), down, up, end=draw(st.sampled_from(["loop", "hold"])))


@pytest.mark.parametrize("name", ["t.json", "t.toml"])
@given(data=st.data())
def test_what_is_written_and_read_again_is_the_same(tmp_path_factory, name, data):
    pattern = data.draw(patterns())
    path = tmp_path_factory.mktemp("rattan") / name
    rattan.write(pattern, path, VALUES)
    again = rattan.read(path, VALUES).pattern
    assert (again.duration_s, again.end) == (pytest.approx(pattern.duration_s, abs=2e-9), pattern.end)
    places = np.searchsorted(again.time_s, pattern.time_s + 4e-9, side="right") - 1
    for direction in ("downlink", "uplink"):
        for key in ("rate_bps", "delay_s", "loss"):
            before, after = (getattr(getattr(one, direction), key) for one in (pattern, again))
            assert after[places] == pytest.approx(before, abs=1e-9), (direction, key)


def test_a_writer_tells_what_is_lost_and_what_it_wrote(tmp_path):
    path = tmp_path / "t.json"
    (tmp_path / "t.uplink.json").write_text("{}")
    pattern = make_pattern([1e6, 0], loss=0.1, effects={"jitter_s": 0.1}, outage="drop", end="stop")
    assert rattan.write(pattern, path, VALUES) == [
        "rattan cannot express jitter and outages that drop packets; left out",
        f"{tmp_path}/t.loss.json belongs to it",
        f"{tmp_path}/t.uplink.json is not of this pattern, but would be read with it; remove it",
        "rattan cannot express the end stop; the last values hold",
    ]
    with pytest.raises(InputError, match="unlimited rate"):
        rattan.write(make_pattern([np.inf]), tmp_path / "u.json", VALUES)
    with pytest.raises(InputError, match=r"must end in \.json or \.toml"):
        rattan.write(make_pattern([1]), tmp_path / "u.txt", VALUES)
    assert not list(tmp_path.glob("u.*"))
