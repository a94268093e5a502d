"""Experiments on a testbed without networks; the applications are commands."""

import math
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.application import Outcome
from mmwemu.apps.command.application import Command
from mmwemu.apps.download.application import Downloads
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.results import store
from mmwemu.results.records import Run
from mmwemu.study.experiment import run_application, run_together
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part
from tests.fakes import fake_link


def shell(script, **options):
    return Command(("sh", "-c", script), **options)


def keep(path, run):
    with store.create(store.Experiment("t", [], {}), path) as writer:
        return run(writer)


def test_each_run_is_a_row_with_what_was_asked(testbeds, patterns, tmp_path):
    plan = ReplayPlan(repetitions=2, delay_s=0.001, queue_packets=50, clients=2, edge=True, core_rate_bps=1e9, seed=3)
    script = """echo "{\\"of_run\\": $MMWEMU_RUN, \\"of_client\\": $MMWEMU_NUMBER}" """
    runs = keep(tmp_path / "r", lambda writer: run_application(patterns, plan, shell(script), writer))
    table = store.load(tmp_path / "r")
    assert table["run"].tolist() == table["of_run"].tolist() == list(range(1, 9))
    assert table["client"].tolist() == table["of_client"].tolist() == [1, 2] * 4
    assert table["replay"].tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert table["pattern"].tolist() == ["a", "a", "b", "b"] * 2
    assert table["seed"].tolist() == [3] * 4 + [4] * 4
    assert [run.run for run in runs] == table["run"].tolist()
    (row,) = (
        table[["queue_packets", "delay_s", "clients", "edge", "core_rate_bps", "valid", "status"]]
        .drop_duplicates()
        .to_numpy()
        .tolist()
    )
    assert row == [50, 0.001, 2, True, 1e9, True, "ok"]
    assert set(Run.__dataclass_fields__) - {"link"} <= set(table.columns)
    links = pd.read_parquet(tmp_path / "r" / "link.parquet")
    assert links.groupby("run")["link"].nunique().tolist() == [2] * 8


def test_the_settings_are_tried_before_anything_is_served(testbeds, patterns, tmp_path):
    keep(tmp_path / "r", lambda writer: run_application(patterns[:1], ReplayPlan(delay_s=0), shell("true"), writer))
    tried, drained, started = fake_link(testbeds[0]).started
    assert (tried, drained.start) == (started, "now")


def test_a_failed_run_is_kept_and_the_others_go_on(testbeds, patterns, tmp_path):
    script = 'echo "it broke" >&2; exit $((MMWEMU_RUN % 2))'
    runs = keep(tmp_path / "r", lambda writer: run_application(patterns, ReplayPlan(delay_s=0), shell(script), writer))
    assert [(run.status, run.error) for run in runs] == [("failed", "exit code 1: it broke"), ("ok", "")]


def test_applications_share_a_replay(testbeds, patterns, tmp_path):
    parts = [Part(shell("sleep 0.2")), Part(shell("""echo '{"late_s": 1}'"""), 0.1)]
    runs = keep(tmp_path / "r", lambda w: run_together(patterns, ReplayPlan(delay_s=0), parts, w))
    assert [(run.run, run.replay, run.offset_s) for run in runs] == [(1, 1, 0), (2, 1, 0.1), (3, 2, 0), (4, 2, 0.1)]
    assert runs[0].duration_s >= 0.2 > runs[1].duration_s


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([Part(Downloads((1, 2)))], "download: has several cases; what runs beside others can have one"),
        ([Part(shell("true"), 1.0)], "at: is above 0 for every application; one has to start at 0"),
    ],
)
def test_applications_that_cannot_share_a_replay_are_refused(testbeds, patterns, tmp_path, parts, message):
    with pytest.raises(InputError) as caught:
        keep(tmp_path / "r", lambda writer: run_together(patterns, ReplayPlan(), parts, writer))
    assert str(caught.value) == message
    assert testbeds == []


@pytest.mark.parametrize("offset_s", [-1.0, math.inf, math.nan])
def test_a_start_that_makes_no_sense_is_refused(offset_s):
    with pytest.raises(InputError, match=r"at: is .* s; must be finite and 0 or more"):
        Part(shell("true"), offset_s)


def test_what_runs_at_the_edge_has_to_last(testbeds, patterns, tmp_path):
    plan = ReplayPlan(delay_s=0, serve_edge="sh -c 'exit 3'", repetitions=2)
    with pytest.raises(MmwemuError, match="sh -c 'exit 3' ended at the edge, with exit code 3"):
        keep(tmp_path / "r", lambda writer: run_application(patterns, plan, shell("sleep 0.2"), writer))


def test_what_runs_at_the_edge_has_to_be_a_command(testbeds, patterns, tmp_path):
    with pytest.raises(InputError, match='serve-edge: is "it\'s": no closing quotation'):
        plan = ReplayPlan(delay_s=0, serve_edge="it's")
        keep(tmp_path / "r", lambda writer: run_application(patterns, plan, shell("true"), writer))


def test_packets_are_kept_in_the_forms_that_were_asked_for(testbeds, patterns, tmp_path):
    plan = ReplayPlan(delay_s=0, packets=("parquet", "pcapng", "parquet"))
    keep(tmp_path / "r", lambda writer: run_application(patterns, plan, shell("true"), writer))
    names = sorted(path.name for path in (tmp_path / "r" / "packets").iterdir())
    assert names == ["00001.parquet", "00001.pcapng", "00002.parquet", "00002.pcapng"]


def test_an_application_of_the_users_gets_its_tables_kept(testbeds, patterns, tmp_path):
    class Prepared:
        hosts = None

        def before(self, context, case):
            (context.folder / "before").write_text(case)

        def run(self, context, case, number, go):
            go()
            columns = {"status": "ok", "error": "", "duration_s": 0.1, "limit_s": 1.0}
            return Outcome(columns, {"steps": pd.DataFrame({"x": [number]})})

    class Mine:
        name = "mine"
        record = Run
        cases = ("one", "two")

        def prepare(self, folder, on_progress):
            assert Path(folder).is_dir()
            return Prepared()

    runs = keep(tmp_path / "r", lambda writer: run_application(patterns[:1], ReplayPlan(delay_s=0), Mine(), writer))
    assert [run.application for run in runs] == ["mine"] * 2
    assert pd.read_parquet(tmp_path / "r" / "steps.parquet").to_numpy().tolist() == [[1, 1], [2, 2]]
    assert (tmp_path / "r" / "before").read_text() == "two"
