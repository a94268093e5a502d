"""Manual pages, made of docs/reference/cli.md: python manual.py cli.md FOLDER VERSION.

The build runs this file by its path, before mmwemu and what it depends on are installed: it imports only the standard
library.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

# Below the width at which the reference breaks lines.
_SHORT = 90
_ENTRY = re.compile(r"  (-.*?|\S+(?: \S+)*?)(?:  +(\S.*))?")


def pages(reference: str, version: str) -> dict[str, str]:
    """Return the manual pages of the command and of each of its verbs.

    Parameters
    ----------
    reference
        Text of docs/reference/cli.md.
    version
        Version of mmwemu, for the foot of the pages.

    Returns
    -------
    dict of str to str
        Text of each page in roff, by the name of its file.
    """
    helps = re.findall(r"^## ([^\n]+)\n\n```text\n(.*?)^```$", reference, re.DOTALL | re.MULTILINE)
    codes = re.search(r"^Exit codes: (.*?)\n\n", reference, re.DOTALL | re.MULTILINE)
    if not helps or codes is None:
        raise ValueError("this is not the reference of the command line")
    made: dict[str, list[str]] = {}
    for path, text in helps:
        words = path.split()
        page = made.setdefault("-".join(words[:2]), [])
        if page:
            page += [f".SS {_plain(path)}", *_body(text, deep=True)]
        else:
            page += [*_head(words, text, version), *_body(text, deep=False)]
    last = [".SH EXIT STATUS", _plain(re.sub(r"; \[.*?\]\(.*?\)", "", codes[1]).replace("`", ""))]
    also = ", ".join(f"\\fB{_plain(name)}\\fR(1)" for name in made)
    return {f"{name}.1": "\n".join([*page, *last, ".SH SEE ALSO", also, ""]) for name, page in made.items()}


def _head(words: list[str], text: str, version: str) -> list[str]:
    name = "-".join(words)
    first = text.split("\n\n")[1]
    purpose = re.split(r"[.;] ", " ".join(first.split()))[0]
    return [
        f'.TH {_plain(name.upper())} 1 "" "mmwemu {_plain(version)}" "mmwemu"',
        ".SH NAME",
        f"{_plain(name)} \\- {_plain(purpose.rstrip('.'))}",
    ]


def _body(text: str, *, deep: bool) -> Iterator[str]:
    """Yield the lines of one help: usage, paragraphs and options; a deep one is a part of a page."""
    usage, _, rest = text.partition("\n\n")
    synopsis = " ".join(usage.removeprefix("Usage:").split())
    yield from (
        [f"\\fB{_plain(synopsis)}\\fR"] if deep else [".SH SYNOPSIS", f".B {_plain(synopsis)}", ".SH DESCRIPTION"]
    )
    for number, block in enumerate(re.split(r"\n\n+", rest.rstrip())):
        title, _, entries = block.partition("\n")
        if title.startswith(" "):
            yield from [".PP"] if deep or number else []
            yield from _paragraph(block)
        else:
            yield from [".PP", f"\\fI{_plain(title)}\\fR"] if deep else [f".SH {_plain(title.rstrip(':').upper())}"]
            yield from _entries(entries)


def _paragraph(block: str) -> Iterator[str]:
    lines = [line[2:] for line in block.splitlines()]
    if all(len(line) + len(after.split()[0]) > _SHORT for line, after in pairwise(lines)):
        yield _plain(" ".join(lines))
    else:  # the lines are kept where the next word would have had room, as in an example
        yield from [".nf", *map(_plain, lines), ".fi"]


def _entries(text: str) -> Iterator[str]:
    """Yield options or verbs with what they mean; a line of neither kind is a remark on the section."""
    for line in text.splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            yield _plain(line.strip())
        elif entry[2] is None and not entry[1].startswith("-"):
            yield _plain(entry[1])
        else:
            yield from [".TP", f"\\fB{_plain(entry[1])}\\fR"]
            if entry[2] is not None:
                yield _plain(entry[2])


def _plain(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def main(reference: str, folder: str, version: str) -> None:
    """Write the pages into a folder, which is made if it is not there."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages(Path(reference).read_text(encoding="utf-8"), version).items():
        (Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
