"""The plan of an experiment: how often, over which link, in which testbed."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from mmwemu.core.bounds import LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.link import bdp
from mmwemu.link.profile import MTU_BYTES, LinkProfile
from mmwemu.link.settings import LinkSettings, Scheduler
from mmwemu.testbed.backends.tc.support import TcMode
from mmwemu.testbed.setup import Backend, Setup
from mmwemu.testbed.tcp import MSS_BYTES, TcpChoices
from mmwemu.testbed.topology import Topology, core_link

PacketForm = Literal["parquet", "pcapng"]
Bdp = Literal["bdp"]
SENDERS = ("congestion_control", "initial_window", "pacing", "window_bytes")
"""Fields of a plan that are a sender's choice."""

_OF_PAYLOAD = MSS_BYTES / MTU_BYTES


@dataclass(frozen=True, kw_only=True)
class ReplayPlan(LinkProfile):
    """The replays of an experiment and the link that they use.

    Attributes
    ----------
    repetitions
        How often each case is run over each pattern.
    starts_at_s
        Times in the pattern at which a run starts.
    start_between_s
        Draw the start of each repetition uniformly from here to there, the same for every case and pattern, instead.
    congestion_control
        TCP congestion control of all places.
    initial_window, pacing, window_bytes
        The sender's other choices, as in `mmwemu.testbed.tcp.TcpChoices`; None: the kernel's. ``bdp`` stands for the
        link's bandwidth-delay product (`mmwemu.link.bdp`): as many packets, or the rate that carries them in a round
        trip.
    seed
        Seed of random starts and of all that is random on the link; repetition i, counted from 1, uses seed + i - 1.
        Backend ``tc`` draws without it.
    backend, tc_mode
        The backend; see `mmwemu.testbed.setup.Setup`.
    packets
        Forms in which each packet of each replay is written down: ``parquet``, ``pcapng``.
    clients, scheduler, client_shift_s
        How many clients share the access link, and how; each of them runs the application. The last two are those of
        `mmwemu.link.settings.LinkSettings`.
    edge, core_rate_bps, core_loss, access_delay_s
        Put an edge before a core link of this rate (None: unlimited) and loss; the last is the part of ``delay_s`` that
        is before the edge.
    serve_edge
        Run this command at the edge as long as the experiment lasts; empty for none.
    edge_proxy
        The proxy at the edge, as in `mmwemu.testbed.setup.Setup`; None for none.
    edge_congestion_control
        TCP congestion control of the edge; None for that of all places.
    vary
        Several values of a sender's choice (`SENDERS`) or of fields of the link profile, each run with each pattern and
        case.
    """

    repetitions: int = 1
    starts_at_s: tuple[float, ...] = (0.0,)
    start_between_s: tuple[float, float] | None = None
    congestion_control: str = "cubic"
    initial_window: int | Bdp | None = None
    pacing: float | Bdp | None = None
    window_bytes: int | None = None
    seed: int = 1
    backend: Backend = "tun"
    tc_mode: TcMode = "tbf"
    packets: tuple[PacketForm, ...] = ()
    clients: int = 1
    scheduler: Scheduler = "fifo"
    client_shift_s: float = 0.0
    edge: bool = False
    core_rate_bps: float | None = None
    core_loss: float = 0.0
    access_delay_s: float = 0.0
    serve_edge: str = ""
    edge_proxy: str | None = None
    edge_congestion_control: str | None = None
    vary: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.repetitions < 1:
            raise InputError("repetitions", f"is {self.repetitions}; must be at least 1")
        if not self.starts_at_s:
            raise InputError("start-at", "has no value; at least one is needed")
        if self.start_between_s is not None:
            low, high = self.start_between_s
            if not 0 <= low <= high <= LONGEST_S:
                raise InputError(
                    "start-random",
                    f"is {digits(low)}-{digits(high)} s; must rise from 0 to at most {digits(LONGEST_S)}",
                )
        for form in self.packets:
            if form not in get_args(PacketForm):
                raise InputError("packets", f"is {form!r}; must be one of {', '.join(get_args(PacketForm))}")
        if self.core_rate_bps is not None and not 0 < self.core_rate_bps < math.inf:
            problem = f"is {digits(self.core_rate_bps)}; must be finite and above 0, or None for unlimited"
            raise InputError("core-rate", problem)
        setup = self.setup
        if self.packets:
            setup.require("packets")
        if self.vary:
            _ = self.variations
        else:
            TcpChoices(*(None if value == "bdp" else value for value in self._asked_of_tcp))

    @property
    def _asked_of_tcp(self) -> tuple[Any, Any, Any]:
        return self.initial_window, self.pacing, self.window_bytes

    def tcp_choices(self, settings: LinkSettings) -> TcpChoices:
        """Return the sender's choices over a link.

        Raises
        ------
        InputError
            If they depend on a rate that is unlimited, or the kernel does not take what comes of it.
        """
        window, pacing, size = self._asked_of_tcp
        rate_bps = bdp.mean_rate_bps(settings)
        if "bdp" in (window, pacing) and not math.isfinite(rate_bps):
            name, instead = ("initial-window", "packets") if window == "bdp" else ("pacing", "a rate")
            raise InputError(name, f"is bdp, and the pattern's rate is unlimited; give {instead}")
        if window == "bdp":
            window = max(1, math.ceil(bdp.packets(settings)))
        if pacing == "bdp":
            pacing = rate_bps * _OF_PAYLOAD
        return TcpChoices(window, pacing, size)

    @property
    def setup(self) -> Setup:
        """The testbed that the plan needs."""
        has_edge = bool(self.edge or self.serve_edge or self.edge_proxy)
        core = core_link(has_edge, self.core_rate_bps, self.core_loss, self.access_delay_s)
        return Setup(
            Topology(self.clients, core=core),
            self.backend,
            self.tc_mode,
            edge_proxy=self.edge_proxy,
            edge_congestion_control=self.edge_congestion_control,
        )

    @property
    def variations(self) -> list[ReplayPlan]:
        """The plans with one value each of what varies, in the order of the values."""
        for name, values in self.vary.items():
            if name not in SENDERS and name not in self.profile():
                raise InputError(name, f"cannot be varied; the link profile and {', '.join(SENDERS)} can")
            if not values or len(set(values)) < len(values):
                raise InputError(name, f"is {list(values)}; must be different values")
        if None in self.vary.get("pacing", ()):
            raise InputError(
                "pacing", "varies with none, and a paced socket stays paced; compare with another experiment"
            )
        products = itertools.product(*self.vary.values())
        changes = [dict(zip(self.vary, values, strict=True)) for values in products]
        return [replace(self, vary={}).override(**each) for each in changes] if self.vary else [self]

    def starts_of(self, repetition: int) -> tuple[float, ...]:
        """Return the times in the pattern at which the runs of a repetition, counted from 1, start."""
        if self.start_between_s is None:
            return self.starts_at_s
        return (round(random.Random(f"{self.seed} {repetition}").uniform(*self.start_between_s), 3),)
