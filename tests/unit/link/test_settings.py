import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings


def test_the_defaults_are_those_of_the_study(make_pattern):
    settings = LinkSettings(make_pattern([1e6]))
    assert (settings.delay_s, settings.queue_bytes, settings.start) == (0.011, 1_500_000, "first-packet")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"delay_s": -1.0}, "link: delay_s: is -1; must be finite and 0 or more"),
        ({"delay_s": math.nan}, "link: delay_s: is nan"),
        ({"start_at_s": math.inf}, "link: start_at_s: is inf"),
        ({"queue_bytes": 1499}, "link: queue_bytes: is 1499; a packet of 1500 bytes must fit"),
        ({"start": "at"}, "link: start: is 'at'; must be now or first-packet"),
        ({"seed": -1}, "link: seed: is -1"),
        ({"queue_packets": 0}, "link: queue_packets: is 0; must be finite and above 0"),
        ({"queue_s": 1.0, "queue_bdp": 1.0}, "link: queue_bdp: cannot be given with queue_s; one size is enough"),
        ({"aqm": "red"}, "link: aqm: is 'red'; must be one of drop-tail, drop-head, codel, fq_codel, pie"),
        ({"ecn": True}, "link: ecn: cannot be had with drop-tail; codel, fq_codel and pie mark packets"),
        ({"scheduler": "fair"}, "link: scheduler: is 'fair'; must be one of fifo, round-robin"),
        ({"slot_s": 1e-7}, "link: slot_s: is 1e-07; must be 0 or from 1 us to 1 s"),
    ],
)
def test_what_makes_no_sense_is_refused(make_pattern, changes, message):
    with pytest.raises(InputError) as error:
        LinkSettings(make_pattern([1e6]), **changes)
    assert str(error.value).startswith(message)
