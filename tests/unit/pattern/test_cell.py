"""A folder as a cell."""

import pytest

from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.pattern import cell
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native


def made(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        native.save(constant(1e6, 1.0), folder / name)
    return folder


def test_files_come_in_the_order_of_their_numbers(tmp_path):
    folder = made(tmp_path / "c", "ue10.csv", "ue9.csv", "ue1.csv", "a.csv")
    (folder / "notes.txt").write_text("none of them")
    assert [file.name for file in cell.files(str(folder))] == ["a.csv", "ue1.csv", "ue9.csv", "ue10.csv"]
    assert cell.name_of(str(folder)) == "c"


def test_a_file_and_a_shipped_pattern_are_themselves(tmp_path, monkeypatch):
    file = made(tmp_path, "p.csv") / "p.csv"
    assert cell.files(str(file)) == [file]
    assert (cell.name_of(str(file)), cell.digest([file])) == ("p", sha256(file))
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "s4-outage.lte", "ue1.csv")
    assert cell.files("s4-outage.lte")[0].name == "s4-outage.lte.csv"


def test_the_digest_of_a_cell_tells_its_files_and_their_order(tmp_path):
    one, two = (
        native.save(constant(rate, 1.0), tmp_path / f"{rate}.csv") or tmp_path / f"{rate}.csv" for rate in (1e6, 2e6)
    )
    assert len({cell.digest(files) for files in ([one], [two], [one, two], [two, one])}) == 4


def test_a_cell_is_named_after_its_folder_wherever_it_is_seen_from(tmp_path, monkeypatch):
    monkeypatch.chdir(made(tmp_path / "here", "ue1.csv"))
    assert cell.name_of(".") == "here"


def test_what_is_no_cell_is_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    made(tmp_path / "bad name", "ue1.csv")
    with pytest.raises(InputError, match=r"empty: is a folder without pattern files \(\*\.csv\)$"):
        cell.files(str(tmp_path / "empty"))
    with pytest.raises(InputError, match=r"names its cell 'bad name', which .*; rename the folder$"):
        cell.name_of(str(tmp_path / "bad name"))
    with pytest.raises(InputError, match="is neither a file nor a shipped pattern"):
        cell.files(str(tmp_path / "nosuch"))
