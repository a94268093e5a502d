"""Draws of a user, and the settings that they need."""

import math
import statistics

import pytest

from mmwemu.apps.users.application import Users, table_of
from mmwemu.apps.users.user import draws
from mmwemu.core.errors import InputError


def settings(**changes):
    own = {name: value for name, value in vars(Users()).items() if name != "traffic_seeds"}
    return own | {"seed": 1, "client": 1} | changes


def test_sizes_and_pauses_have_the_distributions_of_krasilov():
    size, pause = draws(settings())
    sizes, pauses = [size() for _ in range(20_000)], [pause() for _ in range(20_000)]
    assert statistics.fmean(sizes) == pytest.approx(30e6, rel=0.01)
    assert statistics.stdev(sizes) == pytest.approx(10e6, rel=0.03)
    assert min(sizes) >= 1e6 and max(sizes) <= 100e6
    assert statistics.median(sizes) == pytest.approx(30e6 / math.sqrt(1 + 1 / 9), rel=0.01)
    # Exponential with a mean of 5 s, cut to 1-10 s.
    mean = 5 + (1 * math.exp(-0.2) - 10 * math.exp(-2)) / (math.exp(-0.2) - math.exp(-2))
    assert statistics.fmean(pauses) == pytest.approx(mean, rel=0.01)
    assert min(pauses) >= 1 and max(pauses) <= 10


def test_each_user_and_seed_has_draws_of_its_own_and_the_same_ones_again():
    def first(**changes):
        size, pause = draws(settings(**changes))
        return [size(), size(), pause()]

    assert first() == first()
    assert len({tuple(first(client=client, seed=seed)) for client in (1, 2) for seed in (1, 2)}) == 4
    # Pauses do not depend on sizes.
    assert first(size_mean_bytes=20_000_000)[2] == first()[2]


def test_sizes_without_deviation_and_pauses_of_nothing():
    size, pause = draws(settings(size_sd_bytes=0, pause_mean_s=0.0, pause_least_s=0.0))
    assert (size(), pause()) == (30_000_000, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"duration_s": 0.0}, "limit: is 0 s; must be above 0 and at most 2592000"),
        ({"size_least_bytes": 0}, "size: is 0 to 100000000 bytes; must rise from 1 to 1000000000000"),
        ({"size_least_bytes": 200_000_000}, "size: is 200000000 to 100000000 bytes; must rise from 1 to 1000000000000"),
        ({"size_mean_bytes": 0}, "size: mean and standard deviation must be at most 1000000000000 bytes, the mean 1"),
        ({"pause_least_s": 11.0}, "pause: must be 0 or more, and its bounds must rise"),
        ({"pause_mean_s": -1.0}, "pause: must be 0 or more, and its bounds must rise"),
        ({"traffic_seeds": ()}, "traffic-seed: must be from 0 to 4611686018427387903, at least one"),
        (
            {"pause_mean_s": 0.0},
            "pause: has bounds that only 0 % of what is drawn keep; at least 1 % are needed",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(changes, message):
    with pytest.raises(InputError) as error:
        Users(**changes)
    assert str(error.value) == message


def test_bounds_that_nothing_keeps_are_refused_before_anything_is_drawn():
    with pytest.raises(InputError, match=r"^size: has bounds that only .* % of what is drawn keep"):
        Users(size_most_bytes=2_000_000)
    with pytest.raises(InputError, match=r"^size: has bounds that only 0 % of what is drawn keep"):
        Users(size_sd_bytes=0, size_least_bytes=31_000_000)


def test_the_table_has_rates_of_finished_downloads():
    row = {"number": 1, "size_bytes": 1000, "start_s": 1.0, "end_s": 1.5, "received_bytes": 1000, "finished": True}
    table = table_of([row, row | {"number": 2, "received_bytes": 10, "finished": False}])
    assert table["rate_bps"].tolist()[0] == 16000
    assert math.isnan(table["rate_bps"].tolist()[1])
    assert len(table_of([])) == 0
