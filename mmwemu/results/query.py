"""Questions in SQL over the tables of many results folders, answered by DuckDB."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mmwemu.core.errors import InputError
from mmwemu.results.collection import Finished

if TYPE_CHECKING:
    import pandas as pd

_MEMORY = "2GB"
_LOCATION = re.compile(r"\s*LINE \d+:.*", re.DOTALL)


def query(sql: str, folders: Sequence[Finished]) -> pd.DataFrame:
    """Return what a query gives.

    Each table of the folders (``runs``, ``link``, ``tcp`` ...) is a table of all of them together, with the further
    column ``folder``; columns that some folders lack are null for these.

    Raises
    ------
    InputError
        If the query is wrong or no query, or a file cannot be read.
    """
    import duckdb

    with duckdb.connect(config={"memory_limit": _MEMORY, "autoinstall_known_extensions": False}) as database:
        try:
            for name in sorted({name for folder in folders for name in folder.tables}):
                database.execute(_view(name, [each for each in folders if name in each.tables]))
            statements = database.extract_statements(sql)
            if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
                raise InputError("query", "must be one select; results are never changed")
            found: pd.DataFrame = database.execute(statements[0]).df()
            return found
        except duckdb.Error as error:
            problem = " ".join(_LOCATION.sub("", str(error)).split())
            raise InputError("query", problem) from None


def _view(name: str, folders: Sequence[Finished]) -> str:
    files = ", ".join(_quoted(str(each.path / f"{name}.parquet")) for each in folders)
    return (
        f"create view \"{name}\" as select regexp_replace(filename, '/[^/]*$', '') as folder, * exclude (filename) "
        f"from read_parquet([{files}], union_by_name = true, filename = true)"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
