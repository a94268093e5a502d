"""Claims of a source, with what was found of them here: rows of the report page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["found", "differs", "cannot be judged"]


@dataclass(frozen=True)
class JudgedClaim:
    """A claim, such as one of a paper, and what was found.

    Attributes
    ----------
    name
        Identifies it, such as ``hurtig2019-14``.
    source
        Where it is made, such as ``Hurtig 2019, figure 6``.
    text
        The claim in words.
    expected, found
        The quantity as claimed, and as found with its interval; empty if there is none.
    verdict
        The outcome.
    because
        Why, in one sentence.
    """

    name: str
    source: str
    text: str
    expected: str
    found: str
    verdict: Verdict
    because: str = ""
