"""One results folder of several."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core import provenance
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_folder
from mmwemu.results import store
from mmwemu.results.collection import Finished
from mmwemu.results.store import FORMAT

if TYPE_CHECKING:
    import pandas as pd

_RUNS = "runs"
# Counted on from folder to folder, so that each pair of runs stays one and belongs to no other.
_NUMBERS = ("run", "replay", "repetition")


def merge(folders: Sequence[Finished], path: Path, command: Sequence[str]) -> None:
    """Write the tables of several folders as those of one, with runs, replays and repetitions numbered anew.

    The column ``folder`` of runs.parquet and the manifest's ``merged`` tell where each run comes from. What is no table
    (packets, pages, figures) stays in the old folders.

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
    with whole_folder(path) as draft:
        for name in sorted({name for each in folders for name in each.tables}):
            parts, before = [], dict.fromkeys(_NUMBERS, 0)
            for each in folders:
                own = store.load(each.path)
                if name in each.tables:
                    part = own.assign(folder=str(each.path)) if name == _RUNS else _read(each, name)
                    parts.append(part.assign(**{key: part[key] + before[key] for key in _NUMBERS if key in part}))
                before = {key: before[key] + (int(own[key].max()) if len(own) else 0) for key in _NUMBERS}
            pd.concat(parts, ignore_index=True).to_parquet(draft / f"{name}.parquet", index=False)
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
        }
        (draft / "manifest.json").write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _read(folder: Finished, name: str) -> pd.DataFrame:
    import pandas as pd

    file = folder.path / f"{name}.parquet"
    try:
        table = pd.read_parquet(file)
    except (OSError, ValueError) as error:
        raise InputError(str(file), f"cannot be read: {error}") from None
    if "run" not in table or table["run"].dtype.kind not in "iu":
        raise InputError(str(file), "has no column run of whole numbers")
    return table
