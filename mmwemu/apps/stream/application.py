"""Application that plays films by DASH."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mmwemu.apps.application import Context, Go, Outcome, check_limit
from mmwemu.apps.shared.browser.modules import Tools, find_tools
from mmwemu.apps.shared.webserver.hosts import VirtualHost
from mmwemu.apps.stream.client import Abr, Player, Showing, play
from mmwemu.apps.stream.film import Film, make_film, put_film
from mmwemu.apps.stream.ladder import LADDERS
from mmwemu.apps.stream.measures import cpu_bound_because, find_stalls, summary, timeline
from mmwemu.apps.stream.record import StreamRun
from mmwemu.apps.stream.result import Play
from mmwemu.apps.stream.source import SYNTHETIC, find_source
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.text import digits
from mmwemu.link.settings import LinkSettings
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

_CONTROL_S = 10.0
_START_S = 1.5
_LONGEST_S = 600.0


@dataclass(frozen=True)
class Streams:
    """Settings of playback.

    Attributes
    ----------
    ladder
        A name of `mmwemu.apps.stream.ladder.LADDERS`.
    film
        ``bunny``, ``synthetic``, a file, or None for ``bunny`` if present, else ``synthetic``.
    player, abr
        As in `mmwemu.apps.stream.client.Showing`.
    limit_s
        Length of playback, from the time at which the player gets the film.
    keep
        Keep each player's own record, and the browser's last picture, in the results folder.
    """

    ladder: str = "1080p"
    film: str | None = None
    player: Player = "browser"
    abr: Abr = "dynamic"
    limit_s: float = 40.0
    keep: bool = False

    name: ClassVar[str] = "stream"
    record: ClassVar[type[Run]] = StreamRun

    def __post_init__(self) -> None:
        check_limit(self.limit_s)
        if self.limit_s > _LONGEST_S:
            raise InputError("duration", f"is {digits(self.limit_s)} s; must be at most {digits(_LONGEST_S)} s")
        if self.ladder not in LADDERS:
            raise InputError("ladder", f"is {self.ladder!r}; must be one of {', '.join(LADDERS)}")
        if not LADDERS[self.ladder].encoded:
            if self.player == "browser":
                raise InputError("ladder", f"{self.ladder} has no pixels; it needs the headless player")
            if self.film is not None:
                raise InputError("film", f"cannot be used with the ladder {self.ladder}, which has no pixels")

    @property
    def cases(self) -> tuple[str, ...]:
        """The ladder."""
        return (self.ladder,)

    def expected_s(self, case: str, settings: LinkSettings, clients: int) -> float:
        """Return the length of playback and the time that a player takes to start, s."""
        return self.limit_s + _START_S

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedStreams:
        """Find the tools and the film, which is encoded unless it is in the user's cache.

        Raises
        ------
        InputError
            If the file contains no video.
        MissingError
            If node, a browser, the driver's modules or ffmpeg are missing and needed.
        MmwemuError
            If encoding fails or the disk is full.
        """
        tools = find_tools() if self.player == "browser" else None
        return PreparedStreams(self, tools, self._make_film(on_progress))

    def _make_film(self, on_progress: OnProgress) -> Film:
        ladder = LADDERS[self.ladder]
        source = find_source(self.film if ladder.encoded else SYNTHETIC)
        return make_film(source, ladder, self.limit_s, on_progress)


@dataclass(frozen=True)
class PreparedStreams:
    """Playback ready to begin; ``controls`` holds the result of the control over a link of unlimited rate."""

    asked: Streams
    tools: Tools | None
    film: Film
    controls: list[Play] = field(default_factory=list)

    @property
    def hosts(self) -> tuple[VirtualHost, ...]:
        """No virtual hosts of its own."""
        return ()

    def before(self, context: Context, case: str) -> None:
        """Put the film on the server and play its first seconds with the same delay and unlimited rate, once."""
        if self.controls:
            return
        assert context.webserver is not None
        put_film(self.film, context.webserver.content)
        context.open_link()
        showing = replace(self._showing, duration_s=min(_CONTROL_S, self.asked.limit_s))
        self.controls.append(play(context.client, context.server.address, self.tools, showing, self.film.folder.name))

    def run(self, context: Context, case: str, number: int, go: Go) -> Outcome:
        """Play the film once."""
        kept = context.folder / "streams" / f"{number:05}" if self.asked.keep else None
        outcome = play(
            context.client, context.server.address, self.tools, self._showing, self.film.folder.name, kept, go
        )
        control = self.controls[0]
        columns: dict[str, Any] = {
            "film": self.film.name,
            "ladder": self.asked.ladder,
            "player": self.asked.player,
            "abr": self.asked.abr,
            "software": outcome.player,
            "top_bps": float(self.film.ladder.video[-1].rate_bps),
            "limit_s": self.asked.limit_s,
            "status": outcome.status,
            "error": outcome.error,
            "duration_s": outcome.duration_s,
            **summary(outcome),
            "browser_cpu_s": outcome.browser_cpu_s,
            "machine_load": outcome.machine_load,
            "control_startup_s": control.startup_s,
            "control_cpu_stall_s": summary(control)["cpu_stall_s"],
        }
        return Outcome(columns, _tables(outcome), cpu_bound_because(outcome))

    @property
    def _showing(self) -> Showing:
        return Showing(self.asked.player, self.asked.abr, self.asked.limit_s)


def _tables(outcome: Play) -> dict[str, pd.DataFrame]:
    import pandas as pd

    columns = {"start_s": float, "duration_s": float, "position_s": float, "cause": object}
    stalls = pd.DataFrame([asdict(stall) for stall in find_stalls(outcome)], columns=list(columns)).astype(columns)
    return {"buffer": timeline(outcome), "segments": outcome.segments, "stalls": stalls}
