"""The testbed that is asked for, and whether its backend can provide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from mmwemu.core.errors import InputError
from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.backends.tc import support
from mmwemu.testbed.backends.tc.support import TcMode
from mmwemu.testbed.machines import Machine
from mmwemu.testbed.place import Role
from mmwemu.testbed.proxies.registry import MILLIPROXY, names
from mmwemu.testbed.tcp import TcpChoices
from mmwemu.testbed.topology import Topology

Backend = Literal["tun", "tc"]
Capability = Literal[
    "congestion control",
    "TCP state",
    "packets",
    "several clients",
    "an edge",
    "the real network",
    "other machines",
    "initial windows",
    "pacing",
    "socket buffers",
]

_OF_BACKEND: dict[Backend, frozenset[Capability]] = {
    "tun": frozenset(get_args(Capability)),
    "tc": frozenset({"congestion control", "TCP state"}),
}
# The TCP and the network of other machines are not ours.
_WITH_MACHINES: frozenset[Capability] = frozenset({"packets", "other machines"})


@dataclass(frozen=True)
class Setup:
    """A testbed that is asked for.

    Attributes
    ----------
    topology
        Places and links.
    backend
        What shapes the links: ``tun``, the emulator in user space, or ``tc``, the kernel's queueing disciplines.
    tc_mode
        How backend ``tc`` shapes; see `mmwemu.testbed.backends.tc.support`.
    machines
        Other machines that take the place of client or server.
    edge_proxy
        Name of the proxy at the edge, one of `mmwemu.testbed.proxies.registry.names`; None for none.
    edge_congestion_control
        TCP congestion control of the edge's connections on both sides; None for that of the other places.

    Raises
    ------
    InputError
        If there is no such backend or proxy, or the backend lacks a capability that the testbed needs.
    """

    topology: Topology = field(default_factory=Topology)
    backend: Backend = "tun"
    tc_mode: TcMode = "tbf"
    machines: Mapping[Role, Machine] = field(default_factory=dict)
    edge_proxy: str | None = None
    edge_congestion_control: str | None = None

    def __post_init__(self) -> None:
        if self.backend not in _OF_BACKEND:
            raise InputError("backend", f"is {self.backend!r}; must be one of {', '.join(_OF_BACKEND)}")
        if self.tc_mode not in get_args(TcMode):
            raise InputError("tc-mode", f"is {self.tc_mode!r}; must be one of {', '.join(get_args(TcMode))}")
        if self.backend != "tc" and self.tc_mode != "tbf":
            raise InputError("tc-mode", f"is {self.tc_mode!r}, which works with backend tc only; add --backend tc")
        if self.machines:
            self.require("other machines")
        if self.topology.clients > 1:
            self.require("several clients")
        if self.topology.core is not None:
            self.require("an edge")
        if self.edge_proxy is not None:
            if self.edge_proxy not in names():
                raise InputError("edge-proxy", f"is {self.edge_proxy!r}; must be one of {', '.join(names())}")
            if self.topology.core is None:
                raise InputError("edge-proxy", f"is {self.edge_proxy}, and there is no edge; it needs a core link")
        if self.edge_congestion_control is not None and self.topology.core is None:
            raise InputError("edge-cc", f"is {self.edge_congestion_control}, and there is no edge; add --edge")

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The capabilities of this testbed."""
        capabilities = _OF_BACKEND[self.backend]
        return capabilities & _WITH_MACHINES if self.machines else capabilities

    def refuse(self, settings: LinkSettings) -> None:
        """Refuse a replay that the backend cannot do, before anything is made.

        Raises
        ------
        InputError
            If it cannot; the message names the reason.
        """
        access, _ = self.split(settings)
        replay = resolve(access)
        if self.backend == "tc":
            support.refuse(replay, self.tc_mode)

    def split(self, settings: LinkSettings) -> tuple[LinkSettings, LinkSettings | None]:
        """Return the settings of an access link, with the proxy that is part of it, and of the core link behind it.

        Raises
        ------
        InputError
            If the access link cannot have that proxy.
        """
        access, core = self.topology.split(settings)
        return replace(access, milliproxy=True) if self.edge_proxy == MILLIPROXY else access, core

    def has(self, capability: Capability) -> bool:
        """Return whether this testbed has a capability."""
        return capability in self.capabilities

    def require_for(self, choices: TcpChoices) -> None:
        """Refuse choices of TCP that this testbed cannot set.

        Raises
        ------
        InputError
            If it cannot.
        """
        needs: dict[Capability, object] = {
            "initial windows": choices.initial_window,
            "pacing": choices.pacing_bps,
            "socket buffers": choices.window_bytes,
        }
        for capability, value in needs.items():
            if value is not None:
                self.require(capability)

    def require(self, capability: Capability) -> None:
        """Refuse by name a capability that this testbed lacks.

        Raises
        ------
        InputError
            If it lacks it.
        """
        if capability not in _OF_BACKEND[self.backend]:
            raise InputError(f"backend {self.backend}", f"cannot provide {capability}; use --backend tun")
        if capability not in self.capabilities:
            raise InputError(capability, "cannot be had with other machines as client or server")
