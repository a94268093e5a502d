"""Which places a testbed has, and which links are between them.

    client 1 ─┐                                           (shared: one link, with one queue and pattern for all)
    client 2 ─┴─ access link ── edge ── core link ── server
                                                          (own: each client has a link with a pattern of its own)

Without a core link there is no edge, and the access link includes the delay of the core.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mmwemu.core.bounds import HIGHEST_RATE_BPS, LONGEST_DELAY_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.core.units import ms
from mmwemu.link.settings import MOST_CLIENTS, LinkSettings
from mmwemu.pattern.model import Direction, Pattern

CORE = 0
"""Number of the core link; access links are numbered from 1."""


@dataclass(frozen=True)
class CoreLink:
    """The link between edge and server, the same in both directions.

    Its delay is that of the link profile, less what the access link has of it. Its queue has the profile's bytes or
    packets and is drop-tail.

    Attributes
    ----------
    rate_bps
        Rate, bit/s; inf for unlimited.
    loss
        Share of packets lost at random.
    access_delay_s
        The part of the profile's delay that is before the edge, on the access link, one way, s.
    """

    rate_bps: float = math.inf
    loss: float = 0.0
    access_delay_s: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.rate_bps <= HIGHEST_RATE_BPS or self.rate_bps == math.inf):
            problem = f"is {digits(self.rate_bps)}; must be above 0 and at most {digits(HIGHEST_RATE_BPS)}, or inf"
            raise InputError("core link: rate_bps", problem)
        if not 0 <= self.loss <= 1:
            raise InputError("core link: loss", f"is {digits(self.loss)}; must be from 0 to 1")
        if not 0 <= self.access_delay_s <= LONGEST_DELAY_S:
            problem = f"is {digits(self.access_delay_s)} s; must be from 0 to {digits(LONGEST_DELAY_S)}"
            raise InputError("access-delay", problem)

    def settings(self, access: LinkSettings) -> LinkSettings:
        """Return the settings of the core link behind an access link.

        Raises
        ------
        InputError
            If the access link is to have more than the whole delay.
        """
        if self.access_delay_s > access.delay_s:
            problem = f"is {ms(self.access_delay_s):g} ms, more than the whole delay of {ms(access.delay_s):g} ms"
            raise InputError("access-delay", problem)
        direction = Direction(np.array([self.rate_bps]), np.zeros(1), np.array([self.loss]))
        pattern = Pattern(np.zeros(1), 1.0, direction, direction)
        return LinkSettings(
            pattern,
            delay_s=access.delay_s - self.access_delay_s,
            queue_bytes=access.queue_bytes,
            queue_packets=access.queue_packets,
            start="now",
            seed=access.seed,
        )


def core_link(has_edge: bool, rate_bps: float | None, loss: float, access_delay_s: float = 0.0) -> CoreLink | None:
    """Return the core link that is asked for: with an edge, a rate (None: unlimited), loss or a delay before it."""
    if not has_edge and rate_bps is None and loss == 0 and access_delay_s == 0:
        return None
    return CoreLink(math.inf if rate_bps is None else rate_bps, loss, access_delay_s)


@dataclass(frozen=True)
class Topology:
    """The places of a testbed and the links between them.

    Attributes
    ----------
    clients
        Number of clients.
    shared
        All clients share one access link; otherwise each has its own.
    core
        The core link behind an edge. None for no edge: the access link has the core's delay.
    """

    clients: int = 1
    shared: bool = True
    core: CoreLink | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.clients <= MOST_CLIENTS:
            raise InputError("clients", f"is {self.clients}; must be from 1 to {MOST_CLIENTS}")

    @property
    def access_links(self) -> int:
        """Number of access links."""
        return 1 if self.shared else self.clients

    def link_of(self, client: int) -> int:
        """Return the number of a client's access link."""
        return 1 if self.shared else client

    def split(self, access: LinkSettings) -> tuple[LinkSettings, LinkSettings | None]:
        """Return the settings of an access link and of the core link behind it, which takes over most of the delay.

        Raises
        ------
        InputError
            As `CoreLink.settings`.
        """
        clients = self.clients if self.shared else 1
        if access.clients != clients:
            access = replace(access, clients=clients)
        if self.core is None:
            return access, None
        return replace(access, delay_s=self.core.access_delay_s), self.core.settings(access)
