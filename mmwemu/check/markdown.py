"""A check as Markdown, for the summary that CI systems show."""

from __future__ import annotations

import html
import re

from mmwemu.check.report import Report, words
from mmwemu.core.text import printable

_HEADER = ("verdict", "of", "expected", "value", "interval", "n", "")


def markdown(report: Report) -> str:
    """Return the summary: verdict and reason, a row for each line, notes."""
    parts = [f"## mmwemu check {_plain(report.study)}: {report.verdict}", _plain(_sentence(report))]
    if report.lines:
        rows = []
        for line in report.lines:
            value, interval, bound = words(line)
            rows.append((line.verdict, line.group, bound, value, interval, str(line.n), line.reason))
        rule = tuple("---" for _ in _HEADER)
        parts.append("\n".join("| " + " | ".join(map(_plain, row)) + " |" for row in (_HEADER, rule, *rows)))
    if report.notes:
        parts.append("\n".join(f"- {_plain(note)}" for note in report.notes))
    return "\n\n".join(parts) + "\n"


def _sentence(report: Report) -> str:
    reason = report.reason or "ended"
    if reason.partition(" ")[0].isalpha():  # and not a file's name
        reason = f"{reason[:1].upper()}{reason[1:]}"
    runs = f" {report.runs} runs in {report.elapsed_s:.0f} s." if report.runs else ""
    return f"{reason}.{runs}"


def _plain(text: str) -> str:
    """Return a text in one line that Markdown and HTML show as it is."""
    if text == "---":
        return text
    return re.sub(r"([\\`*_{}\[\]|#~])", r"\\\1", html.escape(printable(text), quote=False))
