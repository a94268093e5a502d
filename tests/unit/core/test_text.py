import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.core.text import check_lines, digits, parse_json, parse_toml, printable, read_text, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("Grüße 漢字 \U0001f600", "Grüße 漢字 \U0001f600"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b1m \u202egnp.exe \u2028", "\\x9b1m \\u202egnp.exe \\u2028"),
        ("p\udce4ge", "p\\xe4ge"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_steers_a_terminal_is_escaped(text, expected):
    assert printable(text) == expected


@given(st.text())
def test_what_is_printable_is_one_line_that_can_be_encoded(text):
    found = printable(text)
    assert not {unicodedata.category(one) for one in found} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found.encode()
    assert printable(found) == found


def test_long_and_huge_values_are_cut():
    assert shown("x" * 1000) == "'" + "x" * 79 + "..."
    assert shown(int("f" * 10_000, 16)) == "too large to be shown"
    assert shown([1, "a"]) == "[1, 'a']"


def test_a_text_is_read_within_its_bounds(tmp_path):
    file = tmp_path / "t"
    file.write_bytes(b"a\r\nb\rc\n")
    assert read_text(file) == "a\nb\nc\n"
    assert read_text(file, 7) == "a\nb\nc\n"
    with pytest.raises(InputError, match="t: is larger than 0 MiB"):
        read_text(file, 6)
    file.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"is not a text file \(UTF-8\)"):
        read_text(file)
    assert read_text(file, errors="replace") == "\ufffd"
    with pytest.raises(InputError, match="cannot be the name of a file"):
        read_text(tmp_path / "a\0b")
    with pytest.raises(InputError, match="cannot be read: File name too long"):
        read_text(tmp_path / ("x" * 300))


@pytest.mark.parametrize("depth", [52, 60, 3000, 200_000])
def test_what_is_nested_too_deeply_is_refused(depth):
    for text, parse in (("[" * depth + "]" * depth, parse_json), (f"a = {'[' * depth}{']' * depth}", parse_toml)):
        with pytest.raises(InputError, match=r"t: (is nested too deeply|line 1: has [0-9]+ characters)"):
            parse(text, "t")


def test_tables_within_dotted_keys_are_nested_too():
    with pytest.raises(InputError, match="is nested too deeply"):
        parse_toml("a." * 2000 + "a = 1", "t")
    assert parse_toml("a." * 40 + "a = 1", "t")


def test_lists_of_fifty_levels_are_taken():
    assert json.dumps(parse_json("[" * 50 + "]" * 50, "t")) == "[" * 50 + "]" * 50


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000, str(2**63)])
def test_integers_beyond_64_bits_are_refused_in_toml(digits):
    with pytest.raises(InputError, match="t: "):
        parse_toml(f"a = {digits}", "t")
    assert parse_toml(f"a = {2**63 - 1}", "t") == {"a": 2**63 - 1}


def test_a_long_line_is_named():
    check_lines("x" * 10_000 + "\n" + "x" * 10_000, "t")
    with pytest.raises(InputError, match="t: line 2: has 10001 characters; must have at most 10000"):
        check_lines("\n" + "x" * 10_001, "t")


def test_a_number_is_shown_with_up_to_ten_digits():
    numbers = (0.1 + 0.2, 2_592_000.5, 4e8, -3.0, 1e12, 1e-6, float("inf"))
    shown = ["0.3", "2592000.5", "400000000", "-3", "1e+12", "1e-06", "inf"]
    assert [digits(number) for number in numbers] == shown


def test_more_lines_than_can_be_held_are_refused():
    check_lines("1\n" * 2_000_000, "t.csv")
    with pytest.raises(InputError, match=r"t\.csv: has 2000001 lines; must have at most 2000000"):
        check_lines("1\n" * 2_000_001, "t.csv")
