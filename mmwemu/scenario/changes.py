"""Changes to a scenario for one simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.scenario.model import CongestionControl, ProxyKind, Rat, RlcMode, Scenario, Transport
from mmwemu.scenario.traffic import LARGEST_UDP_PAYLOAD_BYTES


@dataclass(frozen=True)
class Changes:
    """Values that replace those of a scenario; None keeps the scenario's own.

    Attributes
    ----------
    duration_s
        A shorter duration.
    mss_bytes
        Maximum segment size of TCP, the scenario's ``payload_bytes``.
    """

    duration_s: float | None = None
    transport: Transport | None = None
    core_delay_s: float | None = None
    rlc_mode: RlcMode | None = None
    rlc_buffer_bytes: int | None = None
    harq: bool | None = None
    mss_bytes: int | None = None
    file_bytes: int | None = None
    congestion_control: CongestionControl | None = None
    send_buffer_bytes: int | None = None
    receive_buffer_bytes: int | None = None
    initial_window: int | None = None
    pacing: bool | None = None
    proxy: ProxyKind | None = None

    def apply(self, scenario: Scenario, rat: Rat) -> Scenario:
        """Return the scenario with these values.

        Raises
        ------
        InputError
            If a value has no effect in this cell or with this transport, or is longer than the scenario.
        """
        if self.duration_s is not None and self.duration_s > scenario.duration_s:
            rule = f"the scenario has {digits(scenario.duration_s)} s"
            raise InputError("duration", f"is {digits(self.duration_s)} s; {rule}")
        changed = replace(
            scenario,
            **_given(duration_s=self.duration_s),
            core=replace(scenario.core, **_given(delay_s=self.core_delay_s)),
        )
        return self._traffic(self._radio(changed, rat), rat)

    def _radio(self, scenario: Scenario, rat: Rat) -> Scenario:
        buffer = _given(rlc_buffer_bytes=self.rlc_buffer_bytes)
        if rat == "lte":
            if self.rlc_mode is not None or self.harq is not None:
                raise InputError("RLC mode and HARQ", "can be chosen for the mmWave cell only")
            return replace(scenario, lte=replace(scenario.lte, **buffer))
        rlc = replace(scenario.mmwave.rlc, **_given(mode=self.rlc_mode))
        return replace(scenario, mmwave=replace(scenario.mmwave, **buffer, **_given(harq=self.harq), rlc=rlc))

    def _traffic(self, scenario: Scenario, rat: Rat) -> Scenario:
        traffic = replace(scenario.traffic, **_given(transport=self.transport, payload_bytes=self.mss_bytes))
        tcp = _given(
            congestion_control=self.congestion_control,
            send_buffer_bytes=self.send_buffer_bytes,
            receive_buffer_bytes=self.receive_buffer_bytes,
            initial_window=self.initial_window,
            pacing=self.pacing,
            file_bytes=self.file_bytes,
            proxy=self.proxy and replace(traffic.tcp.proxy, kind=self.proxy),
        )
        if traffic.transport != "tcp" and (tcp or self.mss_bytes is not None):
            raise InputError("transport", f"is {traffic.transport}; options of TCP need --transport tcp")
        if traffic.transport != "lite" and rat == "lte":
            raise InputError("transport", f"is {traffic.transport}; the LTE cell has lite only: --transport lite")
        if (
            traffic.transport == "tcp"
            and max([traffic.uplink_rate_bps, *(ue.uplink_rate_bps for ue in scenario.ues)]) > 0
        ):
            raise InputError("transport", "is tcp, which sends to the UE only; the scenario has uplink_rate_bps")
        if traffic.transport != "tcp" and traffic.payload_bytes > LARGEST_UDP_PAYLOAD_BYTES:
            rule = f"at most {LARGEST_UDP_PAYLOAD_BYTES} bytes of payload fit a packet of UDP"
            raise InputError("transport", f"is {traffic.transport}; {rule}, and the scenario has more")
        return replace(scenario, traffic=replace(traffic, tcp=replace(traffic.tcp, **tcp)))


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
