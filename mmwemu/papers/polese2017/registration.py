"""Registration of the paper."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mmwemu.papers.found import Drawing
from mmwemu.papers.paper import Paper
from mmwemu.papers.polese2017.cases import CASES, QUICK, Case
from mmwemu.papers.polese2017.draw import plot_table
from mmwemu.papers.variant import Variant
from mmwemu.scenario.changes import Changes

_FOLDER = Path(__file__).parent
_SCENARIO = "polese-random"


def _variants() -> Iterator[Variant]:
    """Yield the variants in the order of the experiments; senders that the paper did not have are over Linux alone."""
    for number, case in enumerate(CASES, 1):
        changes = _changes(case) if case.sender == "newreno" else None
        yield Variant(case.name, changes, number, scenario=_SCENARIO, is_quick=number <= QUICK)
    # What makes the paper's NewReno slow where the round trip is long.
    without_sack = replace(_changes(Case("newreno", 21, 10, False)), sack=False)
    yield Variant("newreno-no-sack-21ms-10MB", without_sack, scenario=_SCENARIO, drawn=False)


def _changes(case: Case) -> Changes:
    return Changes(
        transport="tcp", core_delay_s=case.fixed_ms / 1000, rlc_buffer_bytes=case.buffer_bytes,
        congestion_control="newreno", proxy="milliproxy" if case.has_proxy else "none",
    )  # fmt: skip


PAPER = Paper(
    name="Polese et al. 2017",
    title="milliProxy, a TCP proxy at a 5G mmWave base station",
    reference=(
        "M. Polese, M. Mezzavilla, M. Zhang, J. Zhu, S. Rangan, S. Panwar, M. Zorzi: milliProxy: A TCP Proxy"
        " Architecture for 5G mmWave Cellular Systems. Asilomar Conference on Signals, Systems, and Computers, 2017"
    ),
    folder=_FOLDER,
    scenarios=(str(_FOLDER / "polese-quarter.toml"),),
    seeds={"quick": 1, "full": 50},
    method="phy",
    rats=("mmwave",),
    variants=tuple(_variants()),
    figures=(Drawing("polese-table", "RAN latency and goodput against the fixed latency, by milliProxy", plot_table),),
)
