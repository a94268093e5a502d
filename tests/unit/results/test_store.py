import json
import re
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

from mmwemu.core.errors import InputError, InterruptedRunError, MmwemuError
from mmwemu.results import store
from mmwemu.results.records import Run
from tests.records import download as run

EXPERIMENT = store.Experiment("test", ["mmwemu", "run"], {"size_bytes": 3})
TELEMETRY = pd.DataFrame({"time_s": [0.0, 0.01], "direction": "downlink", "delivered_bytes": [10, 20]})


def test_a_whole_experiment(tmp_path):
    path = tmp_path / "r"
    with store.create(EXPERIMENT, path) as writer:
        writer.add(run(1), TELEMETRY)
        writer.add(run(2, goodput_bps=None, status="failed", valid=False), TELEMETRY)
    assert sorted(p.name for p in path.iterdir()) == ["link.parquet", "manifest.json", "runs.parquet"]
    manifest = json.loads((path / "manifest.json").read_text())
    assert (manifest["format"], manifest["runs"], manifest["invalid_runs"]) == (1, 2, 1)
    assert manifest["system"]["kernel"]
    runs = store.load(path)
    assert runs["status"].tolist() == ["ok", "failed"]
    assert runs["goodput_bps"].isna().tolist() == [False, True]
    assert pd.read_parquet(path / "link.parquet")["run"].tolist() == [1, 1, 2, 2]


def test_duckdb_reads_all_experiments_as_one_table(tmp_path):
    for name in ("a", "b"):
        with store.create(EXPERIMENT, tmp_path / name) as writer:
            writer.add(run(1), TELEMETRY)
    query = f"select count(*), avg(goodput_bps) from read_parquet('{tmp_path}/*/runs.parquet', union_by_name = true)"
    assert duckdb.sql(query).fetchall() == [(2, 16e6)]


def test_what_was_measured_survives_a_crash(tmp_path):
    with pytest.raises(ZeroDivisionError), store.create(EXPERIMENT, tmp_path / "r") as writer:
        writer.add(run(1), TELEMETRY)
        raise ZeroDivisionError
    (left,) = store.unfinished(tmp_path)
    assert store.load(left)["run"].tolist() == [1]


def test_results_are_never_overwritten(tmp_path):
    with store.create(EXPERIMENT, tmp_path / "r"):
        pass
    with pytest.raises(InputError, match="exists already"), store.create(EXPERIMENT, tmp_path / "r"):
        raise AssertionError("must not be reached")


def test_a_full_disk_is_one_line(tmp_path):
    with pytest.raises(MmwemuError, match="No space left"), store.create(EXPERIMENT, tmp_path / "r") as writer:
        (writer.folder / "parts" / "run-00001.json").symlink_to("/dev/full")
        writer.add(run(1), TELEMETRY)


def test_a_folder_of_something_else(tmp_path):
    with pytest.raises(InputError, match="is not a results folder"):
        store.load(tmp_path)


def test_a_newer_format_is_refused_by_name(tmp_path):
    (tmp_path / "manifest.json").write_text('{"format": 7}')
    with pytest.raises(InputError, match="has format 7; this mmwemu reads up to 1"):
        store.load(tmp_path)


def test_an_interruption_of_the_first_run_names_what_it_left(tmp_path):
    for kept in (True, False):
        with pytest.raises(KeyboardInterrupt if not kept else InterruptedRunError) as caught:
            with store.create(EXPERIMENT, tmp_path / "r") as writer:
                (writer.folder / "packets").mkdir()
                (writer.folder / "packets" / "00001.parquet").write_text("x" * kept)
                raise KeyboardInterrupt
        assert (tmp_path / "r.in-progress").exists() == kept
        if kept:
            assert str(caught.value) == f"interrupted; the output of the first run is kept in {tmp_path}/r.in-progress"
            (tmp_path / "r.in-progress").rename(tmp_path / "seen")


def test_an_interruption_names_what_is_kept(tmp_path):
    with pytest.raises(InterruptedRunError, match=r"interrupted; 1 complete run is kept in .*in-progress") as caught:
        with store.create(EXPERIMENT, tmp_path / "r") as writer:
            writer.add(run(1), TELEMETRY)
            raise KeyboardInterrupt
    assert caught.value.exit_code == 130


