"""Scenario dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Rat = Literal["mmwave", "lte"]
PathLoss = Literal["akdeniz", "umi-street-canyon", "uma"]
Beam = Literal["dft", "svd", "codebook"]
Evolution = Literal["independent", "consistent"]
LosChange = Literal["immediate", "diffraction"]
LtePathLoss = Literal["hybrid-buildings", "umi-street-canyon", "uma"]
Frame = Literal["legacy", "numerology2", "numerology3"]
RlcMode = Literal["am", "um"]
Transport = Literal["lite", "udp", "tcp"]
ProxyKind = Literal["none", "milliproxy", "split"]
CongestionControl = Literal["newreno", "cubic", "bbr"]
Tti = Literal["fixed", "flexible"]
Scheduler = Literal["round-robin", "proportional-fair"]
Point = tuple[float, float, float]


@dataclass(frozen=True)
class Waypoint:
    """Position of the UE at one time; between waypoints it moves in a straight line at constant speed."""

    time_s: float
    position_m: Point


@dataclass(frozen=True)
class Box:
    """An obstacle with sides along the axes, which blocks the line of sight of every ray through it.

    ``loss_db`` is added to the NLOS path loss while the direct ray crosses the box: 0 is plain NLOS, 60 or more is an
    outage.
    """

    x_m: tuple[float, float]
    y_m: tuple[float, float]
    z_m: tuple[float, float]
    name: str = ""
    loss_db: float = 0.0


@dataclass(frozen=True)
class RandomBoxes:
    """Obstacles drawn anew for each seed: centres and sizes are uniform between low and high, m.

    None covers the base station or a point of the route. ``width_m`` lies along x, ``depth_m`` along y; all stand
    on the ground.
    """

    count: int
    x_m: tuple[float, float]
    y_m: tuple[float, float]
    width_m: tuple[float, float]
    depth_m: tuple[float, float]
    height_m: tuple[float, float]
    loss_db: float = 0.0


@dataclass(frozen=True)
class Rlc:
    """Timers of RLC (3GPP TS 38.322, clause 7.3), with the values of Hurtig 2019, and its mode.

    Unacknowledged mode, ``um``, has the reordering timer only.
    """

    poll_retransmit_s: float = 0.004
    reordering_s: float = 0.002
    status_prohibit_s: float = 0.001
    mode: RlcMode = "am"


@dataclass(frozen=True)
class Uplink:
    """The uplink of the mmWave cell, which shares the data symbols with the downlink.

    Attributes
    ----------
    share
        Share of the symbols that the uplink is sure of, 0 to 0.9; 0 is a cell without one, in which feedback takes a
        fixed time and no symbols.
    power_dbm
        Transmit power of the UE.
    noise_figure_db
        Noise figure of the base station.
    """

    share: float = 0.0
    power_dbm: float = 23.0
    noise_figure_db: float = 5.0


@dataclass(frozen=True)
class BeamSearch:
    """Search for beams of a codebook: every ``period_s`` a sweep over all pairs, in which nothing is sent.

    Each pair is measured with an error of ``error_db`` (standard deviation), as the sweep begins; the pair that seems
    best is used from the end of this sweep to the end of the next. The defaults are those of a burst of
    synchronisation signals (3GPP TS 38.213, clause 4.1).
    """

    period_s: float = 0.020
    sweep_s: float = 0.005
    error_db: float = 1.0


@dataclass(frozen=True)
class MmwaveRadio:
    """The mmWave cell; the defaults are those of Hurtig 2019 (28 GHz, 1 GHz, 30 dBm, 64 x 16 elements)."""

    carrier_hz: float = 28e9
    bandwidth_hz: float = 1e9
    power_dbm: float = 30.0
    noise_figure_db: float = 5.0
    gnb_array: tuple[int, int] = (8, 8)
    ue_array: tuple[int, int] = (4, 4)
    path_loss: PathLoss = "akdeniz"
    beam: Beam = "dft"
    frame: Frame = "legacy"
    tti: Tti = "fixed"
    scheduler: Scheduler = "round-robin"
    uplink: Uplink = field(default_factory=Uplink)
    harq: bool = True
    processing_s: float = 0.0
    channel_update_s: float = 0.1
    evolution: Evolution = "independent"
    los_change: LosChange = "immediate"
    shadowing: bool = False
    blockage: bool = False
    beam_search: BeamSearch = field(default_factory=BeamSearch)
    rlc_buffer_bytes: int = 20 * 1024 * 1024
    rlc: Rlc = field(default_factory=Rlc)


@dataclass(frozen=True)
class LteRadio:
    """The LTE cell at 2.12 GHz, simulated by LENA with the full stack."""

    resource_blocks: int = 100
    power_dbm: float = 30.0
    rlc_buffer_bytes: int = 20 * 1024 * 1024
    path_loss: LtePathLoss = "hybrid-buildings"


@dataclass(frozen=True)
class Proxy:
    """A node at the base station that sees all packets of TCP (Polese et al. 2017); the defaults are the paper's.

    Attributes
    ----------
    kind
        ``milliproxy`` rewrites the advertised window and holds data back; the values below are for it. ``split`` ends
        the server's connection and carries its data on over another one.
    buffer_bytes
        Data that it can hold back.
    backlog_limit_bytes
        RLC queue above which the window is made smaller by twice the queue.
    information_interval_s, information_delay_s
        How often it is told rate and RLC queue, and how old these are then.
    """

    kind: ProxyKind = "none"
    buffer_bytes: int = 10_000_000
    backlog_limit_bytes: int = 2_000_000
    information_interval_s: float = 0.001
    information_delay_s: float = 0.0


@dataclass(frozen=True)
class Tcp:
    """The TCP connection from the remote host to the UE; windows are counted in segments.

    Attributes
    ----------
    file_bytes
        Bytes to send; 0 sends as long as the scenario lasts.
    """

    congestion_control: CongestionControl = "cubic"
    send_buffer_bytes: int = 16 * 1024 * 1024
    receive_buffer_bytes: int = 16 * 1024 * 1024
    initial_window: int = 10
    delayed_ack: int = 2
    pacing: bool = False
    sack: bool = True
    min_rto_s: float = 1.0
    file_bytes: int = 0
    proxy: Proxy = field(default_factory=Proxy)


@dataclass(frozen=True)
class Traffic:
    """Downlink traffic: UDP at a constant rate of transport payload, or a TCP sender that is given data at that rate.

    ``payload_bytes`` is that of each packet: with TCP, the maximum segment size. In a cell with an uplink, UDP can come
    from the UE, too.
    """

    rate_bps: float = 1001e6
    payload_bytes: int = 1400
    start_s: float = 0.1
    uplink_rate_bps: float = 0.0
    transport: Transport = "lite"
    tcp: Tcp = field(default_factory=Tcp)


@dataclass(frozen=True)
class Ue:
    """One of several UEs: its route, and its own rates and start of traffic; a rate of 0 sends nothing."""

    route: tuple[Waypoint, ...]
    rate_bps: float
    uplink_rate_bps: float
    start_s: float


@dataclass(frozen=True)
class Core:
    """The wired path between the remote host and the base station."""

    delay_s: float = 0.010


@dataclass(frozen=True)
class OutageRule:
    """Definition and effect of an outage in patterns made from this scenario.

    A step with a rate below ``below_bps`` is an outage; its packets are held, as RLC does, or dropped, as on a radio
    link failure.
    """

    below_bps: float = 0.0
    packets: Literal["hold", "drop"] = "hold"


@dataclass(frozen=True)
class Scenario:
    """UEs that move past obstacles in reach of one base station: mostly one.

    Attributes
    ----------
    name
        Short name, as in ``s1-long-nlos``.
    duration_s
        Length of the scenario.
    base_station_m
        Position of the gNB or eNB (x, y, z).
    route
        Waypoints of the UE, strictly rising in time, the first at 0; the UE stands still after the last one. Of several
        UEs, those of the first.
    ues
        The UEs if there are several; empty for one.
    boxes
        Obstacles.
    random_boxes
        Further obstacles, which depend on the seed; see `mmwemu.scenario.random_boxes`.
    """

    name: str
    duration_s: float
    base_station_m: Point
    route: tuple[Waypoint, ...]
    boxes: tuple[Box, ...] = ()
    random_boxes: RandomBoxes | None = None
    title: str = ""
    mmwave: MmwaveRadio = field(default_factory=MmwaveRadio)
    lte: LteRadio = field(default_factory=LteRadio)
    traffic: Traffic = field(default_factory=Traffic)
    core: Core = field(default_factory=Core)
    outage: OutageRule = field(default_factory=OutageRule)
    ues: tuple[Ue, ...] = ()
