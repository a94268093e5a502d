"""The documentation is a site without warnings, and its links lead somewhere."""

import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# Hosts that do not speak https.
PLAIN = {"www.c-s-a.org.cn"}


def links(page):
    """Return what the links of a page name, without code."""
    text = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [re.sub(r"\s", "", link) for link in re.findall(r"\]\(([^)]+)\)", text)] + re.findall(
        r"https?://[^\s)>\]]+", text
    )


def anchors(page):
    """Return the anchors of a page's headings, as forges make them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_site_is_built_without_a_warning():
    pytest.importorskip("sphinx", reason="the site needs the extra docs")
    done = subprocess.run([ROOT / "scripts/docs"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    site = ROOT / "build/site"
    pages = {
        path.relative_to(ROOT / "docs").with_suffix(".html") for path in PAGES if path.is_relative_to(ROOT / "docs")
    }
    assert {page for page in pages if not (site / page).is_file()} == set()
    assert "mahimahi" in (site / "searchindex.js").read_text()
    assert "ratio" in (site / "how-to/results.html").read_text()  # what the notebook's cells printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_are_well_formed_and_those_to_files_lead_to_them(page):
    for link in links(page):
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https" or parts.hostname in PLAIN, link
            assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc), link
        else:
            target = (page.parent / parts.path).resolve() if parts.path else page
            assert target.exists(), link
            assert target.suffix != ".md" or not parts.fragment or parts.fragment in anchors(target), link
