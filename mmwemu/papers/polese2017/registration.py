"""Registration of the paper."""

from collections.abc import Iterator
from pathlib import Path

from mmwemu.papers.found import Drawing
from mmwemu.papers.paper import Paper
from mmwemu.papers.polese2017.cases import CASES, QUICK, Case
from mmwemu.papers.polese2017.draw import plot_table
from mmwemu.papers.variant import Variant
from mmwemu.scenario.changes import Changes

_FOLDER = Path(__file__).parent


def _variants() -> Iterator[Variant]:
    """Yield the variants in the order of the experiments; senders that the paper did not have are over Linux alone."""
    for number, case in enumerate(CASES, 1):
        changes = _changes(case) if case.sender == "newreno" else None
        yield Variant(case.name, changes, number, scenario="polese-random", is_quick=number <= QUICK)


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
