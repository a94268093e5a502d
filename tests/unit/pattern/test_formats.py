"""The registry of formats, guessing, and patterns given in any format."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from mmwemu.core import plugins as plugins_of_mmwemu
from mmwemu.core.errors import InputError
from mmwemu.pattern import library
from mmwemu.pattern.formats import guess, registry
from mmwemu.pattern.formats.format import Format
from tests.fuzz import good

DOCS = Path(__file__).parents[3] / "docs" / "formats"
PLUGIN = Format("mine", "a format of a test", (".mine",), lambda head: head.startswith("mine"), None)
NEWER = Format("newer", "", (), lambda head: False, None, interface=99)
NO_FORMAT = 1
GROUP = "mmwemu.pattern_formats"


@pytest.fixture
def plugins(monkeypatch):
    """Register further entry points as packages of others do."""

    def register(**places):
        ours = list(plugins_of_mmwemu.entry_points(group=GROUP))
        theirs = [EntryPoint(name, place, GROUP) for name, place in places.items()]

        def entry_points(group, name=None):
            return [point for point in ours + theirs if name in (None, point.name)]

        monkeypatch.setattr(plugins_of_mmwemu, "entry_points", entry_points)

    return register


@pytest.mark.parametrize("form", registry.registered().formats, ids=lambda form: form.name)
def test_each_format_has_a_page_and_a_good_file_that_shows_its_form(tmp_path, form):
    page = DOCS / ("pattern.md" if form.name == registry.OWN else f"{form.name}.md")
    assert page.is_file()
    file = tmp_path / "in"
    file.write_text(good.FORMATS[form.name])
    found, broken = guess.of_file(file)
    assert (found.name, broken) == (form.name, ())
    if form.read:
        assert library.load(str(file)).duration_s > 0
    for change in (
        str.encode,
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
    ):
        file.write_bytes(change(good.FORMATS[form.name]))
        assert guess.of_file(file)[0].name == form.name
        if form.read:
            library.load(str(file))


def test_a_broken_plug_in_is_one_line_and_the_rest_works(tmp_path, plugins):
    plugins(mine=f"{__name__}:PLUGIN", newer=f"{__name__}:NEWER", none=f"{__name__}:NO_FORMAT", gone="nosuch.module:X")
    found = registry.registered()
    assert [form.name for form in found.formats][-1] == "mine"
    assert [line.partition(": ")[2] for line in found.broken] == [
        "cannot be loaded: ModuleNotFoundError: No module named 'nosuch'",
        "needs pattern format interface 99; this mmwemu has 1: install a newer mmwemu",
        "is no Format but int; mend or uninstall it",
    ]
    file = tmp_path / "t.down"
    file.write_text(good.MAHIMAHI)
    assert library.read(str(file)).form == "mahimahi"
    (tmp_path / "x").write_text("mine\n")
    with pytest.raises(InputError, match="cannot be read as mine, which can only be written"):
        library.load(str(tmp_path / "x"))


def test_a_form_before_the_path_decides(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(good.MAHIMAHI)
    assert library.read(str(file)).form == "mahimahi"
    assert library.read(f"mahimahi:{file}").guessed is False
    assert library.find(f"mahimahi:{file}") == file
    with pytest.raises(InputError, match="has no head"):
        library.load(f"mmwemu:{file}")
    with pytest.raises(InputError, match=r"nosuch: is no file"):
        library.load("mahimahi:nosuch")
    odd = tmp_path / "columns:t.csv"
    odd.write_text(good.PATTERN)
    with pytest.raises(InputError, match="rename the file"):
        library.load(str(odd))


@pytest.mark.parametrize(("content", "name", "problem"), [
    (b"", "x", "has no known format; name it, as in mmwemu:FILE or --from; known are mmwemu, mahimahi"),
    (b"\x7fELF\x00\x01", "x", "has no known format"),
    (b"hello world and more\n", "x.csv", "has no head"),
    (b"1\n2\nx\n", "x.down", "line 3: is 'x'; must be a time in whole milliseconds"),
])  # fmt: skip
def test_a_file_of_no_form_is_refused_by_the_reader_of_its_ending(tmp_path, content, name, problem):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=problem):
        library.load(str(tmp_path / name))


def test_options_belong_to_formats():
    with pytest.raises(InputError, match="--nosuch-one: is no option of the format mahimahi"):
        library.filled(registry.load("mahimahi"), {"nosuch_one": "1"})
    with pytest.raises(InputError, match="--end: must be one of loop, hold, stop"):
        library.filled(registry.load("mahimahi"), {"end": "x"})


def test_the_format_of_the_how_to_page_works(tmp_path, monkeypatch, plugins):
    page = (DOCS.parent / "how-to" / "own-format.md").read_text()
    (tmp_path / "lab_format.py").write_text(page.partition("```python\n")[2].partition("```")[0])
    monkeypatch.syspath_prepend(tmp_path)
    plugins(lab="lab_format:FORMAT")
    file = tmp_path / "walk.lab"
    file.write_text("# lab\n0 10\n1 20\n")
    found = library.read(str(file))
    assert (found.form, found.remarks) == ("lab", ("both directions have the same rate",))
    assert (found.pattern.duration_s, found.pattern.uplink.rate_bps.tolist()) == (2, [10e6, 20e6])
    file.write_text("# lab\n0 x\n")
    with pytest.raises(InputError, match="is no table"):
        library.load(str(file))
