"""Runs over time for the report page: the median, the worst and the best of each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.report.page.course_figures import course_figure
from mmwemu.report.page.document import RunCourse
from mmwemu.report.page.groups import CaseGroup
from mmwemu.report.page.render import data_uri
from mmwemu.report.view import Course, KeptRun, Picture, View
from mmwemu.results.collection import Finished
from mmwemu.study.reporting.runs import Shown

if TYPE_CHECKING:
    import pandas as pd

MOST_RUNS = 120
_MOST_FRAMES = 10
_PICTURES_BYTES = 3_000_000
_LINK = ["run", "link", "time_s", "direction", "capacity_bytes", "delivered_bytes", "queue_max_bytes"]


@dataclass(frozen=True)
class _Chosen:
    """A run to show: its row, what it is in its group, the group and its view."""

    row: Mapping[str, Any]
    standing: str
    group: CaseGroup
    view: View

    @property
    def source(self) -> int:
        return int(self.row["source"])

    @property
    def run(self) -> int:
        return int(self.row["run"])


def courses(everything: Sequence[Shown], folders: Sequence[Finished], most: int = MOST_RUNS) -> list[RunCourse]:
    """Return the courses of at most ``most`` runs: the median of each group first, then the worst, then the best.

    Raises
    ------
    InputError
        If a table of a folder cannot be read.
    """
    chosen = _choose(everything, most)
    tables = {
        index: _tables(folder, [each for each in chosen if each.source == index])
        for index, folder in enumerate(folders)
    }
    found, left_bytes = [], _PICTURES_BYTES
    for each in chosen:
        own = tables[each.source].get(each.run, {})
        if "link" not in own:
            continue
        kept = KeptRun(each.row, own, folders[each.source].path)
        course = _course(each, kept)
        film = _film(course.pictures, left_bytes)
        left_bytes -= sum(len(source) for _, source in film)
        figure = course_figure(f"run-{str(each.row['label']).replace(':', '-')}", _title(each), own["link"], course)
        found.append(RunCourse(str(each.row["label"]), _group(each), each.standing, _lines(each), figure, film))
    order = {_group(each): i for i, each in reversed(list(enumerate(chosen)))}
    return sorted(found, key=lambda course: order[course.group])


def _choose(everything: Sequence[Shown], most: int) -> list[_Chosen]:
    ranked = [_standings(group, shown.view) for shown in everything for group in shown.groups]
    by_round = (each for turn in zip_longest(*ranked) for each in turn if each is not None)
    return [each for each, _ in zip(by_round, range(most), strict=False)]


def _standings(group: CaseGroup, view: View) -> list[_Chosen]:
    """Return the runs of a group to show, the most typical first; a failed one where there is no other."""
    metric = view.metrics[0]
    runs = group.runs
    counted = runs[runs["valid"] & (runs["status"] != "failed") & runs[metric.column].notna()]
    if counted.empty:
        return [_Chosen(_row(runs, 0), "first", group, view)]
    values = counted[metric.column].astype(float).to_numpy()
    order = np.argsort(values, kind="stable")
    low, high = ("best", "worst") if metric.better == "lower" else ("worst", "best")
    if not metric.better:
        low, high = "lowest", "highest"
    if len(order) == 1:
        return [_Chosen(_row(counted, 0), "only", group, view)]
    places = {int(order[(len(order) - 1) // 2]): "median" if len(order) > 2 else low}
    for place, word in ((int(order[0]), low), (int(order[-1]), high)):
        places.setdefault(place, word)
    return [_Chosen(_row(counted, place), word, group, view) for place, word in places.items()]


def _row(runs: pd.DataFrame, place: int) -> dict[str, Any]:
    return {str(name): value for name, value in runs.iloc[place].items()}


def _tables(folder: Finished, chosen: Sequence[_Chosen]) -> dict[int, dict[str, pd.DataFrame]]:
    """Return the tables of some runs of a folder by run and name, each file read once."""
    wanted = {"link": [each.run for each in chosen]}
    for each in chosen:
        for name in each.view.tables:
            wanted.setdefault(name, []).append(each.run)
    found: dict[int, dict[str, pd.DataFrame]] = {}
    for name, numbers in wanted.items():
        if name in folder.tables and numbers:
            for run, part in _read(folder, name, numbers).groupby("run", sort=False):
                found.setdefault(int(str(run)), {})[name] = part.reset_index(drop=True)
    return found


def _read(folder: Finished, name: str, numbers: Sequence[int]) -> pd.DataFrame:
    import pandas as pd

    file = folder.path / f"{name}.parquet"
    columns = _LINK if name == "link" else None
    try:
        return pd.read_parquet(file, columns=columns, filters=[("run", "in", sorted(set(numbers)))])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(str(file), f"cannot be read: {error}") from None


def _course(each: _Chosen, kept: KeptRun) -> Course:
    if each.view.course is None:
        return Course(spans=[kept.span(str(each.row["application"]))])
    try:
        return each.view.course(kept)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        problem = (
            f"run {each.run} has no tables that {each.row['application']} can read ({type(error).__name__}: {error})"
        )
        raise InputError(str(kept.folder), f"{problem}; was it edited?") from None


def _film(pictures: Sequence[Picture], left_bytes: int) -> list[tuple[float, str]]:
    """Return at most `_MOST_FRAMES` pictures, the first and the last among them; none where they would be too large."""
    if not pictures:
        return []
    places = sorted(set(np.linspace(0, len(pictures) - 1, min(len(pictures), _MOST_FRAMES)).round().astype(int)))
    film = []
    for place in places:
        picture = pictures[place]
        kind = "image/png" if picture.file.suffix == ".png" else "image/jpeg"
        try:
            film.append((picture.time_s, data_uri(picture.file.read_bytes(), kind)))
        except OSError:
            continue
    return film if sum(len(source) for _, source in film) <= left_bytes else []


def _group(each: _Chosen) -> str:
    group = each.group
    return ", ".join(part for part in (each.view.title, group.place, group.case, group.series) if part)


def _title(each: _Chosen) -> str:
    return f"Run {each.row['label']}: {_group(each)}"


def _lines(each: _Chosen) -> list[str]:
    row = each.row
    reached = [metric for metric in each.view.metrics if row[metric.column] is not None]
    values = "; ".join(f"{metric.name} {metric.show(float(row[metric.column]))}" for metric in reached)
    where = f"from {row['start_at_s']:g} s of {row['pattern_file']}"
    return [
        f"{row['verdict']}, {where}, {row['congestion_control']}. {values}",
        *([str(row["because"])] if row["because"] else []),
    ]
