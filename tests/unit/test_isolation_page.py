"""The page about isolation and its tests name each other."""

import re
from pathlib import Path

from tests.link import test_isolation

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "isolation.md"
GROUPS = {
    "way_out": (test_isolation.test_no_way_out, test_isolation.ATTEMPTS),
    "can": (test_isolation.test_what_programs_can_do, test_isolation.ABILITIES),
    "root": (test_isolation.test_what_only_root_can_do, test_isolation.OF_ROOT),
}


def rows():
    """Give the cells of each row of a table, without headers."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if "|" in line]
    return [cells for cells in lines if cells[-1] != "test" and not cells[0].startswith("---")]


def test_each_line_of_the_page_names_its_test():
    for line, tests in rows():
        names = re.findall(r"`([^`]+)`", tests)
        assert names, line
        for name in names:
            if found := re.fullmatch(r"(\w+)\[(\w+)\]", name):
                group, attempt = found.groups()
                assert attempt in GROUPS[group][1], name
            else:
                path, _, function = name.partition("::")
                assert path == "tests/link/test_isolation.py" and callable(getattr(test_isolation, function)), name


def test_each_test_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    for group, (function, attempts) in GROUPS.items():
        assert f"tests/link/test_isolation.py::{function.__name__}" in text
        assert [name for name in attempts if f"`{group}[{name}]`" not in text] == []
    alone = {name for name in vars(test_isolation) if name.startswith("test_")} - {
        f.__name__ for f, _ in GROUPS.values()
    }
    assert [name for name in alone if f"`tests/link/test_isolation.py::{name}`" not in text] == []
