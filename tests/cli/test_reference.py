import subprocess
import sys
from pathlib import Path

import pytest

from mmwemu.cli import patterns_reference

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize(("module", "page"), [("reference", "cli.md"), ("python_reference", "python.md")])
def test_a_generated_page_is_what_the_code_says(module, page):
    # A process of its own: click keeps the help options of commands that other tests have used.
    argv = [sys.executable, "-P", "-m", f"mmwemu.cli.{module}"]
    made = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert (REFERENCE / page).read_text() == made, (
        f"make it anew: python -m mmwemu.cli.{module} > docs/reference/{page}"
    )


def test_the_index_of_shipped_patterns_and_its_pictures_are_what_the_files_say():
    made = patterns_reference.files()
    docs = REFERENCE.parent
    stale = [name for name, text in made.items() if not (docs / name).is_file() or (docs / name).read_text() != text]
    assert not stale, "make them anew: python -m mmwemu.cli.patterns_reference docs"
    pictures = {f"images/patterns/{path.name}" for path in (docs / "images/patterns").iterdir()}
    assert pictures == set(made) - {"reference/patterns.md"}
