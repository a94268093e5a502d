"""Changes to a scenario for one simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.scenario.model import CongestionControl, ProxyKind, Rat, RlcMode, Scenario, Transport, Tti
from mmwemu.scenario.traffic import LARGEST_UDP_PAYLOAD_BYTES


@dataclass(frozen=True)
class Changes:
    """Values that replace those of a scenario; None keeps the scenario's own.

    Attributes
    ----------
    duration_s
        A shorter duration.
    rate_bps
        Rate of the source, bit/s; of a scenario with one UE.
    uplink_share
        Share of the symbols that the mmWave cell's uplink is sure of.
    mss_bytes
        Maximum segment size of TCP, the scenario's ``payload_bytes``.
    """

    duration_s: float | None = None
    rate_bps: float | None = None
    transport: Transport | None = None
    core_delay_s: float | None = None
    rlc_mode: RlcMode | None = None
    rlc_buffer_bytes: int | None = None
    harq: bool | None = None
    tti: Tti | None = None
    uplink_share: float | None = None
    mss_bytes: int | None = None
    file_bytes: int | None = None
    congestion_control: CongestionControl | None = None
    send_buffer_bytes: int | None = None
    receive_buffer_bytes: int | None = None
    initial_window: int | None = None
    pacing: bool | None = None
    sack: bool | None = None
    min_rto_s: float | None = None
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
            if (self.rlc_mode, self.harq, self.tti, self.uplink_share) != (None, None, None, None):
                raise InputError("RLC mode, HARQ, TTI and uplink", "can be chosen for the mmWave cell only")
            return replace(scenario, lte=replace(scenario.lte, **buffer))
        rlc = replace(scenario.mmwave.rlc, **_given(mode=self.rlc_mode))
        uplink = replace(scenario.mmwave.uplink, **_given(share=self.uplink_share))
        given = _given(harq=self.harq, tti=self.tti)
        return replace(scenario, mmwave=replace(scenario.mmwave, **buffer, **given, rlc=rlc, uplink=uplink))

    def _traffic(self, scenario: Scenario, rat: Rat) -> Scenario:
        if self.rate_bps is not None and scenario.ues:
            raise InputError("rate", "is that of a scenario with one UE; several have rates of their own")
        given = _given(rate_bps=self.rate_bps, transport=self.transport, payload_bytes=self.mss_bytes)
        traffic = replace(scenario.traffic, **given)
        tcp = _given(
            congestion_control=self.congestion_control,
            send_buffer_bytes=self.send_buffer_bytes,
            receive_buffer_bytes=self.receive_buffer_bytes,
            initial_window=self.initial_window,
            pacing=self.pacing,
            sack=self.sack,
            min_rto_s=self.min_rto_s,
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
