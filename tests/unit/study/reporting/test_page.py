import contextlib
import json
import re
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pandas as pd
import pytest

from mmwemu.apps.command.record import CommandRun
from mmwemu.core.errors import InputError
from mmwemu.core.names import is_name
from mmwemu.report.claims import JudgedClaim
from mmwemu.report.page.render import render
from mmwemu.results.collection import open_folder
from mmwemu.results.records import Run
from mmwemu.study.reporting.page import make_page
from mmwemu.study.reporting.runs import Counting
from tests import report_folders
from tests.fuzz.tables import results
from tests.records import common, download


def page_of(*paths, **options):
    return make_page([open_folder(path) for path in paths], ["mmwemu", "report", report_folders.HOSTILE], **options)


def data_of(html):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_findings_are_said_with_their_interval_and_every_kind_of_doubt_with_its_count(tmp_path):
    runs = report_folders.downloads(sizes=(20_000_000,))
    doubts = [{"valid": False}, {"status": "failed", "goodput_bps": None}, {"status": "timeout"}, {"cpu_bound": True}]
    where = report_folders.pattern_columns(report_folders.PATTERNS[1])
    runs += [download(100 + i, **({"size_bytes": 20_000_000, "goodput_bps": 50e6} | where | doubt))
             for i, doubt in enumerate(doubts)]  # fmt: skip
    page = page_of(report_folders.write(tmp_path / "r", runs))
    ((title, (sentence,)),) = page.findings
    assert title == "Downloads"
    assert re.fullmatch(
        r"s1-long-nlos: goodput was 4\.\d times as high \(better\) over 5G mmWave as over 4G LTE: 2\d\d against "
        r"\d\d(\.\d)? Mbit/s \(95 % interval \d\.\d\d - \d\.\d\d times, \d+ pairs of runs\)\.",
        sentence.text,
    ), sentence
    assert [caution.split(" runs ")[0] for caution in page.cautions] == ["1 of 16"] * 4


def test_texts_of_records_stay_texts(tmp_path):
    hostile = report_folders.HOSTILE
    runs = report_folders.downloads(2, patterns=(hostile,), error=hostile, invalid_because=hostile, valid=False, rat="")
    claim = JudgedClaim("c1", hostile, hostile, hostile, hostile, "differs", hostile)
    html = render(page_of(report_folders.write(tmp_path / "r", runs), title=hostile, claims=[claim]))
    assert hostile not in html
    assert "<script>alert" not in html and "</style>\"'" not in html
    assert hostile in data_of(html)["runs"]["values"]["pattern"]
    assert html.count("<script") == 3 and html.count("</script>") == 3


def test_claims_have_a_section_of_their_own(tmp_path):
    path = report_folders.write(tmp_path / "r", report_folders.downloads(1))
    claims = [
        JudgedClaim("h-1", "Hurtig 2019, figure 6", "5G is faster", "2 times", "4.1 (3.9 - 4.3)", "found"),
        JudgedClaim("h-2", "figure 7", "no stalls", "0", "", "cannot be judged", "no film was played"),
    ]
    html = render(page_of(path, claims=claims))
    assert '<tr id="claim-h-1"><td>5G is faster</td>' in html
    assert '<span class="verdict cannot-be-judged">cannot be judged</span></td><td>0</td>' in html
    assert 'id="claims"' not in render(page_of(path))


def test_all_applications_share_one_page_and_one_table_of_runs(tmp_path):
    paths = [
        report_folders.write(tmp_path / "d", report_folders.downloads(2)),
        report_folders.page_loads(tmp_path / "w"),
        report_folders.films(tmp_path / "s"),
    ]
    page = page_of(*paths)
    assert [section.title for section in page.sections] == ["Downloads", "Page loads", "Films"]
    assert len(page.runs.values["label"]) == 8 + 8 + 2
    assert page.runs.values["label"][8] == "2:1"
    (place,) = page.places
    assert place.title == "s1-long-nlos"
    assert [figure.name for figure in place.figures] == ["place-1", "place-1-map"]
    courses = {course.key: course for course in page.courses}
    assert [time_s for time_s, _ in courses["2:1"].film] == [0.0, 0.3, 0.6]
    assert set(courses["2:1"].figure.data["spans"]["kind"]) == {"requests"}
    assert "stall" in set(courses["3:2"].figure.data["spans"]["kind"])
    assert {"link", "spans", "marks", "curves0", "curves1"} == set(courses["3:2"].figure.data)


