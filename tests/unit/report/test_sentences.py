import pytest

from mmwemu.report.page.groups import case_groups
from mmwemu.report.sentences import sentences
from mmwemu.report.summary import Results
from mmwemu.report.view import Metric
from mmwemu.results.store import to_frame
from tests.records import download

GOODPUT = Metric("goodput_bps", better="higher")


def said(mmwave, lte, metric=GOODPUT, column="goodput_bps", **changes):
    runs = []
    for name, values in (("s.mmwave", mmwave), ("s.lte", lte)):
        for i, value in enumerate(values, 1):
            where = {"pattern": name, "rat": name[2:], "repetition": i}
            runs.append(download(len(runs) + 1, **where, **{column: value}, **changes))
    groups = case_groups(Results(to_frame(runs), lambda _: {}), ["size_bytes"], [column])
    return [sentence.text for sentence in sentences(metric, groups, "mean")]


@pytest.mark.parametrize(
    ("over", "under", "words"),
    [
        (4.0, 1.0, "was 4.0 times as high (better) over 5G mmWave as over 4G LTE"),
        (1.5, 1.0, "was 50 % higher (better) over 5G mmWave than over 4G LTE"),
        (1.0, 2.0, "was 50 % lower (worse) over 5G mmWave than over 4G LTE"),
    ],
)
def test_a_difference_is_said_with_its_direction_and_interval(over, under, words):
    scatter = [0.98, 0.99, 1.0, 1.01, 1.02]
    (sentence,) = said([over * 1e6 * x for x in scatter], [under * 1e6 * x for x in reversed(scatter)])
    assert sentence.startswith(f"s: goodput {words}: {over:g} against {under:g} Mbit/s (95 % interval ")
    assert sentence.endswith(" times, 5 pairs of runs).")


def test_whether_higher_is_better_depends_on_the_metric():
    values = [1.0, 1.1, 1.2, 1.3, 1.4]
    (sentence,) = said(values, [3 * x for x in values], Metric("duration_s", better="lower"), "duration_s")
    assert "was 67 % lower (better) over" in sentence
    (sentence,) = said(values, [3 * x for x in values], Metric("duration_s"), "duration_s")
    assert "was 67 % lower over" in sentence


def test_an_interval_that_holds_one_is_no_difference():
    (sentence,) = said([1e6, 2e6, 3e6, 2e6, 1e6], [2e6, 1e6, 1e6, 3e6, 2e6])
    assert "goodput shows no difference between 5G mmWave and 4G LTE: 1.8 against 1.8 Mbit/s, ratio 1.00 (" in sentence


def test_few_runs_have_a_ratio_without_an_interval():
    assert said([4e6], [1e6]) == [
        "s: goodput over 5G mmWave was 4.00 times that over 4G LTE: 4 against 1 Mbit/s "
        "(one run of each; too few for an interval)."
    ]
    assert said([4e6], [0.0])[0].endswith("4 against 0 Mbit/s over 5G mmWave and 4G LTE (one run of each; no ratio, "
                                          "since a value is 0).")  # fmt: skip


def test_a_group_that_shows_the_computer_is_said_to():
    values = [1e6, 1.1e6, 1.2e6, 1.3e6, 1.4e6]
    assert "pairs of runs, mostly CPU-bound)." in said(values, values, cpu_bound=True)[0]
    assert said([1e6], [], cpu_bound=True) == ["s: goodput 1 Mbit/s over 5G mmWave (one run, mostly CPU-bound)."]


def test_without_a_pair_each_group_speaks_for_itself():
    assert said([1e6, 3e6], []) == ["s: goodput 2 Mbit/s over 5G mmWave (mean of 2 runs)."]
    assert said([None], []) == []


SCATTER = (0.98, 0.99, 1.0, 1.01, 1.02)


def summed_up(ratios, **changes):
    """Return the sentences about 20 MB over patterns whose goodput over 5G is the ratio times that over 4G."""
    runs = []
    for place, ratio in ratios.items():
        for rat, values in (("mmwave", [ratio * 1e6 * x for x in SCATTER]), ("lte", [1e6] * len(SCATTER))):
            for i, value in enumerate(values, 1):
                where = {"pattern": f"{place}.{rat}", "rat": rat, "repetition": i}
                runs.append(download(len(runs) + 1, **where, goodput_bps=value, **changes))
    groups = case_groups(Results(to_frame(runs), lambda _: {}), ["size_bytes"], ["goodput_bps"])
    return sentences(GOODPUT, groups, "mean")


def test_several_patterns_are_summed_up_and_each_is_told_below():
    (sentence,) = summed_up({"s1": 4.0, "s2": 2.0, "s3": 3.0})
    assert sentence.text == (
        "goodput over 5G mmWave was higher (better) than over 4G LTE in all 3 patterns: "
        "2.00 times (s2) to 4.00 times (s1)."
    )
    assert [part.partition(":")[0] for part in sentence.parts] == ["s1", "s2", "s3"]
    assert sentence.parts[0].startswith("s1: goodput was 4.0 times as high (better) over 5G mmWave as over 4G LTE: ")


def test_what_differs_between_patterns_is_told_by_outcome_the_most_frequent_first():
    (sentence,) = summed_up({"s1": 0.5, "s2": 2.0, "s3": 3.0, "s4": 1.0})
    assert sentence.text == (
        "goodput over 5G mmWave was higher (better) than over 4G LTE in 2 of 4 patterns: 2.00 times (s2) to 3.00 times "
        "(s3); lower (worse) than over 4G LTE in 1 of 4 patterns: 0.50 times (s1); no different from that over 4G LTE "
        "in 1 of 4 patterns (s4)."
    )


def test_a_sum_says_in_how_many_patterns_the_computer_is_shown():
    (sentence,) = summed_up({"s1": 4.0, "s2": 2.0}, cpu_bound=True)
    assert sentence.text.endswith(" (mostly CPU-bound in 2).")


def test_patterns_of_one_technology_are_summed_up_by_their_extremes():
    runs = [download(i, pattern=f"s{i}.lte", rat="lte", goodput_bps=i * 1e6) for i in (1, 2, 3)]
    groups = case_groups(Results(to_frame(runs), lambda _: {}), ["size_bytes"], ["goodput_bps"])
    (sentence,) = sentences(GOODPUT, groups, "mean")
    assert sentence.text == "goodput 1 Mbit/s (s1) to 3 Mbit/s (s3) over 4G LTE in 3 patterns (means)."
    assert len(sentence.parts) == 3
