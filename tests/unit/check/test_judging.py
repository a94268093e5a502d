"""Verdicts: their error rates over several groups, by simulation, and values that no mean holds."""

import math

import numpy as np
import pytest

from mmwemu.apps.download.record import DownloadRun
from mmwemu.check.judging import FAIL_ERROR, applicable, candidates, judge, overall
from mmwemu.check.samples import Samples
from mmwemu.check.thresholds import parse
from mmwemu.core.errors import InputError
from mmwemu.report.sequential import LOOKS
from tests.checks import group, values

GROUPS = 4
OF_BASELINE = parse("took_s <= 1.25 of baseline", "")


def verdict_of_check(random, ratios, threshold, noise, most=80):
    """Simulate a check of several groups, each judged until it is decided; give its verdict.

    Runs of a pair share a phase, which changes the values by far more than the threshold.
    """
    lines = []
    for i, ratio in enumerate(ratios):
        phase = random.normal(0.0, 0.5, most)
        base = np.exp(phase + noise * random.standard_t(5, most))
        head = ratio * np.exp(phase + noise * random.standard_t(5, most))
        for n in (look for look in LOOKS if look <= most):
            line = judge(threshold, group(f"g{i}"), values(head[:n]), values(base[:n]), fail_error=FAIL_ERROR / GROUPS)
            if line.verdict != "inconclusive":
                break
        lines.append(line)
    return overall(lines)


def share(verdict, ratios, threshold=OF_BASELINE, noise=0.05, times=1000, most=80):
    random = np.random.default_rng(1)
    return sum(verdict_of_check(random, ratios, threshold, noise, most) == verdict for _ in range(times)) / times


@pytest.mark.long
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_of_1000_checks_of_equal_versions_in_four_groups_at_most_1_percent_fail(noise):
    """Long: it draws thousands of times."""
    assert share("fail", [1.0] * GROUPS, noise=noise) <= 0.01


@pytest.mark.long
def test_at_most_1_percent_fail_where_the_threshold_only_just_holds_in_every_group():
    """Long: it draws thousands of times."""
    assert share("fail", [1.25] * GROUPS) <= 0.01 + 3 * math.sqrt(0.01 * 0.99 / 1000)


@pytest.mark.long
@pytest.mark.parametrize(("noise", "most"), [(0.05, 80), (0.1, 80), (0.2, 224)])
def test_twice_the_threshold_in_one_of_four_groups_is_found_in_95_percent(noise, most):
    """Long: it draws thousands of times."""
    assert share("fail", [1.0, 1.0, 1.5, 1.0], noise=noise, most=most) >= 0.95


@pytest.mark.long
def test_a_check_passes_in_at_most_5_percent_where_one_group_is_just_beyond_the_threshold():
    """Long: it draws thousands of times."""
    assert share("pass", [1.0, 1.0, 1.2501, 1.0]) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)


def line_of(text, head, base=None, **more):
    return judge(
        parse(text, ""), group(), values(head), None if base is None else values(base), fail_error=0.01, **more
    )


def test_a_ratio_to_0_is_told_and_a_difference_judges_it():
    head, base = [1, 0, 2, 1, 0, 1, 2, 1, 0, 1], [1, 0, 1, 0, 0, 2, 1, 0, 1, 1]
    line = line_of("took_s <= 1.1 of baseline", head, base)
    assert (line.verdict, line.more) == ("inconclusive", None)
    assert "use baseline + NUMBER" in line.reason
    assert line_of("took_s <= baseline + 2", head, base).verdict == "pass"
    assert line_of("took_s <= baseline - 2", head, base).verdict == "fail"


def test_a_ratio_of_negative_numbers_is_refused():
    line = line_of("took_s <= 1.1 of baseline", [-1.0] * 20, [-2.0] * 20)
    assert (line.verdict, line.more) == ("inconclusive", None)
    assert "negative" in line.reason


@pytest.mark.parametrize("text", ["took_s <= 1.1 of baseline", "took_s >= 0.9 of baseline", "took_s <= baseline + 0"])
def test_equal_constants_pass_and_so_do_zeros(text):
    assert line_of(text, [3.0] * 7, [3.0] * 7).verdict == "pass"
    assert line_of(text, [0.0] * 7, [0.0] * 7).verdict == "pass"


def test_runs_without_value_count_as_the_worst():
    some = [1.0, 1.1, None, 1.0, 1.1, 0.9, 1.0, 1.05, 1.0, 1.0] * 2
    assert line_of("took_s <= 2", some).verdict == "inconclusive"
    assert "use p50" in line_of("took_s <= 2", some).reason
    assert line_of("took_s p50 <= 2", some).verdict == "pass"
    assert line_of("took_s <= 2", [None] * 20).verdict == "fail"
    assert line_of("took_s >= 0.9 of baseline", [None] * 20, [1.0] * 20).verdict == "fail"
    assert line_of("took_s >= 0.9 of baseline", [1.0, 1.1] * 10, [None] * 20).verdict == "pass"
    assert line_of("took_s p50 <= 1.1 of baseline", [None] * 20, [None] * 20).n == 0


def test_pairs_are_those_of_the_same_repetition():
    head, base = values([5.0] * 20), {i: {"took_s": 5.0} for i in range(11, 40)}
    line = judge(OF_BASELINE, group(), head, base, fail_error=0.01)
    assert (line.n, line.verdict, line.value) == (10, "pass", 1.0)


@pytest.mark.parametrize("n", range(5))
def test_a_single_run_and_any_below_the_first_look_decide_nothing(n):
    line = line_of("took_s <= 2", [1.0] * n)
    assert (line.verdict, line.more) == ("inconclusive", 5 - n)


def test_an_allowance_between_machines_widens_ratios_and_differences():
    head, base = [1.0, 1.01, 0.99, 1.0, 1.0] * 2, [1.0, 1.0, 1.0, 1.01, 0.99] * 2
    assert line_of("took_s <= 1.1 of baseline", head, base).verdict == "pass"
    assert line_of("took_s <= 1.1 of baseline", head, base, allowance=0.2).verdict == "inconclusive"
    assert line_of("took_s <= baseline + 0.1", head, base).verdict == "pass"
    assert line_of("took_s <= baseline + 0.1", head, base, allowance=0.2).verdict == "inconclusive"


def test_a_metric_that_no_application_has_is_refused_before_the_runs():
    download = group("d", DownloadRun)
    with pytest.raises(InputError, match=r"speed_index_s is no metric of any run; the metrics are .*goodput_bps"):
        candidates([parse("speed_index_s <= 3", "")], [download])
    with pytest.raises(InputError, match="seed is no metric"):
        candidates([parse("seed <= 3", "")], [download])
    both = candidates([parse("goodput_bps >= 3", "")], [download, group("c")])
    assert [one.label for _, one in both] == ["d", "c"]


def test_a_metric_that_no_command_reports_is_refused_once_one_has_ended():
    one, samples = parse("took_s <= 3", ""), Samples()
    pairs = candidates([one], [group("a"), group("b")])
    assert applicable(pairs, samples, {}) == pairs
    samples.values["head"] = {group("a"): values([1.0]), group("b"): values([1.0], "other_s")}
    samples.reporting = {group("a"), group("b")}
    assert applicable(pairs, samples, {}) == pairs[:1]
    samples.values["head"] = {group("a"): values([1.0], "other_s"), group("b"): values([1.0], "other_s")}
    with pytest.raises(InputError, match="took_s is no metric of any run; the metrics are other_s"):
        applicable(pairs, samples, {})
    assert applicable(pairs, samples, {group("a"): values([1.0])}) == pairs[:1]  # the base reported it
