import pytest

from mmwemu.core import units
from mmwemu.core.errors import InputError


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
    assert units.to_ns(0.0125) == 12_500_000
    assert units.from_ns(units.to_ns(0.011)) == 0.011
    assert units.bps_per("Mbit/s") == 1e6
    assert units.mbps(3e6) == 3.0
    assert units.seconds_per("ms") == 1e-3
    assert units.ms(0.011) == pytest.approx(11)


@pytest.mark.parametrize(
    ("text", "rate_bps"),
    [("50Mbit/s", 50e6), ("300 kbps", 300e3), ("1e6", 1e6), ("1.5 gbit/s", 1.5e9)],
)
def test_parse_rate(text, rate_bps):
    assert units.parse_rate(text) == rate_bps


@pytest.mark.parametrize("text", ["0", "-1Mbps", "fast", "5 MB", "", "1.2.3", "nan"])
def test_parse_rate_refuses(text):
    with pytest.raises(InputError, match="rate: is"):
        units.parse_rate(text)
