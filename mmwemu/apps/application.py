"""The interface of an application, and its registration.

An application is a folder, or a package of the user's. It registers an `ApplicationType` by an entry point of the group
``mmwemu.applications``; docs/how-to/own-application.md has a complete example.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

from mmwemu.core.bounds import LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress
from mmwemu.core.text import digits
from mmwemu.results.records import Run
from mmwemu.testbed.tcp import TcpChoices

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.apps.explained import Explained
    from mmwemu.apps.shared.webserver.hosts import VirtualHost
    from mmwemu.apps.shared.webserver.server import Server
    from mmwemu.core.requirements import Requirement
    from mmwemu.link.profile import LinkProfile
    from mmwemu.link.settings import LinkSettings
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View
    from mmwemu.testbed.link import Link
    from mmwemu.testbed.place import Place
    from mmwemu.testbed.testbed import Testbed

INTERFACE = 1
"""Version of the interface in this module."""

CaseT = TypeVar("CaseT")
CaseT_contra = TypeVar("CaseT_contra", contravariant=True)

Go = Callable[[], None]
"""An application calls it when it is ready to send its first packet; it returns when the application may."""


@dataclass(frozen=True)
class Context:
    """Where a run takes place.

    Attributes
    ----------
    testbed
        All places and links.
    client
        The client of this run.
    profile
        The link profile.
    webserver
        The running web server, None where no application asked for one.
    folder
        The results folder, where an application may keep files on request.
    tcp
        The sender's choices; the testbed has set windows, and paces what servers accept. A program at the server that
        opens connections by itself is to pace them.
    congestion_control
        Its name; the testbed has set it for TCP.
    """

    testbed: Testbed
    client: Place
    profile: LinkProfile
    webserver: Server | None
    folder: Path
    tcp: TcpChoices = field(default_factory=TcpChoices)
    congestion_control: str = "cubic"

    @property
    def server(self) -> Place:
        """The server's place."""
        return self.testbed.server

    @property
    def link(self) -> Link:
        """The access link of this client."""
        return self.testbed.link_of(self.client)

    def open_link(self) -> None:
        """Start a replay without limit of the rate on all access links, with the delay of the profile."""
        from mmwemu.link.settings import LinkSettings
        from mmwemu.pattern.convert import constant

        self.testbed.start(LinkSettings(constant(math.inf, 1.0), delay_s=self.profile.delay_s, start="now"))


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run.

    Attributes
    ----------
    columns
        Fields of the application's record: its own, and ``status``, ``error``, ``duration_s`` and ``limit_s``.
    tables
        Tables to keep with the run, by name.
    cpu_bound_because
        Why the computer rather than the link decided the outcome, as far as only the application knows; empty if it
        did not.
    measured_after_s
        From the start of the run to that of what its columns tell, such as a warm-up, s.
    """

    columns: Mapping[str, object]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    cpu_bound_because: str = ""
    measured_after_s: float = 0.0


class Prepared(Protocol[CaseT_contra]):
    """An application whose tools are there and whose content is made."""

    @property
    def hosts(self) -> Sequence[VirtualHost] | None:
        """Hosts that the web server serves beside files made later; None if the application needs no web server."""

    def before(self, context: Context, case: CaseT_contra) -> None:
        """Do what has to be done before a replay, such as a control measurement, for the first client."""

    def run(self, context: Context, case: CaseT_contra, number: int, go: Go) -> Outcome:
        """Run a case once for the context's client, as the run of this number; a study may repeat a number."""


class Application(Protocol[CaseT]):
    """An application with its options set; a frozen dataclass. It may be `Estimating`, too.

    One with these options that does not use TCP has an attribute ``uses_tcp`` that is False; one that sends by itself
    an attribute ``congestion_controls`` with the names that it can be told, or None for all of the kernel; one that
    cannot do without an edge has ``needs_edge`` that is True.
    """

    name: ClassVar[str]
    record: ClassVar[type[Run]]

    @property
    def cases(self) -> Sequence[CaseT]:
        """The cases to run over each pattern, such as file sizes."""

    def prepare(self, folder: Path, on_progress: OnProgress) -> Prepared[CaseT]:
        """Find the tools and make the content, in ``folder``, which is there for as long as the experiment lasts.

        Raises
        ------
        InputError
            If what is asked for cannot be had.
        MissingError
            If the machine lacks what it takes.
        """


@runtime_checkable
class Estimating(Protocol):
    """An application that can tell beforehand how long a run will take; others are taken to need their ``limit_s``."""

    def expected_s(self, case: Any, settings: LinkSettings, clients: int) -> float:
        """Return the time that a run will take, s, with so many clients on the link at once."""


def _nothing() -> list[Requirement]:
    return []


@dataclass(frozen=True)
class ApplicationType:
    """An application as it registers.

    Attributes
    ----------
    help
        One line for ``mmwemu run --help``; more lines may follow for the verb's own help.
    options
        The verb's own options and arguments, decorators of click.
    create
        Makes the application from the values of these options, given by name.
    summarize
        Draws figures of finished runs into a folder and returns tables. None for means with intervals and box plots of
        all numbers that the record has beside those of every run.
    requirements
        Looks for what the application needs of the machine, for ``mmwemu doctor``.
    repetitions
        How often each case is run where the user does not say.
    interface
        The version of this interface that the application was written for.
    view
        Returns how ``mmwemu report`` shows the runs: metrics, cases, events. None for all numbers that the record has
        beside those of every run.
    explained
        Returns how `mmwemu explain` divides the time of a run; None if it cannot.
    """

    help: str
    options: Sequence[Callable[[Any], Any]]
    create: Callable[..., Application[Any]]
    summarize: Callable[[Results, Path], Summary] | None = None
    requirements: Callable[[], list[Requirement]] = _nothing
    repetitions: int = 3
    interface: int = INTERFACE
    view: Callable[[], View] | None = None
    explained: Callable[[], Explained] | None = None


def check_limit(limit_s: float) -> None:
    """Refuse a time limit that is none.

    Raises
    ------
    InputError
        If it is not above 0 and at most `LONGEST_S`.
    """
    if not 0 < limit_s <= LONGEST_S:
        raise InputError("limit", f"is {digits(limit_s)} s; must be above 0 and at most {digits(LONGEST_S)}")