def test_the_same_experiment_twice_is_a_comparison_of_folders(tmp_path):
    paths = [report_folders.write(tmp_path / name, report_folders.downloads(2, sizes=(2_000_000,))) for name in "ab"]
    page = page_of(*paths)
    assert set(page.runs.values["pattern"]) == {
        f"{name}, {folder}" for name in report_folders.PATTERNS for folder in "ab"
    }
    assert len(page.findings[0][1][0].parts) == 2
    with pytest.raises(InputError, match="have a folder twice"):
        page_of(paths[0], paths[0])


def test_medians_are_shown_on_request(tmp_path):
    runs = [download(i, goodput_bps=rate) for i, rate in enumerate([1e6, 2e6, 9e6], 1)]
    path = report_folders.write(tmp_path / "r", runs)
    assert "goodput 4 Mbit/s" in page_of(path).findings[0][1][0].text
    assert (
        "goodput 2 Mbit/s over 4G LTE (median of 3 runs)"
        in page_of(path, counting=Counting("median")).findings[0][1][0].text
    )


def test_starts_that_were_listed_are_one_group_and_said_so(tmp_path):
    path = report_folders.write(tmp_path / "r", report_folders.downloads(2, starts=(0.0, 2.0)))
    page = page_of(path)
    assert "Downloads from 0, 2 s of a pattern form one group" in page.cautions[-1]
    assert [title for title, _ in page.sections[0].tables] == ["Averages", "Averages of each start (0, 2 s)"]
    assert len(page.sections[0].tables[1][1].rows) == 8


def test_runs_that_all_failed_make_a_page_too(tmp_path):
    runs = [download(1, status="failed", error="no answer", goodput_bps=None, connect_s=None, ttfb_s=None)]
    page = page_of(report_folders.write(tmp_path / "r", runs))
    assert page.findings == [("Downloads", [])]
    assert page.runs.values["because"] == ["no answer"]
    assert [course.standing for course in page.courses] == ["first"]
    assert "1 of 1 runs failed; they are left out of averages." in page.cautions


def test_tables_edited_into_nonsense_are_refused(tmp_path):
    path = report_folders.write(tmp_path / "r", report_folders.downloads(1))
    link = pd.read_parquet(path / "link.parquet")
    link.drop(columns="capacity_bytes").to_parquet(path / "link.parquet")
    with pytest.raises(InputError, match=r"link\.parquet: cannot be read"):
        page_of(path)
    runs = pd.read_parquet(path / "runs.parquet")
    runs.assign(goodput_bps="fast").to_parquet(path / "runs.parquet")
    with pytest.raises(InputError, match="was it edited"):
        page_of(path)


def test_the_page_refers_to_nothing_outside(tmp_path):
    html = render(page_of(report_folders.write(tmp_path / "r", report_folders.downloads(1))))
    assert not re.search(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=", html.partition('id="data"')[0][:20_000])
    assert "default-src 'none'" in html


@hypothesis.settings(max_examples=20)
@hypothesis.given(folder=results())
def test_a_folder_that_somebody_edited_makes_a_page_or_is_refused(folder):
    with tempfile.TemporaryDirectory() as parent, warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path(parent) / "r"
        path.mkdir()
        for name, content in folder.items():
            (path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        with contextlib.suppress(InputError):
            assert page_of(path).title


def test_a_command_has_its_own_metrics_and_a_stranger_all_numbers(tmp_path):
    own = {"command": "c", "exit_code": 0}
    runs = [
        CommandRun(**common(i, application="command"), **own, metrics={"wait_s": float(i), "../../x/y.z[0]": float(i)})
        for i in (1, 2)
    ]
    (section,) = page_of(report_folders.write(tmp_path / "c", runs, "command")).sections
    assert {choice.what for choice in section.choices} == {"duration [s]", "wait [s]", "../../x/y.z[0]"}
    assert len({choice.figure.name for choice in section.choices}) == len(section.choices)
    assert all(is_name(choice.figure.name) for choice in section.choices)
    runs = [HeardRun(**common(i, application="heard-of"), loudness_db=float(i)) for i in (1, 2)]
    (section,) = page_of(report_folders.write(tmp_path / "s", runs, "heard-of")).sections
    assert (section.title, [choice.what for choice in section.choices][::2]) == (
        "heard-of",
        ["duration [s]", "loudness [dB]"],
    )


@dataclass(frozen=True, kw_only=True)
class HeardRun(Run):
    """A run of an application that is not installed."""

    loudness_db: float
