"""The writer of a results folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core.files import whole_file
from mmwemu.results.parts import Parts
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

MANIFEST = "manifest.json"
COLUMNS = [field.name for field in fields(Run)]
"""Of every run."""


class Writer:
    """Writer of a results folder; each run is on disk as soon as it is added.

    Attributes
    ----------
    folder
        The folder in progress.
    count, invalid, rejected
        How many runs are kept, of these those over an invalid link, and attempts at runs that do not count.
    order
        Run numbers in the order in which runs.parquet will have them; others follow by number.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts = Parts(folder)
        self._parts.folder.mkdir(exist_ok=True)
        self.order: Sequence[int] = ()
        self._count()

    def _count(self) -> None:
        valid = [row["valid"] for row in self._parts.rows()]
        self.count, self.invalid = len(valid), len(valid) - sum(valid)
        self.rejected = len(self._parts.rejected())

    def add(self, run: Run, telemetry: pd.DataFrame, tables: Mapping[str, pd.DataFrame] | None = None) -> None:
        """Write a run, the link's telemetry of it, and its other tables by name.

        Raises
        ------
        MmwemuError
            If the disk is full.
        """
        for name, table in {"link": telemetry, **(tables or {})}.items():
            self._parts.add_table(name, run.run, table)
        self._parts.add_run(run.run, run.row())
        self.count += 1
        self.invalid += not run.valid

    def reject(self, run: Run, attempt: int) -> None:
        """Write down an attempt at a run, counted from 1, that does not count."""
        self._parts.add_rejected(run.run, attempt, run.row())
        self.rejected += 1

    def kept(self) -> list[int]:
        """Return the numbers of the runs that are kept."""
        return self._parts.runs()

    def attempts(self) -> dict[int, int]:
        """Return the number of rejected attempts, by run."""
        return Counter(run for run, _ in self._parts.rejected())

    def keep_only(self, runs: Collection[int]) -> None:
        """Remove what other runs, which were cut off, have left, so that they can be made again."""
        self._parts.keep_only(runs)
        self._count()

    def tables(self, run: int) -> dict[str, pd.DataFrame]:
        """Return the tables of a run that was added: ``link`` and its own."""
        return self._parts.tables(run)

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Join the parts into runs.parquet, link.parquet and the other tables, and write the manifest.

        What a crash cuts off can be done again: the parts go last.
        """
        self._parts.join(COLUMNS, self.order)
        with whole_file(self.folder / MANIFEST) as draft:
            draft.write_text(json.dumps(manifest, indent=2, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8")
        self._parts.remove()
