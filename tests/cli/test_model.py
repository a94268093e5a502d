import json

import pytest


def test_each_size_with_each_rate_and_round_trip(mmwemu):
    code, out, _ = mmwemu(
        "model", "slowstart", "--size", "1MB,10MB", "--rate", "1Gbit/s", "--rtt-ms", "10,100", "--json"
    )
    assert code == 0
    found = json.loads(out)["transfers"]
    assert [(one["size_bytes"], one["rtt_s"]) for one in found] == [(1e6, 0.01), (1e6, 0.1), (1e7, 0.01), (1e7, 0.1)]
    assert all(one["time_s"] == pytest.approx(8 * one["size_bytes"] / 1e9 / one["efficiency"]) for one in found)


def test_a_table_and_a_figure(mmwemu, tmp_path):
    code, out, _ = mmwemu("model", "slowstart", "--size", "1MB", "--plot", "ramp.png")
    assert (code, len(out.splitlines())) == (0, 1 + 9 + 1)
    assert (tmp_path / "ramp.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--rtt-ms", "0"], "'0' is not a number above 0, up to"),
        (["--initial-window", "0"], "'0' is not a whole number from 1 to"),
        (["--plot", "ramp.txt"], "is not a picture file"),
    ],
)
def test_bad_input_is_one_line(mmwemu, words, problem):
    code, _, err = mmwemu("model", "slowstart", *words)
    assert code == 2
    assert problem in err
