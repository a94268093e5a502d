"""What a forge and a stranger read: the citation, the forms of issues, SECURITY.md."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
# Of the schema of Citation File Format 1.2.0: what must be there, what may, and what a reference must have.
_REQUIRED = {"cff-version", "message", "title", "authors"}
_ALLOWED = _REQUIRED | {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license",
                        "license-url", "preferred-citation", "references", "repository", "repository-artifact",
                        "repository-code", "type", "url", "version"}  # fmt: skip
_OF_REFERENCE = {"type", "title", "authors", "year", "collection-title", "institution", "languages", "journal", "url",
                 "doi", "volume", "issue", "start", "end", "pages", "conference", "publisher", "notes"}  # fmt: skip
_TYPES = {"article", "book", "conference", "conference-paper", "proceedings", "report", "software", "thesis"}
# First authors and a word of the title, as the papers have them.
PAPERS = {
    "Hurtig": "Application Performance",
    "Zhang": "Transport layer performance",
    "Красилов": "миллиметрового",
    "Polese": "milliProxy",
    "陈": "毫米波网络",
}


@pytest.fixture(scope="module")
def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_is_valid(citation):
    assert set(citation) >= _REQUIRED and set(citation) <= _ALLOWED
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] in ("software", "dataset")
    for person in (person for one in (citation, *citation["references"]) for person in one["authors"]):
        assert set(person) <= {"name"} or set(person) == {"given-names", "family-names"}, person
        assert all(isinstance(value, str) and value for value in person.values())


def test_each_reference_is_valid(citation):
    for one in citation["references"]:
        assert {"type", "title", "authors"} <= set(one) and set(one) <= _OF_REFERENCE, one["title"]
        assert one["type"] in _TYPES
        assert isinstance(one["year"], int) and 1990 < one["year"] < 2100
        assert all(re.fullmatch("[a-z]{2,3}", language) for language in one.get("languages", []))
        assert set(one.get("institution", {"name": ""})) == {"name"}


def test_the_five_papers_are_cited(citation):
    found = {one["authors"][0]["family-names"]: one["title"] for one in citation["references"]}
    assert set(found) == set(PAPERS)
    assert [name for name, words in PAPERS.items() if words not in found[name]] == []


@pytest.mark.parametrize("name", ["bug", "question"])
def test_forms_of_issues_have_what_a_forge_needs(name):
    form = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text())
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids)) and all(isinstance(one, str) for one in ids)
    for field in form["body"]:
        assert field["type"] in ("textarea", "input", "dropdown", "checkboxes")
        assert field["attributes"]["label"]


def test_each_promise_of_security_names_tests_that_exist():
    from tests.link import test_isolation

    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promises = [line.split(" | ") for line in text.splitlines() if line.startswith("|")][2:]
    assert len(promises) > 5
    for row in promises:
        tests = row[-1]
        for path in re.findall(r"`((?:tests|scripts)/[\w./]+)", tests):
            assert (ROOT / path).exists(), path
        for name in re.findall(r"\[(\w+)\]", tests):
            assert name in test_isolation.ATTEMPTS, name
        for name in re.findall(r"`(test_\w+)`", tests):
            assert callable(getattr(test_isolation, name)), name
        assert "`" in tests, row
