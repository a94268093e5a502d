"""What an experiment runs: the same for every application."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from mmwemu.apps.shared.webserver.hosts import VirtualHost
from mmwemu.apps.shared.webserver.server import Server
from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkKind, Testbed
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

CaseT = TypeVar("CaseT")
CaseT_contra = TypeVar("CaseT_contra", contravariant=True)
CaseT_co = TypeVar("CaseT_co", covariant=True)

Go = Callable[[], None]
"""Called by an application when it is ready to send its first packet; returns when it may."""


@dataclass(frozen=True)
class Stage:
    """Where applications run.

    Attributes
    ----------
    testbed
        Client, link and server.
    link
        What the link is like beside its pattern.
    server
        The web server, None where no application needs it.
    folder
        The results folder, for what an application keeps on request.
    """

    testbed: Testbed
    link: LinkKind
    server: Server | None
    folder: Path


@dataclass(frozen=True)
class Outcome:
    """What an application came to in one run.

    Attributes
    ----------
    columns
        The fields of its record that `Run` gives no value for, ``status``, ``error``, ``duration_s`` and ``limit_s``
        among them.
    tables
        Tables to keep with the run, by name.
    """

    columns: Mapping[str, object]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


class Prepared(Protocol[CaseT_contra]):
    """An application whose tools are there and whose content is made."""

    @property
    def hosts(self) -> Sequence[VirtualHost] | None:
        """What the web server has to serve beside files made later; None where it is not needed."""

    def before(self, stage: Stage, case: CaseT_contra) -> None:
        """Do what has to be done before a run, such as a control measurement."""

    def run(self, stage: Stage, case: CaseT_contra, number: int, go: Go) -> Outcome:
        """Run a case once, as the run of this number."""


class Application(Protocol[CaseT]):
    """What is asked of an application; a frozen dataclass."""

    name: ClassVar[str]
    record: ClassVar[type[Run]]

    @property
    def cases(self) -> Sequence[CaseT]:
        """What to run over each pattern, such as file sizes."""

    def prepare(self, folder: Path) -> Prepared[CaseT]:
        """Find the tools and make the content, in ``folder``, which is there for as long as the experiment lasts.

        Raises
        ------
        InputError
            If what is asked for cannot be had.
        MissingError
            If the machine lacks what it takes.
        """


def check_limit(limit_s: float) -> None:
    """Refuse a time limit that is none.

    Raises
    ------
    InputError
        If it is not finite and above 0.
    """
    if not math.isfinite(limit_s) or limit_s <= 0:
        raise InputError("limit", f"is {limit_s:g} s; must be finite and above 0")
