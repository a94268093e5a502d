"""What a results folder recorded of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mmwemu.core.errors import InputError
from mmwemu.results import store
from mmwemu.results.collection import Finished
from mmwemu.study.explain.segments import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

_LINK = 1


@dataclass(frozen=True)
class Recording:
    """One run: its row of runs.parquet, its packets and the telemetry of the access link."""

    run: Mapping[str, Any]
    packets: pd.DataFrame
    telemetry: pd.DataFrame


def run_of(folder: Finished, number: int) -> Mapping[str, Any]:
    """Return a run's row of runs.parquet.

    Raises
    ------
    InputError
        If there is no such run, or it is not one that can be explained.
    """
    runs = store.load(folder.path)
    found = runs[runs["run"] == number]
    where = f"{folder.path}: run {number}"
    if len(found) != 1:
        there = f"it has {int(runs['run'].min())} to {int(runs['run'].max())}" if len(runs) else "it has no runs"
        raise InputError(where, f"does not exist; {there}")
    run = {str(name): value for name, value in found.iloc[0].to_dict().items()}
    if run["status"] == "failed":
        raise InputError(where, f"failed ({run['error']}); a run that ended, or met its limit, can be explained")
    if run["edge"]:
        raise InputError(where, "passed an edge; runs over a single link can be explained")
    beside = runs[(runs["replay"] == run["replay"]) & (runs["client"] == run["client"])]
    if len(beside) > 1 and "folder" not in runs:
        names = ", ".join(sorted(set(beside["application"].astype(str))))
        raise InputError(where, f"shared its client ({names}); a run alone on its client can be explained")
    return run


def read(folder: Finished, number: int) -> Recording:
    """Return what was recorded of a run.

    Raises
    ------
    InputError
        As `run_of`; or if its packets were not recorded, or without the fields of TCP.
    """
    import pandas as pd

    run = run_of(folder, number)
    file = folder.path / "packets" / f"{int(run['replay']):05}.parquet"
    if not file.is_file():
        raise InputError(str(file), "does not exist; explain needs each packet: run again with --packets parquet")
    try:
        packets = pd.read_parquet(file)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(str(file), f"cannot be read: {error}") from None
    lacking = [name for name in COLUMNS if name not in packets]
    if lacking:
        raise InputError(str(file), f"has no column {lacking[0]}; run again with --packets parquet of this mmwemu")
    if packets["tcp_seq"].notna().sum() == 0:
        raise InputError(str(file), "holds no packet of TCP, which is what can be explained")
    telemetry = store.load_table(folder.path, "link", number)
    return Recording(run, packets[packets["link"] == _LINK], telemetry[telemetry["link"] == _LINK])
