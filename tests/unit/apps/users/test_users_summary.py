"""The distribution over users."""

import math

import pytest

from mmwemu.apps.users.record import UserRun
from mmwemu.apps.users.summary import distributions, summarize
from mmwemu.report.summary import Results
from mmwemu.results.store import to_frame
from tests.records import common


def user(number, goodput_bps=8e6, **changes):
    own = {"traffic_seed": 1, "downloads": 2, "unfinished": 0, "received_bytes": 1000, "fetching_s": 1.0,
           "goodput_bps": goodput_bps, "download_rate_mean_bps": goodput_bps}  # fmt: skip
    return UserRun(**(common(number, application="users", client=number, clients=4) | own | changes))


def results(*runs):
    return Results(to_frame(list(runs)), lambda _: {})


def test_the_figures_are_over_users():
    (found,) = distributions(results(*(user(i, rate) for i, rate in enumerate((1e6, 2e6, 3e6, 4e6), 1))))
    assert (found.users, found.downloads, found.doubtful) == (4, 8, 0)
    assert found.mean_bps == 2.5e6
    assert [found.quantile_bps(share) for share in (0, 0.5, 1)] == [1e6, 2.5e6, 4e6]
    assert found.fairness == pytest.approx(100 / (4 * 30))


def test_users_without_a_download_or_a_valid_link_are_left_out():
    (found,) = distributions(results(user(1), user(2, None), user(3, 1e9, valid=False), user(4, 1e9, status="failed")))
    assert found.goodputs_bps.tolist() == [8e6]
    assert found.doubtful == 2
    (nobody,) = distributions(results(user(1, None)))
    assert math.isnan(nobody.mean_bps) and math.isnan(nobody.fairness)
    assert nobody.to_json()["jain_index"] is None


def test_patterns_and_seeds_are_apart_and_a_figure_is_drawn(tmp_path):
    runs = [user(1), user(2, pattern="q"), user(3, traffic_seed=2), user(4, None, traffic_seed=3)]
    summary = summarize(results(*runs), tmp_path)
    (table,) = summary.tables
    assert [row[:3] for row in table.rows] == [("p", "0 s", 1), ("q", "0 s", 1), ("p", "0 s", 2), ("p", "0 s", 3)]
    assert table.rows[0][5:10] == ("8.0", "8.0", "8.0", "8.0", "1.000")
    assert table.rows[3][5:10] == ("-", "-", "-", "-", "-")
    assert (tmp_path / "users.png").stat().st_size > 1000
