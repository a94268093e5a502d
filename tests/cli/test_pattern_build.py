"""mmwemu pattern build: methods, options of the radio network, ensembles."""

from dataclasses import replace

import numpy as np
import pytest

from mmwemu.cli import main as cli
from mmwemu.pattern.conversion.registry import METHODS
from mmwemu.pattern.formats import native
from mmwemu.trace import parquet


@pytest.fixture
def build(capsys, tmp_path, monkeypatch, make_trace):
    """Give a caller of the verb in a folder with traces of three seeds; the last one tells its radio network."""
    monkeypatch.chdir(tmp_path)
    for seed in (1, 2, 3):
        trace = make_trace([1] * 50 + [0] * 50, seed=seed, throughput_bps=[1000e6] * 50 + [seed * 100e6] * 50)
        if seed == 3:
            told = {"ran_delay_s": np.full(100, 0.002), "uplink_phy_rate_bps": np.full(100, 5e6)}
            trace = replace(trace, optional=told)
        parquet.save(trace, tmp_path / f"{seed}.parquet")

    def call(words):
        with pytest.raises(SystemExit) as caught:
            cli.main(["pattern", "build", *words.split(), "-o", "p.csv"])
        out, err = capsys.readouterr()
        code = caught.value.code
        assert (code, out) == (0, "p.csv\n") or not (tmp_path / "p.csv").exists()
        return code, err, native.loads((tmp_path / "p.csv").read_text(), "p.csv") if code == 0 else None

    return call


@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_a_pattern(build, method):
    code, err, pattern = build(f"1.parquet --method {method}")
    assert (code, err) == (0, "")
    assert pattern.meta["conversion"]["method"] == method
    assert pattern.meta["conversion"]["source"] == ("phy_rate_bps" if method == "phy" else "throughput_bps")


def test_parameters_in_ms_and_shares(build):
    _, _, pattern = build("1.parquet --method changepoints --window-ms 5 --error-share 0.5")
    assert pattern.meta["conversion"]["window_s"] == 0.005
    assert pattern.meta["conversion"]["error_share"] == 0.5
    _, _, pattern = build("1.parquet --hold-off-ms 2")
    assert pattern.meta["conversion"]["hold_off_s"] == 0.002


def test_delay_and_uplink_of_the_trace(build):
    _, err, pattern = build("3.parquet --delay ran --uplink trace")
    assert err == (
        "mmwemu: note: 3.parquet: the RAN latency without a queue is known in 100 % of the bins; "
        "a step without such a bin keeps that of the step before\n"
    )
    assert set(pattern.downlink.delay_s) == {0.002}
    assert set(pattern.uplink.rate_bps) == {5e6}
    _, err, pattern = build("3.parquet")
    assert err == "mmwemu: note: 3.parquet: the trace has an uplink of its own; --uplink trace takes it\n"


def test_ensembles_and_a_chosen_seed(build):
    nlos = {}
    for words in ("--ensemble median", "--ensemble worst", "--seed 3"):
        _, _, pattern = build(f"1.parquet 2.parquet 3.parquet {words}")
        nlos[words] = pattern.downlink.rate_bps[-1]
        assert pattern.meta.get("seeds", pattern.meta.get("seed")) == (3 if "seed" in words else [1, 2, 3])
    assert [round(rate_bps * 1400 / 1428) for rate_bps in nlos.values()] == [200e6, 100e6, 300e6]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("1.parquet 2.parquet", "several TRACEs need --ensemble or --seed"),
        ("1.parquet 2.parquet --ensemble worst --seed 1", "give either --ensemble or --seed"),
        ("1.parquet --ensemble worst", "ensemble: has 1 traces; at least two are needed, of different seeds"),
        ("1.parquet 2.parquet --seed 7", "--seed: is 7; of the traces, none has it (1, 2)"),
        ("1.parquet 1.parquet --seed 1", "--seed: is 1; of the traces, more than one has it (1, 1)"),
        ("1.parquet --window-ms 5", "--window-ms: is no option of the method segments"),
        ("1.parquet --method phy --source throughput_bps", "1.parquet: source: is throughput_bps, but phy takes phy_"),
        ("1.parquet --delay ran", "1.parquet: trace: ran_delay_s: is no column of this trace; its simulation does not"),
        ("1.parquet --loss rlc", "1.parquet: trace: rlc_losses: is no column of this trace; its simulation does not"),
        ("1.parquet --uplink trace", "1.parquet: trace: uplink_phy_rate_bps: is no column of this trace; use the"),
    ],
)
def test_what_cannot_be_is_one_line(build, words, problem):
    code, err, _ = build(words)
    assert code == 2
    assert err.startswith(f"mmwemu: {problem}")
    assert err.count("\n") == 1
