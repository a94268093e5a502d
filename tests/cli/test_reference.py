import subprocess
import sys
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize(("module", "page"), [("reference", "cli.md"), ("python_reference", "python.md")])
def test_a_generated_page_is_what_the_code_says(module, page):
    # A process of its own: click keeps the help options of commands that other tests have used.
    argv = [sys.executable, "-P", "-m", f"mmwemu.cli.{module}"]
    made = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert (REFERENCE / page).read_text() == made, (
        f"make it anew: python -m mmwemu.cli.{module} > docs/reference/{page}"
    )
