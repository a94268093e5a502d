"""Patterns and scenarios of the runs, for the report page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.figure import RAT_LABELS
from mmwemu.core.files import sha256
from mmwemu.pattern import library
from mmwemu.pattern.model import Pattern
from mmwemu.report.page.document import Place
from mmwemu.report.page.groups import CaseGroup
from mmwemu.report.page.place_figures import map_figure, pattern_figure
from mmwemu.results.collection import Finished
from mmwemu.scenario import read
from mmwemu.scenario.model import Rat
from mmwemu.simulate.config import scenario_hash
from mmwemu.study.reporting.runs import Shown

if TYPE_CHECKING:
    import pandas as pd

_MOST_PLACES = 24


@dataclass(frozen=True)
class _Used:
    """A pattern that runs used: its name, the hash of its file, and the pattern if that file was found."""

    name: str
    digest: str
    rat: str
    pattern: Pattern | None


def places(everything: Sequence[Shown], folders: Sequence[Finished]) -> list[Place]:
    """Return a part for each scenario, with its map, and the patterns of it or of no known scenario.

    Only a file with the hash that the runs recorded counts as their pattern: a shipped one, one that the experiment was
    given, or one in its results folder.
    """
    import pandas as pd

    runs = pd.concat([_bars(shown) for shown in everything], ignore_index=True)
    distinct = runs[["pattern_file", "pattern_sha256", "rat"]].drop_duplicates().astype(str)
    used = [_find(name, digest, rat, folders) for name, digest, rat in distinct.itertuples(index=False, name=None)]
    by_place: dict[str, list[_Used]] = {}
    for each in used:
        by_place.setdefault(_place_of(each), []).append(each)
    found = []
    for i, (name, own) in enumerate(list(by_place.items())[:_MOST_PLACES]):
        found.append(_place(f"place-{i + 1}", name, own, runs))
    return found


def _place(file: str, name: str, used: Sequence[_Used], runs: pd.DataFrame) -> Place:
    lines, figures = [], []
    scenario, remark = _scenario(name, used)
    if remark:
        lines.append(remark)
    known = [each for each in used if each.pattern is not None]
    lines += [f"{each.name}: the pattern's file with the recorded hash is not here, so it is not drawn."
              for each in used if each.pattern is None]  # fmt: skip
    if known:
        one_each = len({each.rat for each in known}) == len(known) and all(each.rat in RAT_LABELS for each in known)
        series = {each.digest: RAT_LABELS[each.rat] if one_each else each.name for each in known}
        own = runs[runs["pattern_sha256"].isin(series)].assign(series=runs["pattern_sha256"].map(series))
        patterns = {series[each.digest]: each.pattern for each in known if each.pattern is not None}
        columns = ["series", "what", "begin", "end", "run"]
        figures.append(pattern_figure(file, f"{name}: rate, and when runs took place", patterns, own[columns]))
    if scenario is not None:
        figures.append(map_figure(f"{file}-map", scenario))
    return Place(name, lines, figures)


def _bars(shown: Shown) -> pd.DataFrame:
    """Return the begin and end of each run in its pattern, s."""
    import pandas as pd

    return pd.concat([_bars_of(shown.view.title, group) for group in shown.groups], ignore_index=True)


def _bars_of(title: str, group: CaseGroup) -> pd.DataFrame:
    runs = group.runs
    begin_s = runs["start_at_s"] + runs["offset_s"]
    columns = runs[["pattern_file", "pattern_sha256", "rat"]]
    what = group.case or title
    return columns.assign(what=what, begin=begin_s, end=begin_s + runs["duration_s"], run=runs["label"])


def _find(name: str, digest: str, rat: str, folders: Sequence[Finished]) -> _Used:
    for file in _candidates(name, folders):
        try:
            if file.is_file() and sha256(file) == digest:
                return _Used(name, digest, rat, library.read_file(file, None, {}).pattern)
        except (MmwemuError, OSError):
            continue
    return _Used(name, digest, rat, None)


def _candidates(name: str, folders: Sequence[Finished]) -> Iterator[Path]:
    if name in library.shipped():
        yield library.shipped()[name]
    for folder in folders:
        yield folder.path / f"{name}.csv"
        for given in _texts(folder.asked.get("patterns")):
            if Path(given.rpartition(":")[2]).stem == name:
                yield Path(given.rpartition(":")[2])


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _place_of(used: _Used) -> str:
    scenario = used.pattern.meta.get("scenario") if used.pattern else None
    return (
        str(scenario) if scenario else ".".join(part for part in used.name.split(".") if part != used.rat) or used.name
    )


def _scenario(name: str, used: Sequence[_Used]) -> tuple[Any, str]:
    """Return a shipped scenario that patterns name, and a remark where it is not quite that of the patterns."""
    hashes = {(each.rat, each.pattern.meta.get("scenario_hash")) for each in used if each.pattern}
    if name not in read.shipped() or not any(each.pattern and each.pattern.meta.get("scenario") for each in used):
        return None, ""
    try:
        scenario = read.load(name)
    except InputError:
        return None, ""
    now = {rat: scenario_hash(scenario, rat) for rat in get_args(Rat)}
    same = all(digest == now.get(rat) for rat, digest in hashes if digest)
    return (
        scenario,
        "" if same else "The scenario has changed since these patterns were made; the map shows it as it is now.",
    )
