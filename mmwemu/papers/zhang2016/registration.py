"""Registration of the paper."""

from dataclasses import replace
from pathlib import Path

from mmwemu.papers.found import Drawing
from mmwemu.papers.paper import Paper
from mmwemu.papers.variant import Variant
from mmwemu.papers.zhang2016.draw import plot_buildings, plot_humans, plot_outages
from mmwemu.scenario.changes import Changes

_HUMANS, _BUILDINGS, _OUTAGES = "zhang1-humans", "zhang2-buildings", "zhang3-outages"
_TCP = Changes(transport="tcp")
# With an uplink, acknowledgements take airtime from the downlink; without, they are free.
_WITH_UPLINK = replace(_TCP, uplink_share=0.2)
_SHALLOW = replace(_TCP, rlc_buffer_bytes=3_000_000)
_SLOW = replace(_TCP, rate_bps=300e6)
_CUBIC = replace(_TCP, congestion_control="cubic")

PAPER = Paper(
    name="Zhang et al. 2016",
    title="Transport layer over 5G mmWave: buffers and outages",
    reference=(
        "M. Zhang, M. Mezzavilla, R. Ford, S. Rangan, S. Panwar, E. Mellios, D. Kong, A. Nix, M. Zorzi: Transport Layer"
        " Performance in 5G mmWave Cellular. INFOCOM workshops, 2016"
    ),
    folder=Path(__file__).parent,
    scenarios=(_HUMANS, _BUILDINGS, _OUTAGES),
    seeds={"quick": 1, "full": 10},
    method="phy",
    rats=("mmwave",),
    variants=(
        Variant("humans-udp", Changes(), 1, scenario=_HUMANS),
        Variant("humans-newreno", _TCP, 2, scenario=_HUMANS),
        Variant("humans-fixed-tti", _WITH_UPLINK, scenario=_HUMANS),
        Variant("humans-flexible-tti", replace(_WITH_UPLINK, tti="flexible"), scenario=_HUMANS),
        Variant("buildings-newreno-10MB", _TCP, 3, scenario=_BUILDINGS),
        Variant("buildings-newreno-10MB-300M", _SLOW, 4, scenario=_BUILDINGS),
        Variant("buildings-newreno-3MB", _SHALLOW, 5, scenario=_BUILDINGS),
        Variant("buildings-newreno-3MB-no-sack", replace(_SHALLOW, sack=False), scenario=_BUILDINGS),
        # What the paper did not have, over Linux alone.
        Variant("buildings-cubic-10MB", None, 6, scenario=_BUILDINGS, drawn=False),
        Variant("buildings-cubic-3MB", None, 7, scenario=_BUILDINGS, drawn=False),
        Variant("buildings-bbr-10MB", None, 8, scenario=_BUILDINGS),
        Variant("buildings-bbr-3MB", None, 9, scenario=_BUILDINGS),
        Variant("outages-newreno", _TCP, 10, scenario=_OUTAGES),
        Variant("outages-cubic", _CUBIC, 11, scenario=_OUTAGES),
        # Linux's least timeout in place of the paper's 1 s.
        Variant("outages-newreno-rto", replace(_TCP, min_rto_s=0.2), scenario=_OUTAGES),
        Variant("outages-bbr", None, 12, scenario=_OUTAGES),
    ),
    figures=(
        Drawing("humans", "Scenario 1, people: UDP, and NewReno with free or costly acknowledgements", plot_humans),
        Drawing("buildings", "Scenario 2, buildings: buffers of 10 and 3 MB, sources of 1 Gbit/s and 300 Mbit/s",
                plot_buildings),
        Drawing("outages", "Scenario 3, outages of 0.4 s and 1 s: NewReno, CUBIC, BBR", plot_outages),
    ),
)  # fmt: skip
