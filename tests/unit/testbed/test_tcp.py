"""The sender's choices: bounds, and what they make of the kernel's buffers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.bounds import HIGHEST_RATE_BPS, LARGEST_WINDOW_BYTES, LARGEST_WINDOW_PACKETS, LEAST_PACING_BPS
from mmwemu.core.errors import InputError
from mmwemu.testbed.tcp import TcpChoices


def sizes(text):
    least, default, most = map(int, text.split())
    assert 0 < least <= default <= most
    return default, most


def test_without_a_choice_the_buffers_are_those_of_the_testbed():
    kernel = TcpChoices()
    assert not kernel.any
    assert (kernel.receive_buffer, kernel.send_buffer) == ("4096 131072 67108864", "4096 65536 67108864")


@given(window=st.integers(1, LARGEST_WINDOW_PACKETS))
def test_a_first_window_fits_half_of_a_new_receive_buffer(window):
    default, _ = sizes(TcpChoices(window).receive_buffer)
    assert default // 2 >= window * 1448


@given(size=st.integers(4096, LARGEST_WINDOW_BYTES))
def test_a_window_is_the_size_of_receive_buffers_and_the_most_of_send_buffers(size):
    choices = TcpChoices(window_bytes=size)
    assert sizes(choices.receive_buffer) == (size, size)
    assert sizes(choices.send_buffer)[1] == size <= choices.most_send_buffer_bytes


@given(
    window=st.none() | st.integers(-1, 2 * LARGEST_WINDOW_PACKETS),
    pacing=st.none() | st.floats(),
    size=st.none() | st.integers(0, 2 * LARGEST_WINDOW_BYTES),
)
def test_whatever_is_chosen_the_kernel_takes_it_or_it_is_refused_in_one_line(window, pacing, size):
    good = (window is None or 1 <= window <= LARGEST_WINDOW_PACKETS) and (
        pacing is None or LEAST_PACING_BPS <= pacing <= HIGHEST_RATE_BPS
    )
    good = good and (size is None or max(4096, 3000 * (window or 0)) <= size <= LARGEST_WINDOW_BYTES)
    try:
        choices = TcpChoices(window, pacing, size)
    except InputError as error:
        assert not good and "\n" not in str(error)
    else:
        assert good and choices.any == ((window, pacing, size) != (None, None, None))


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        ((0,), "initial-window: is 0 packets; must be from 1 to 10000"),
        ((10_001,), "initial-window: is 10001 packets; must be from 1 to 10000"),
        ((None, 11_999.0), "pacing: is 11999 bit/s; must be from 12000 to "),
        ((None, math.nan), "pacing: is nan bit/s; must be from 12000 to "),
        ((None, None, 100), "window: is 100 bytes; must be from 4096 to 1073741824"),
        ((100, None, 65_536), "window: is 65536 bytes; an initial window of 100 packets needs at least 300000"),
    ],
)
def test_a_refusal_names_value_and_rule(choices, problem):
    with pytest.raises(InputError) as caught:
        TcpChoices(*choices)
    assert str(caught.value).startswith(problem)