def test_a_table_is_loaded_whole_or_of_one_run(tmp_path):
    with store.create(EXPERIMENT, tmp_path / "r") as writer:
        writer.add(run(1), TELEMETRY, {"ping": pd.DataFrame({"rtt_s": [0.02]})})
        writer.add(run(2), TELEMETRY)
    assert store.load_table(tmp_path / "r", "link")["run"].tolist() == [1, 1, 2, 2]
    assert store.load_table(tmp_path / "r", "link", 2)["delivered_bytes"].tolist() == [10, 20]
    assert len(store.load_table(tmp_path / "r", "ping", 2)) == 0
    with pytest.raises(InputError, match=r"r/tcp\.parquet: does not exist; tables here: link, ping, runs"):
        store.load_table(tmp_path / "r", "tcp")
    with pytest.raises(InputError, match=r"/tcp\.parquet: does not exist; tables here: none"):
        store.load_table(tmp_path, "tcp")


def test_a_manifest_says_what_was_asked_when_and_where(tmp_path):
    with store.create(store.Experiment("test", ["mmwemu", "run"], {"size_bytes": 3}), tmp_path / "r") as writer:
        writer.add(run(1), TELEMETRY)
        assert not (tmp_path / "r").exists()
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert sorted(manifest) == [
        "asked", "command", "ended", "format", "invalid_runs", "name", "rejected_runs", "runs", "started",
        "system",
    ]  # fmt: skip
    assert (manifest["name"], manifest["command"], manifest["asked"]) == ("test", ["mmwemu", "run"], {"size_bytes": 3})
    started, ended = (datetime.fromisoformat(manifest[name]) for name in ("started", "ended"))
    assert started <= ended and started.utcoffset() == timedelta(0) and started.microsecond == 0
    assert manifest["invalid_runs"] == 0


def test_tables_have_their_own_columns_and_no_others(tmp_path):
    with store.create(EXPERIMENT, tmp_path / "r") as writer:
        writer.add(run(1), TELEMETRY, {"ping": pd.DataFrame({"rtt_s": [0.02]}, index=[7])})
        assert sorted(writer.tables(1)) == ["link", "ping"]
        assert writer.tables(1)["ping"].to_dict("records") == [{"rtt_s": 0.02, "run": 1}]
        writer.add(run(2), TELEMETRY)
        assert sorted(writer.tables(2)) == ["link"]
    columns = {name: pq.read_schema(tmp_path / "r" / f"{name}.parquet").names for name in ("link", "ping")}
    assert columns == {"link": [*TELEMETRY, "run"], "ping": ["rtt_s", "run"]}
    whole = pd.read_parquet(tmp_path / "r" / "link.parquet")
    assert whole.index.tolist() == [0, 1, 2, 3]
    assert pq.read_schema(tmp_path / "r" / "runs.parquet").names == list(run(1).row())


def test_without_runs_the_columns_are_those_of_every_run():
    assert list(store.to_frame([]).columns) == [field.name for field in fields(Run)]


def test_only_folders_in_progress_are_unfinished(tmp_path):
    for name in ("b.in-progress", "a.in-progress", "c"):
        (tmp_path / name).mkdir()
    (tmp_path / "d.in-progress").touch()
    assert [path.name for path in store.unfinished(tmp_path)] == ["a.in-progress", "b.in-progress"]


def test_a_folder_is_named_after_the_time_in_utc(tmp_path):
    path = store.default_path(tmp_path, "web")
    assert path.parent == tmp_path
    assert re.fullmatch(r"\d{8}T\d{6}Z-web", path.name)


def test_several_of_one_second_have_folders_of_their_own(tmp_path, monkeypatch):
    now = datetime.now(UTC)
    monkeypatch.setattr(store, "datetime", SimpleNamespace(now=lambda zone: now))
    names = []
    for state in ("", ".in-progress", ""):
        path = store.default_path(tmp_path, "web")
        path.with_name(path.name + state).mkdir()
        names.append(path.name.partition("Z-")[2])
    assert names == ["web", "web-2", "web-3"]


def test_runs_of_a_crash_come_in_order(tmp_path):
    with pytest.raises(ZeroDivisionError), store.create(EXPERIMENT, tmp_path / "r") as writer:
        for number in (2, 10, 1):
            writer.add(run(number), TELEMETRY)
        raise ZeroDivisionError
    assert store.load(tmp_path / "r.in-progress")["run"].tolist() == [1, 2, 10]


def test_a_manifest_is_sorted_json_without_nan(tmp_path):
    with store.create(EXPERIMENT, tmp_path / "r"):
        pass
    text = (tmp_path / "r" / "manifest.json").read_text()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
    with pytest.raises(ValueError, match="not JSON compliant"):
        with store.create(store.Experiment("test", [], {"x": float("nan")}), tmp_path / "s"):
            pass
