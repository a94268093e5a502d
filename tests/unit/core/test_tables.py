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


def test_limits_are_in_the_range_or_out_of_it():
    assert parse("x = 0").number("x", least=0) == 0
    assert parse("x = 0.1").number("x", above=0) == 0.1
    assert parse("x = 3").integer("x", least=3) == 3
    assert parse("x = 1").integer("x") == 1
    with pytest.raises(InputError, match="x: is 0; must be at least 1"):
        parse("x = 0").integer("x")


def test_absent_keys_have_their_default():
    table = parse("")
    assert (table.number("a", 1.5), table.integer("b", 2), table.text("c", "d")) == (1.5, 2, "d")
    assert (table.numbers("e", 2, (1, 2)), table.flag("f", False), table.flag("g", True)) == ((1, 2), False, True)
    assert (table.tables("h"), "i" in table.table("i")) == ([], False)
    table.finish()


def test_values_have_their_python_type():
    table = parse("a = 3\nb = 4.0\nc = [1, 2]\nformat = 1")
    values = table.number("a"), table.integer("b"), *table.numbers("c", 2), table.format()
    assert (values, [type(value) for value in values]) == ((3, 4, 1, 2, 1), [float, int, float, float, int])


def test_inner_tables_name_their_place():
    table = parse("[[a]]\nx = 1\n[[a]]\nx = 'b'\n[c.d]\ny = 1")
    first, second = table.tables("a")
    assert first.number("x") == 1
    with pytest.raises(InputError, match=r"f\.toml: a\[1\]\.x: is 'b'; must be a number"):
        second.number("x")
    with pytest.raises(InputError, match=r"f\.toml: c\.d\.z: is missing; it is required"):
        table.table("c").table("d").number("z")
    with pytest.raises(InputError, match=r"f\.toml: e: is missing; it is required"):
        table.table("e", required=True)
    with pytest.raises(InputError, match=r"f\.toml: a: must be a table"):
        table.table("a")


def test_an_unlike_key_lists_the_known_ones():
    table = parse("zzz = 1")
    table.number("b", 1.0)
    with pytest.raises(InputError, match=r"f\.toml: zzz: is not a known key; known here: a, b$"):
        table.finish(["a"])
