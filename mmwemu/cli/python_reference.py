"""The reference page of the Python names, made from their docstrings: python -m mmwemu.cli.python_reference."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from typing import Any

import mmwemu

# The comma before the next parameter.
_PARAMETER = re.compile(r", (?=\*|\w+:)")
_SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises)\n-+$", re.MULTILINE)


def page() -> str:
    """Return docs/reference/python.md."""
    parts = [
        "# Python\n",
        "Made by `python -m mmwemu.cli.python_reference`; a test keeps it true. `import mmwemu` offers these names,"
        " imported when they are first used; [the how-to](../how-to/notebook.md) uses most of them. Errors are of"
        " `mmwemu.core.errors`.\n",
    ]
    parts += [_entry(name, getattr(mmwemu, name)) for name in mmwemu.__all__]
    return "\n".join(parts)


def _entry(name: str, item: Any) -> str:
    text = _SECTION.sub(r"**\1**\n", inspect.getdoc(item) or "")
    return f"## {name}\n\n```python\n{name}{_signature(item)}\n```\n\n{_markdown(text)}\n"


def _signature(item: Any) -> str:
    """Return the parameters as they stand in the source, one a line."""
    node = ast.parse(textwrap.dedent(inspect.getsource(item))).body[0]
    if isinstance(node, ast.ClassDef):
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        parameters = [ast.unparse(part) for part in fields if "ClassVar" not in ast.unparse(part.annotation)]
        returned = ""
    else:
        assert isinstance(node, ast.FunctionDef) and node.returns is not None
        parameters = _PARAMETER.split(ast.unparse(node.args))
        returned = f" -> {ast.unparse(node.returns)}"
    return "(" + "".join(f"\n    {parameter}," for parameter in parameters) + f"\n){returned}"


def _markdown(text: str) -> str:
    """Turn numpydoc into Markdown: names of sections in bold, their entries as a list, code in single backquotes."""
    lines: list[str] = []
    is_section = False
    for line in text.replace("``", "`").splitlines():
        if line.startswith("**"):
            is_section = True
            lines += [line]
        elif is_section and line and not line.startswith(" "):
            lines.append(f"- `{line}`:")
        elif is_section and line:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())
