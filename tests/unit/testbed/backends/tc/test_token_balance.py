"""The account of a bucket."""

import math

import pytest

from mmwemu.testbed.backends.tc.token_balance import TokenBalance


def test_a_gift_and_a_debt_are_made_up_in_the_next_step():
    balance = TokenBalance()
    assert balance.rate_bps(8e6, 0.01, 1600) == pytest.approx(8e6 - 1600 * 8 / 0.01)
    balance.settle(12_000, 10_000, 1600)
    assert balance.rate_bps(8e6, 0.01, 0) == pytest.approx(8e6 - 2000 * 8 / 0.01)
    assert balance.rate_bps(1e6, 0.01, 1600) == 0
    balance.settle(0, 3000, 1600)
    assert balance.rate_bps(8e6, 0.01, 0) == pytest.approx(8e6 + 1000 * 8 / 0.01)


def test_capacity_that_nobody_used_is_not_owed_nor_is_an_old_rest():
    balance = TokenBalance()
    balance.settle(0, 10_000, 0)
    assert balance.owed_bytes == 0
    balance.settle(0, 10_000, 1600)
    assert balance.owed_bytes == 1600
    assert balance.rate_bps(1e6, 0.01, 0) == pytest.approx(2e6)
    balance.settle(10_000, math.inf, 1600)
    assert balance.owed_bytes == 0
    assert balance.rate_bps(math.inf, 0.01, 1600) == math.inf
    assert balance.rate_bps(1e6, math.inf, 1600) == 1e6


def test_a_step_that_is_over_has_its_own_rate():
    balance = TokenBalance()
    assert [balance.rate_bps(1e6, lasts_s, 1600) for lasts_s in (0.0, -0.001)] == [1e6, 1e6]


def test_a_correction_doubles_a_rate_at_most():
    balance = TokenBalance()
    balance.settle(0, 10_000, 10_000)
    assert balance.rate_bps(8e6, 0.01, 0) == 16e6
    assert balance.rate_bps(8e6, 0.02, 0) == pytest.approx(12e6)
