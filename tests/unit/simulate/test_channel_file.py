"""The header of channel files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.core.temporary import temporary_folder
from mmwemu.scenario import read
from mmwemu.simulate import channel_file
from mmwemu.simulate.config import channel_hash

S0 = read.load("s0")
FIELDS = {"hash": channel_hash(S0), "seed": 3, "bands": 2, "period_ns": 10**9, "samples": 40, "value_bytes": 8}


def header(**changes):
    lines = [f"{name} {value}" for name, value in (FIELDS | changes).items()]
    return ("\n".join(["mmwemu-channel 1", *lines]) + "\n\n").encode(errors="surrogateescape")


def write(folder, head, samples=40):
    path = folder / "c"
    path.write_bytes(head + bytes(samples * 4 * 8))
    return path


def test_a_whole_file_is_taken(tmp_path):
    found = channel_file.check(write(tmp_path, header()), S0)
    assert (found.seed, found.duration_s) == (3, 40.0)


@pytest.mark.parametrize(
    ("changes", "samples", "message"),
    [
        ({"hash": "0" * 64}, 40, "holds the channel of another scenario"),
        ({"samples": 39}, 39, "holds 39 s; the scenario lasts 40 s"),
        ({}, 39, "is not as long as its header says"),
        ({"bands": 3}, 40, "is not as long as its header says"),
        ({"value_bytes": 2}, 160, "is not as long as its header says"),
        ({"period_ns": 10**150}, 40, "is not as long as its header says"),
        ({"seed": "x"}, 40, "has a header that makes no sense"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path, changes, samples, message):
    path = write(tmp_path, header(**changes), samples)
    with pytest.raises(InputError, match=message) as caught:
        channel_file.check(path, S0)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@settings(deadline=None)
@given(st.data())
def test_any_header_is_taken_or_refused(data):
    content = bytearray(header())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(0, 12))
        content[at : at + length] = data.draw(
            st.binary(max_size=12) | st.from_regex(rb"[0-9_ \n-]{1,12}", fullmatch=True)
        )
    with temporary_folder("channel") as folder:
        try:
            found = channel_file.check(write(folder, bytes(content)), S0)
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert found.duration_s >= 40
