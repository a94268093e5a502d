"""Manual pages, made of the reference of the command line."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mmwemu.cli import manual
from mmwemu.cli.verbs import _VERBS

REFERENCE = Path(__file__).parents[2] / "docs/reference/cli.md"


@pytest.fixture(scope="module")
def pages():
    return manual.pages(REFERENCE.read_text(), "1.2.3")


def printed(page):
    """Return the text of a page without its markup."""
    text = re.sub(r"\\f[A-Z]", "", page).replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    return " ".join(text.split())


def test_there_is_a_page_for_the_command_and_each_verb(pages):
    assert set(pages) == {"mmwemu.1", *(f"mmwemu-{verb}.1" for verb in _VERBS)}
    for name, page in pages.items():
        heads = [line for line in page.splitlines() if line.startswith((".TH", ".SH"))]
        assert heads[:4] == [heads[0], ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"], name
        assert heads[-2:] == [".SH EXIT STATUS", ".SH SEE ALSO"], name
        assert "1.2.3" in heads[0]


def test_a_page_has_all_that_the_help_says(pages):
    whole = {name: printed(page) for name, page in pages.items()}
    helps = re.findall(r"^## ([^\n]+)\n\n```text\n(.*?)^```$", REFERENCE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(helps) > 60
    for path, text in helps:
        page = whole["-".join(path.split()[:2]) + ".1"]
        for option in re.findall(r"^  (-\S.*?)(?:  |$)", text, re.MULTILINE):
            assert option in page, (path, option)
        for word in text.removeprefix("Usage:").split():
            assert word.rstrip(":").lower() in page.lower(), (path, word)


def test_an_example_keeps_its_lines(pages):
    example = pages["mmwemu-link.1"].split(".nf\n")[1].split("\n.fi")[0]
    assert printed(example.splitlines()[0]).endswith("-- \\")
    assert len(example.splitlines()) == 4


@pytest.mark.parametrize("program", ["mandoc", "groff"])
def test_the_formatters_find_nothing_wrong(program, pages, tmp_path):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    argv = {"mandoc": ["mandoc", "-T", "lint", "-W", "warning"], "groff": ["groff", "-man", "-ww", "-T", "utf8", "-z"]}
    for name, page in pages.items():
        (tmp_path / name).write_text(page)
    done = subprocess.run([*argv[program], *map(str, tmp_path.iterdir())], capture_output=True, text=True)
    # The pages have no date, so that a build makes the same ones each day.
    assert [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line] == []


def test_the_build_makes_the_pages_without_mmwemu(pages, tmp_path):
    argv = [sys.executable, "-I", "-S", manual.__file__, REFERENCE, tmp_path / "man", "1.2.3"]
    subprocess.run(argv, check=True, cwd=tmp_path)
    assert {file.name: file.read_text() for file in (tmp_path / "man").iterdir()} == pages


def test_another_text_is_refused():
    with pytest.raises(ValueError, match="not the reference"):
        manual.pages("# Command line\n", "1")
