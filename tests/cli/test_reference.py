from pathlib import Path

from mmwemu.cli import reference


def test_the_reference_page_is_what_the_verbs_say():
    page = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
    assert page.read_text() == reference.page(), "make it anew: python -m mmwemu.cli.reference > docs/reference/cli.md"
