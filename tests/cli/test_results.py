import json

from mmwemu.results import store
from tests.kept_results import make_results


def test_results_are_listed_and_shown(mmwemu, tmp_path):
    make_results(tmp_path / "results" / "r", 1e6, 3e6)
    (tmp_path / "results" / "x").mkdir()
    code, out, err = mmwemu("results", "list")
    assert (code, out.splitlines()[1].split()[:2]) == (0, ["results/r", "download"])
    assert "mmwemu: note: left out: results/x: is not a results folder" in err
    assert json.loads(mmwemu("results", "list", "--json")[1])[0]["tables"] == ["link", "runs"]
    code, out, _ = mmwemu("results", "show", "results/r", "--plots", "plots")
    assert out.startswith("download: mmwemu run 'a b'\n")
    assert "1.0, 3.0" in out
    assert (tmp_path / "plots" / "goodput.png").exists()
    found = json.loads(mmwemu("results", "show", "results/r", "--json", "--average", "median")[1])
    assert (found["asked"], found["goodput"][0]["interval_of"]) == ({"sizes": [3]}, "median")


def test_results_answer_queries(mmwemu, tmp_path):
    make_results(tmp_path / "results" / "r", 1e6, None)
    code, out, _ = mmwemu("results", "query", "select run, goodput_bps, rat from runs order by run")
    assert (code, out.splitlines()[1:]) == (0, ["  1        1e+06  lte", "  2            -  lte"])
    found = json.loads(mmwemu("results", "query", "select goodput_bps from runs order by run", "--json")[1])
    assert found == [{"goodput_bps": 1e6}, {"goodput_bps": None}]
    assert mmwemu("results", "query", "select 1 as x", "results/r", "-o", "x.csv")[1] == "x.csv\n"
    assert (tmp_path / "x.csv").read_text() == "x\n1\n"
    code, _, err = mmwemu("results", "query", "select 1 from nothing")
    assert (code, err.count("\n")) == (2, 1)


def test_results_are_compared_merged_and_exported(mmwemu, tmp_path):
    make_results(tmp_path / "a", *[1e6] * 5)
    make_results(tmp_path / "b", *[2e6] * 5)
    assert mmwemu("results", "diff", "a", "b")[1].splitlines()[1].split()[-4:] == ["2.000", "2.000", "-", "2.000"]
    assert json.loads(mmwemu("results", "diff", "a", "b", "--json")[1])[0]["ratio"]["value"] == 2
    assert mmwemu("results", "merge", "a", "b", "-o", "c")[:2] == (0, "c\n")
    assert len(store.load(tmp_path / "c")) == 10
    assert mmwemu("results", "export", "c", "--table", "link", "-o", "l.csv")[0] == 0
    assert (tmp_path / "l.csv").read_text().startswith("time_s,direction,delivered_bytes,run\n")
    assert mmwemu("results", "export", "c", "--table", "tcp", "-o", "l.csv")[0] == 2


def test_old_results_are_removed_on_request_only(mmwemu, tmp_path):
    make_results(tmp_path / "results" / "r", 1e6)
    assert mmwemu("results", "prune", "--older-than-days", "1")[1] == "nothing is that old\n"
    assert mmwemu("results", "prune", "--older-than-days", "0")[1].startswith("would remove results/r (1 runs")
    assert (tmp_path / "results" / "r").exists()
    assert mmwemu("results", "prune", "--older-than-days", "0", "--yes")[1].startswith("removed results/r")
    assert not (tmp_path / "results" / "r").exists()
