"""Every measured file: it becomes a pattern with the bytes of the file, and what is odd in it is told."""

import csv
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from mmwemu.pattern import library
from tests.unit.pattern.measured import FOLDER, measured, sent_bytes

# By folder: the options that say what its files do not.
KINDS = {"mahimahi": {}, "lumos5g": {"time_unit": "s", "rate_unit": "Mbit/s"}, "ucc5g": {"gaps": "hold"}}
FILES = (
    sorted(file for file in FOLDER.rglob("*") if file.is_file() and file.parent != FOLDER) if FOLDER.is_dir() else []
)


def of_mahimahi(file):
    """Return the bytes of both directions and what is odd."""
    down, up = (1500 * len(file.with_suffix(ending).read_text().split()) for ending in (".down", ".up"))
    return (down, up), set()


def of_columns(file):
    table = np.loadtxt(file)
    times = np.unique(table[:, 0])
    rates = np.array([table[table[:, 0] == at, 1].mean() for at in times])
    steps = np.append(np.diff(times), 1)
    total = float((rates * steps).sum() * 1e6 / 8)
    odd = {"repeat a time"} if len(times) < len(table) else set()
    return (total, total), odd | ({"gaps between rows"} if (steps > 1).any() else set())


def of_gnettrack(file):
    seconds = {"DL_bitrate": {}, "UL_bitrate": {}}
    with file.open() as rows:
        found = list(csv.DictReader(rows))
    stamps = [datetime.strptime(row["Timestamp"], "%Y.%m.%d_%H.%M.%S").timestamp() for row in found]
    odd = {"rows repeat a second"} if len(set(stamps)) < len(stamps) else set()
    odd |= {"gaps of"} if (np.diff(stamps) > 1).any() else set()
    totals = []
    for name, rates in seconds.items():
        odd |= {f"values of {name} are missing"} if any(row[name] == "-" for row in found) else set()
        for at, row in zip(stamps, found, strict=True):
            if row[name] != "-":
                rates.setdefault(at, []).append(float(row[name]))
        lengths = np.append(np.diff(sorted(rates)), 1)
        means = [np.mean(rates[at]) for at in sorted(rates)]
        totals.append(float((means * lengths).sum() * 1000 / 8))
    return tuple(totals), odd


SUMS = {"mahimahi": of_mahimahi, "lumos5g": of_columns, "ucc5g": of_gnettrack}
REMARKS = ("repeat a time", "gaps between rows", "rows repeat a second", "gaps of", "values of")


def test_there_are_measured_files():
    measured("*/**/*")
    assert {file.relative_to(FOLDER).parts[0] for file in FILES} == set(KINDS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(Path(file).relative_to(FOLDER)))
def test_a_measured_file_keeps_its_bytes_and_tells_what_is_odd(file):
    kind = file.relative_to(FOLDER).parts[0]
    found = library.read_file(file, None, KINDS[kind])
    assert found.form == {"lumos5g": "columns", "ucc5g": "gnettrack"}.get(kind, kind)
    totals, odd = SUMS[kind](file)
    for direction, total in zip(("downlink", "uplink"), totals, strict=True):
        assert sent_bytes(found.pattern, direction) == pytest.approx(total, rel=1e-3)
    told = {word for word in odd if any(word in remark for remark in found.remarks)}
    assert told == odd
    assert sum(any(word in remark for word in REMARKS) for remark in found.remarks) == len(odd)
