import pytest

from mmwemu.core import units
from mmwemu.core.errors import InputError, InvalidRunError, MissingError, MmwemuError


def test_each_error_has_its_exit_code():
    assert MmwemuError("x").exit_code == 1
    assert InputError("f.toml: key", "is 3; must be 4").exit_code == 2
    assert MissingError("no curl", "install it").exit_code == 3
    assert InvalidRunError("late").exit_code == 4


def test_input_error_says_where_and_what():
    assert str(InputError("f.toml: key", "is 3; must be 4")) == "f.toml: key: is 3; must be 4"


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("20MB", 20_000_000),
        ("20 mb", 20_000_000),
        ("64KiB", 65536),
        ("1500", 1500),
        ("1.5kB", 1500),
        ("2GB", 2 * 10**9),
    ],
)
def test_parse_size(text, size_bytes):
    assert units.parse_size(text) == size_bytes


@pytest.mark.parametrize("text", ["0", "0MB", "-3MB", "MB", "3 Mbit", "nan", "", "1e3"])
def test_parse_size_refuses(text):
    with pytest.raises(InputError, match="size: is"):
        units.parse_size(text)


@pytest.mark.parametrize(
    ("size_bytes", "text"), [(2_000_000, "2 MB"), (2 * 10**9, "2 GB"), (1536, "1.536 kB"), (12, "12 B")]
)
def test_format_size(size_bytes, text):
    assert units.format_size(size_bytes) == text
    assert units.parse_size(text) == size_bytes


def test_units_are_consistent():
    assert units.bps_per("Mbit/s") == 1e6
    assert units.mbps(3e6) == 3.0
    assert units.seconds_per("ms") == 1e-3
    assert units.ms(0.011) == pytest.approx(11)
