import pytest

from mmwemu.core.errors import InputError
from mmwemu.core.tables import Table


def parse(text):
    return Table.parse("f.toml", text)


@pytest.mark.parametrize(
    ("text", "read", "message"),
    [
        ("x = nan", lambda t: t.number("x"), "f.toml: x: is nan; must be a finite number"),
        ("x = 'a'", lambda t: t.number("x"), "f.toml: x: is 'a'; must be a number"),
        ("x = true", lambda t: t.number("x"), "f.toml: x: is True; must be a number"),
        ("x = -1", lambda t: t.number("x", least=0), "f.toml: x: is -1; must be at least 0"),
        ("x = 0", lambda t: t.number("x", above=0), "f.toml: x: is 0; must be above 0"),
        ("x = 1.5", lambda t: t.integer("x"), "f.toml: x: is 1.5; must be a whole number"),
        ("x = [1]", lambda t: t.numbers("x", 2), "f.toml: x: is [1]; must be a list of 2 numbers"),
        ("x = [1, inf]", lambda t: t.numbers("x", 2), "f.toml: x[1]: is inf; must be a finite number"),
        ("x = 'c'", lambda t: t.text("x", choices=("a", "b")), "f.toml: x: is 'c'; must be one of a, b"),
        ("x = 1", lambda t: t.flag("x", True), "f.toml: x: is 1; must be true or false"),
        ("", lambda t: t.number("x"), "f.toml: x: is missing; it is required"),
        ("x = 1", lambda t: t.tables("x"), "f.toml: x: must be an array of tables: [[x]]"),
        ("format = 2", lambda t: t.format(), "f.toml: format: is 2; this mmwemu reads up to 1: install a newer mmwemu"),
    ],
)
def test_refuses(text, read, message):
    with pytest.raises(InputError) as caught:
        read(parse(text))
    assert str(caught.value) == message


def test_unknown_key_names_the_closest_known_one():
    table = parse("[radio]\npowr_dbm = 3")
    radio = table.table("radio")
    radio.number("power_dbm", 1.0)
    with pytest.raises(InputError, match=r"f.toml: radio.powr_dbm: is not a known key; did you mean power_dbm\?"):
        radio.finish()


def test_invalid_toml_says_where():
    with pytest.raises(InputError, match=r"f.toml: is not valid TOML: .*line 1"):
        parse("x = = 1")
