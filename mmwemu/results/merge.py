"""One results folder of several."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core import provenance
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_folder
from mmwemu.results import joining, store
from mmwemu.results.collection import Finished
from mmwemu.results.store import FORMAT

if TYPE_CHECKING:
    import pandas as pd

_RUNS = "runs"
# Counted on from folder to folder, so that each pair of runs stays one and belongs to no other.
_NUMBERS = ("run", "replay", "repetition", "experiment")


def merge(folders: Sequence[Finished], path: Path, command: Sequence[str]) -> None:
    """Write the tables of several folders as those of one, with runs, replays and repetitions numbered anew.

    The column ``folder`` of runs.parquet and the manifest's ``merged`` tell where each run comes from. What is no table
    (packets, pages, figures) stays in the old folders. Shares of one study keep their numbers, which are those of the
    whole study.

    Raises
    ------
    InputError
        If a folder is given twice, or ``path`` exists.
    MmwemuError
        If the disk is full; nothing remains.
    """
    import pandas as pd

    if len({each.path.resolve() for each in folders}) < len(folders):
        raise InputError("results", "have a folder twice; its runs would count twice")
    counting = _counting(folders)
    with whole_folder(path) as draft:
        for name in sorted({name for each in folders for name in each.tables}):
            files = [(each, counting[i]) for i, each in enumerate(folders) if name in each.tables]
            if name == _RUNS:
                parts = [_counted_on(store.load(each.path), by).assign(folder=str(each.path)) for each, by in files]
                pd.concat(parts, ignore_index=True).to_parquet(draft / f"{name}.parquet", index=False)
            else:
                joining.join([(each.path / f"{name}.parquet", by) for each, by in files], draft / f"{name}.parquet")
        names = {each.name for each in folders}
        manifest = {
            "format": FORMAT,
            "name": names.pop() if len(names) == 1 else "merged",
            "command": list(command),
            "asked": {"merged": [{"folder": str(each.path), "asked": dict(each.asked)} for each in folders]},
            "started": min(each.started for each in folders).isoformat(timespec="seconds"),
            "ended": max(each.ended for each in folders).isoformat(timespec="seconds"),
            "system": provenance.system(),
            "runs": sum(each.runs for each in folders),
            "invalid_runs": sum(each.invalid_runs for each in folders),
            "rejected_runs": sum(each.rejected_runs for each in folders),
        }
        (draft / "manifest.json").write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _are_shares(folders: Sequence[Finished]) -> bool:
    """Return whether folders are different shares of one study."""
    shares = {each.share for each in folders}
    return len(shares) == len(folders) and len({plan for plan, _ in shares}) == 1 and ("", "") not in shares


def _counting(folders: Sequence[Finished]) -> list[dict[str, int]]:
    """Return what is added to the numbers of each folder."""
    found = [dict.fromkeys(_NUMBERS, 0)]
    if _are_shares(folders):
        return found * len(folders)
    for each in folders[:-1]:
        own, before = store.load(each.path), found[-1]
        found.append({key: before[key] + (int(own[key].max()) if len(own) else 0) for key in _NUMBERS})
    return found


def _counted_on(runs: pd.DataFrame, by: Mapping[str, int]) -> pd.DataFrame:
    return runs.assign(**{key: runs[key] + number for key, number in by.items()})
