import numpy as np
import pandas as pd
import pytest

from mmwemu.apps.web.differences import Difference, differences
from mmwemu.report.statistics import Estimate


def table(**values):
    rows = [
        {"site": "s", "pattern": pattern, "start_at_s": 0.0, "repetition": i, "client": 1, "valid": True,
         "status": "ok", "speed_index_s": value}
        for pattern, series in values.items() for i, value in enumerate(series)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_pairs_are_compared_not_means():
    # Repetitions differ by far more than the patterns, as random starts do.
    (found,) = differences(table(a=[1, 5, 9, 3], b=[1.1, 5.2, 9.1, 3.2]))
    assert (found.pattern, found.reference, found.difference.n) == ("b", "a", 4)
    assert found.difference.value == pytest.approx(0.15)
    assert found.is_found


@pytest.mark.long
def test_the_same_pattern_twice_differs_as_often_as_the_confidence_says():
    """Long: it draws thousands of times."""
    random = np.random.default_rng(3)
    found = [differences(table(a=random.normal(2, 0.3, 10), b=random.normal(2, 0.3, 10)))[0] for _ in range(400)]
    assert 0.02 < np.mean([each.is_found for each in found]) < 0.09
    assert np.median([each.bound_s for each in found]) < 0.6


def test_clients_of_one_repetition_are_pairs_of_their_own():
    runs = table(a=[1, 2, 3, 4], b=[2, 3, 4, 5]).assign(repetition=1)
    runs["client"] = [1, 2, 3, 4] * 2
    (found,) = differences(runs)
    assert (found.difference.n, found.difference.value) == (4, 1.0)


def test_the_first_pattern_is_the_reference_whichever_of_its_loads_are_good():
    runs = table(a=[1, 2, 3], b=[2, 3, 4])
    runs.loc[0, "valid"] = False
    (found,) = differences(runs)
    assert (found.pattern, found.reference, found.difference.n) == ("b", "a", 2)


def test_what_has_no_pair_is_left_out():
    runs = table(a=[1, 2, 3, 4], b=[2, 3, None, 9], c=[1])
    runs.loc[7, "valid"] = False
    (found,) = differences(runs)
    assert (found.pattern, found.difference.n, found.difference.value) == ("b", 2, 1.0)
    runs.loc[runs.pattern == "b", "status"] = "failed"
    assert differences(runs) == []


def test_the_bound_is_the_far_end_of_the_interval():
    def found(low, high):
        return Difference("s", "b", "a", Estimate((low + high) / 2, low, high, 5))

    assert [found(*ends).bound_s for ends in ((-3.0, 1.0), (-1.0, 3.0), (2.0, 4.0))] == [3.0, 3.0, 4.0]
    ends = ((-1.0, 1.0), (0.0, 1.0), (-1.0, 0.0), (0.1, 1.0), (-1.0, -0.1))
    assert [found(*each).is_found for each in ends] == [False, False, False, True, True]


def test_each_site_and_each_metric_has_its_own_difference():
    runs = pd.concat([table(a=[1, 2], b=[2, 3.5]), table(a=[5, 5.5], b=[4, 4]).assign(site="t")], ignore_index=True)
    first, second = differences(runs.assign(on_load_s=runs["speed_index_s"] * 2), "on_load_s")
    assert (first.site, first.difference.value) == ("s", pytest.approx(2.5))
    assert (second.site, second.difference.value) == ("t", pytest.approx(-2.5))


def test_more_confidence_gives_a_wider_interval():
    runs = table(a=[1, 2, 3], b=[2, 3.1, 4.2])
    narrow, wide = (differences(runs, confidence=confidence)[0].difference for confidence in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.value == wide.value
    assert differences(runs)[0] == differences(runs, "speed_index_s", 0.95)[0]


def test_pairs_have_the_same_start_repetition_and_client():
    for column in ("start_at_s", "repetition", "client"):
        runs = table(a=[1, 2, 3], b=[3, 4, 5])
        runs.loc[5, column] = 77
        assert differences(runs)[0].difference.n == 2


def test_sites_and_patterns_keep_their_order():
    runs = pd.concat([table(z=[1, 2], b=[2, 4]).assign(site="t"), table(z=[1, 2], b=[3, 5])], ignore_index=True)
    assert [(each.site, each.pattern, each.reference) for each in differences(runs)] == [
        ("t", "b", "z"),
        ("s", "b", "z"),
    ]
