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


def test_each_unit_has_its_value():
    sizes = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    assert {unit: units.parse_size(f"3{unit}") for unit in sizes} == {unit: 3 * value for unit, value in sizes.items()}
    rates = {"bps": 1, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}
    assert {unit: units.parse_rate(f"3{unit}") for unit in rates} == {unit: 3 * value for unit, value in rates.items()}
    assert {unit: units.bps_per(unit) for unit in units.RATE_UNITS} == rates
    assert {unit: units.seconds_per(unit) for unit in units.TIME_UNITS} == {"s": 1, "ms": 1e-3, "us": 1e-6}


def test_sizes_are_rounded_to_bytes_and_are_one_at_least():
    assert [units.parse_size(text) for text in ("1", "1.4 B", "1.6 B", "0.001 kB")] == [1, 1, 2, 1]
    with pytest.raises(InputError, match=r"size: is '0.4'; must be"):
        units.parse_size("0.4")


def test_a_size_has_the_largest_unit_that_fits():
    texts = {999: "999 B", 1000: "1 kB", 999_999: "1000 kB", 10**6: "1 MB", 999 * 10**6: "999 MB", 10**9: "1 GB"}
    assert {size_bytes: units.format_size(size_bytes) for size_bytes in texts} == texts


def test_times_are_rounded_to_nanoseconds():
    assert (units.to_ns(1.4e-9), units.to_ns(1.6e-9), units.to_ns(2.0)) == (1, 2, 2_000_000_000)
    assert units.from_ns(1) == 1e-9
