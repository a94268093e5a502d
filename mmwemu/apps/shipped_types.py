"""Types of options that take a file or the name of something shipped; a shell completes both."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from mmwemu.apps.option_types import FileOrName, files


class Shipped(FileOrName):
    """A file, or one of the names that ``names`` returns."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Return the names that begin so, and a request for files."""
        # Files come first: bash forgets what was before them, and offers files where no name fits.
        return [*files(incomplete), *(CompletionItem(name) for name in self._names() if name.startswith(incomplete))]


def _patterns() -> Iterable[str]:
    from mmwemu.pattern import library

    return library.shipped()


def _scenarios() -> Iterable[str]:
    from mmwemu.scenario import read

    return read.shipped()


def _profiles() -> Iterable[str]:
    from mmwemu.link import profile_files

    return profile_files.names()


PATTERN = Shipped(_patterns)
SCENARIO = Shipped(_scenarios)
PROFILE = Shipped(_profiles)
