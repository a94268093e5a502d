import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from tests.patterns import make_pattern


def test_the_defaults_are_those_of_the_study():
    settings = LinkSettings(make_pattern([1e6]))
    assert (settings.delay_s, settings.queue_bytes, settings.start) == (0.011, 1_500_000, "first-packet")
    assert (settings.start_at_s, settings.seed, settings.scheduler) == (0.0, 1, "fifo")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"delay_s": -1.0}, "link: delay_s: is -1; must be from 0 to 3600"),
        ({"start_at_s": math.inf}, "link: start_at_s: is inf; must be from 0 to 2592000"),
        ({"start_at_s": -1.0}, "link: start_at_s: is -1; must be from 0 to 2592000"),
        ({"start_at_s": 2_592_000.5}, "link: start_at_s: is 2592000.5; must be from 0 to 2592000"),
        ({"start": "at"}, "link: start: is 'at'; must be now or first-packet"),
        ({"seed": -1}, "link: seed: is -1; must be from 0 to 2^62 - 1"),
        ({"seed": 2**62}, "link: seed: is 4611686018427387904; must be from 0 to 2^62 - 1"),
        (
            {"scheduler": "fair"},
            "link: scheduler: is 'fair'; must be one of fifo, round-robin, proportional-fair, max-rate",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(changes, message):
    with pytest.raises(InputError) as error:
        LinkSettings(make_pattern([1e6]), **changes)
    assert str(error.value) == message


def test_the_ends_of_each_range_are_in_it():
    assert [LinkSettings(make_pattern([1e6]), seed=seed).seed for seed in (0, 2**62 - 1)] == [0, 2**62 - 1]
    assert LinkSettings(make_pattern([1e6]), start_at_s=0.0, delay_s=0.0).start_at_s == 0
    assert LinkSettings(make_pattern([1e6]), start_at_s=2_592_000.0).start_at_s == 2_592_000
