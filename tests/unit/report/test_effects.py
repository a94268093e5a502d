import pandas as pd
import pytest

from mmwemu.report.effects import effect_table, effects
from mmwemu.report.summary import Results, group_runs


def runs_of(pattern, rat, values, starts=None):
    return [
        {"pattern": pattern, "rat": rat, "size_bytes": 2_000_000, "start_at_s": start, "repetition": i, "x_s": value,
         "status": "ok", "valid": True, "cpu_bound": False}
        for i, (value, start) in enumerate(zip(values, starts or [0.0] * len(values), strict=True))
    ]  # fmt: skip


def found(*rows, keys=("pattern", "rat", "size_bytes")):
    results = Results(pd.DataFrame([row for part in rows for row in part]), lambda _: {})
    return effects(group_runs(results, keys, ["x_s"]), ["x_s"])


def test_the_ratio_is_of_runs_with_the_same_start_and_repetition():
    starts = [1.0, 2.0, 3.0]
    lte = runs_of("s.lte", "lte", [1, 2, 4], starts)
    (each,) = found(runs_of("s.mmwave", "mmwave", [3, 6, 99], [1.0, 2.0, 7.0]), lte)
    assert (each.mmwave, each.lte, each.keys) == ("s.mmwave", "s.lte", {"size_bytes": 2_000_000})
    assert (each.ratio.value, each.ratio.n, each.paired) == (3.0, 2, True)
    (each,) = found(runs_of("s.mmwave", "mmwave", [8, 8], [8.0, 9.0]), lte)
    assert (each.ratio.value, each.paired) == (pytest.approx(8 / (7 / 3)), False)


def test_patterns_of_one_scenario_belong_together():
    parts = [runs_of(f"{name}.{rat}", rat, [1.0]) for name in ("a", "b") for rat in ("lte", "mmwave")]
    assert [(each.mmwave, each.lte) for each in found(*parts)] == [("a.mmwave", "a.lte"), ("b.mmwave", "b.lte")]
    two = [runs_of("drive", "lte", [1.0]), runs_of("walk", "mmwave", [1.0])]
    assert [(each.mmwave, each.lte) for each in found(*two)] == [("walk", "drive")]
    assert found(*parts[:1], *two[1:]) != []
    assert found(*parts, runs_of("walk", "mmwave", [1.0]))[-1].mmwave == "b.mmwave"
    assert found(runs_of("a", "", [1.0]), runs_of("b.lte", "lte", [1.0])) == []


def test_groups_with_other_settings_are_not_compared():
    other = [row | {"size_bytes": 5} for row in runs_of("s.lte", "lte", [1.0])]
    assert found(runs_of("s.mmwave", "mmwave", [1.0]), other) == []


def test_the_table_tells_what_varies():
    mmwave, lte = runs_of("s.mmwave", "mmwave", [10.0] * 5), runs_of("s.lte", "lte", [5.0] * 5)
    (table,) = effect_table(found(mmwave, lte), {"x_s": "time"})
    assert table.rows == [("s.mmwave / s.lte", "time", "2.00", "2.00 - 2.00", "5 pairs")]
    small = [[row | {"size_bytes": 5_000} for row in part] for part in (mmwave[:2], lte[:2])]
    (table,) = effect_table(found(mmwave, lte, *small), {"x_s": "time"})
    assert [row[0] for row in table.rows] == ["s.mmwave / s.lte, 2 MB", "s.mmwave / s.lte, 5 kB"]
    assert table.rows[1][2:] == ("2.00", "-", "2 pairs")
    assert effect_table(found(mmwave, lte), {}) == []
    assert effect_table([], {"x_s": "time"}) == []
