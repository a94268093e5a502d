"""Parquet files and results folders with columns and heads that may be anything."""

import io
import math

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from mmwemu.trace.model import COLUMNS, OPTIONAL
from tests.fuzz.good import BASELINE_HEAD, MANIFEST, META, RAYS_META, STUDY_RECORD
from tests.fuzz.tampering import json_files
from tests.records import download


@st.composite
def traces(draw) -> bytes:
    """Write a trace as Parquet with columns and metadata that may be anything."""
    n = draw(st.sampled_from([2, 3, 50, 200, 0, 1]))
    optional = draw(st.lists(st.sampled_from(list(OPTIONAL)), max_size=3, unique=True))
    good = {name: [1.0] * n for name in (*COLUMNS, *optional)} | {"time_s": [i / 1000 for i in range(n)]}
    good["throughput_bps"] = good["phy_rate_bps"] = [1e8 + i for i in range(n)]
    good["sinr_db"] = [30.0 * (i % 20 < 10) for i in range(n)]
    arrays = {name: pa.array(values) for name, values in good.items()}
    for name in draw(st.lists(st.sampled_from([*COLUMNS, *optional]), max_size=2)):
        kind = draw(st.sampled_from(["one", "text", "list", "null", "int", "bool", "drop", "binary", "all"]))
        odd = draw(st.floats() | st.sampled_from([-1.0, 1e308, float("nan")]))
        columns = {
            "one": good[name][:-1] + [odd] * min(1, n),
            "all": [odd] * n,
            "text": ["x"] * n,
            "list": [[1.0]] * n,
            "null": [None] * n,
            "int": [draw(st.integers(-(2**63), 2**63 - 1))] * n,
            "bool": [True] * n,
            "binary": [b"\xff"] * n,
        }
        if kind == "drop":
            arrays.pop(name, None)
        elif name in arrays:
            arrays[name] = pa.array(columns[kind])
    meta = draw(
        json_files(META) | st.sampled_from([b"{", b"[]", b"null", b"\xff\x00", b"1", b"[" * 3000, b'{"format": 1}'])
    )
    return draw(_parquet(pa.table(arrays), meta))


@st.composite
def rays(draw) -> bytes:
    """Write rays along the route of `SCENARIO` as Parquet with columns and metadata that may be anything."""
    n = draw(st.sampled_from([2, 3, 5, 40, 0, 1]))
    shares = [i / max(1, n - 1) for i in range(n)]
    points = {
        "along_m": [math.hypot(5, 5.2) * share for share in shares],
        "x_m": [75 - 5 * share for share in shares],
        "y_m": [-0.2 + 5.2 * share for share in shares],
        "z_m": [1.0] * n,
    }
    counts = [draw(st.sampled_from([1, 2, 0])) for _ in range(n)]
    good = {"delay_s": 2.5e-7, "gain_db": -100.0, "phase_rad": 1.0, "departure_azimuth_deg": 3.0, "direct": 1.0,
            "departure_elevation_deg": -1.0, "arrival_azimuth_deg": 183.0, "arrival_elevation_deg": 1.0}  # fmt: skip
    arrays = {name: pa.array(values) for name, values in points.items()}
    arrays |= {name: pa.array([[value] * c for c in counts], pa.list_(pa.float64())) for name, value in good.items()}
    for name in draw(st.lists(st.sampled_from(sorted(arrays)), max_size=2)):
        odd = draw(st.floats() | st.sampled_from([-1.0, 1e308, float("nan"), 0.5]))
        columns = {
            "number": pa.array([odd] * n),
            "lists": pa.array([[odd] * c for c in counts], pa.list_(pa.float64())),
            "longer": pa.array([[odd] * (c + 1) for c in counts], pa.list_(pa.float64())),
            "text": pa.array(["x"] * n),
            "null": pa.array([None] * n, pa.list_(pa.float64())),
            "nulls": pa.array([[None] * c for c in counts], pa.list_(pa.float64())),
            "nested": pa.array([[[odd]] * c for c in counts], pa.list_(pa.list_(pa.float64()))),
        }
        arrays[name] = columns[draw(st.sampled_from(sorted(columns)))]
    meta = draw(json_files(RAYS_META) | st.sampled_from([b"{", b"[]", b"null", b"\xff\x00", b'{"format": 1}']))
    return draw(_parquet(pa.table(arrays), meta))


@st.composite
def baselines(draw) -> bytes:
    """Write the baseline of a check with columns and a head that may be anything."""
    n = draw(st.sampled_from([1, 2, 20, 0]))
    good = {
        "group": pa.array(["download"] * n, pa.string()),
        "part": pa.array([0] * n, pa.int32()),
        "metric": pa.array(["goodput_bps"] * n, pa.string()),
        "repetition": pa.array(range(1, n + 1), pa.int32()),
        "value": pa.array([1e8] * n, pa.float64()),
    }
    for name in draw(st.lists(st.sampled_from(sorted(good)), max_size=2)):
        odd = {
            "reference": pa.array(["reference"] * n),
            "number": pa.array([draw(st.floats() | st.sampled_from([-1.0, 1e308]))] * n),
            "whole": pa.array([draw(st.integers(-(2**63), 2**63 - 1))] * n),
            "null": pa.array([None] * n, good[name].type),
            "lists": pa.array([[1.0]] * n),
            "binary": pa.array([b"\xff"] * n),
        }
        good[name] = odd[draw(st.sampled_from(sorted(odd)))]
    kept = draw(st.sampled_from([list(good)] * 9 + [["group"]]))
    head = draw(json_files(BASELINE_HEAD) | st.sampled_from([b"{", b"[]", b"null", b"\xff\x00", b'{"format": 2}']))
    return draw(_parquet(pa.table({name: good[name] for name in kept}), head, b"mmwemu.baseline"))


@st.composite
def _parquet(draw, table: pa.Table, meta: bytes, key: bytes = b"mmwemu") -> bytes:
    """Write a table as Parquet, with metadata or without, whole or not."""
    table = table.replace_schema_metadata(draw(st.sampled_from([{key: meta}] * 5 + [{}])))
    sink = io.BytesIO()
    pq.write_table(table, sink)
    content = sink.getvalue()
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.binary(max_size=4)) + content[at + draw(st.integers(0, 4)) :]
    return content


@st.composite
def results(draw) -> dict[str, object]:
    """Make a results folder of two downloads that somebody may have edited."""
    runs = pd.DataFrame([download(number).row() for number in (1, 2)])
    for name in draw(st.lists(st.sampled_from(list(runs.columns)), max_size=2)):
        odd = draw(st.sampled_from([["x", "y"], [None, None], [1.5, -1e308], [True, False], "drop"]))
        runs = runs.drop(columns=name, errors="ignore") if odd == "drop" else runs.assign(**{name: odd})
    content = runs.to_parquet(index=False)
    if draw(st.integers(0, 9)) == 0:
        content = content[: draw(st.integers(0, len(content)))]
    of_study = {"study.json": draw(json_files(STUDY_RECORD))} if draw(st.booleans()) else {}
    return {"manifest.json": draw(json_files(MANIFEST)), "runs.parquet": content, **of_study}
