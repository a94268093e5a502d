"""Shell blocks of the pages, and the marks on them.

A mark is an HTML comment on the lines before a block, which neither the site nor a forge shows:

- ``<!-- not run: REASON -->``: the block cannot run here.
- ``<!-- run by: tests/FILE -->``: a test of its own runs what the block says.
- ``<!-- terminal: LINE -->``: the block has a terminal, in which its reader types this.
- ``<!-- first: COMMANDS -->``: what makes the files that the reader of this block has.
- ``<!-- file: NAME -->``: a block of any language is a file that the reader writes.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

SHELLS = ("console", "bash", "sh", "shell")
_MARK = re.compile(r"<!-- (not run|run by|terminal|first|file): (.*?) -->", re.DOTALL)
_BLOCK = re.compile(r"((?:<!--(?:(?!-->).)*-->\n+)*)^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of a page with its marks.

    Attributes
    ----------
    line
        Number of the line where it begins.
    code
        What a reader types; of a block that shows output, the lines after ``$``.
    """

    line: int
    language: str
    code: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def is_shell(self) -> bool:
        """Whether it has commands."""
        return self.language in SHELLS


def read(page: Path) -> list[Block]:
    """Return the blocks of a page that are shell or a file, in order."""
    text = page.read_text(encoding="utf-8")
    blocks = []
    for found in _BLOCK.finditer(text):
        marks = dict(_MARK.findall(found[1]))
        code = _typed(found[3]) if found[2] == "console" else found[3]
        block = Block(text.count("\n", 0, found.start(2)) + 1, found[2], code, marks)
        if block.is_shell or "file" in marks:
            blocks.append(block)
    return blocks


def _typed(shown: str) -> str:
    """Return the commands of a session, without what they print."""
    typed: list[str] = []
    for line in shown.splitlines():
        if line.startswith(("$ ", "> ")):
            typed.append(line[2:])
        elif typed and typed[-1].endswith("\\"):
            typed.append(line)
    return "\n".join(typed) + "\n"
