"""The registered papers."""

from __future__ import annotations

from mmwemu.core.plugins import PlugIns
from mmwemu.papers.paper import INTERFACE, Paper

_OURS = ("hurtig2019", "krasilov2019", "zhang2016", "chen2020")
_PAPERS = PlugIns("paper", "mmwemu.papers", Paper, INTERFACE, _OURS)


def names() -> list[str]:
    """Return the names of all registered papers, ours first."""
    return _PAPERS.names()


def load(name: str) -> Paper:
    """Load a paper.

    Raises
    ------
    InputError
        As `mmwemu.core.plugins.PlugIns.load`.
    """
    return _PAPERS.load(name)
