"""Registration of the paper."""

from dataclasses import replace
from pathlib import Path

from mmwemu.papers.found import Drawing
from mmwemu.papers.krasilov2019.draw import plot_transfers
from mmwemu.papers.paper import Paper
from mmwemu.papers.variant import Variant
from mmwemu.scenario.changes import Changes

_FOLDER = Path(__file__).parent
_MB = 1_000_000
# Rate times round trip of the simulated path, segments of 1460 bytes: 985 Mbit/s x 41.2 ms.
_FULL_WINDOW = 3475

_SENT = Changes(
    duration_s=2.5, transport="tcp", congestion_control="cubic", file_bytes=100 * _MB, send_buffer_bytes=200 * _MB,
    receive_buffer_bytes=200 * _MB,
)  # fmt: skip

PAPER = Paper(
    name="Krasilov et al. 2019",
    title="Slow start of TCP in a 5G mmWave cell",
    reference=(
        "A. N. Krasilov, M. V. Susloparov, O. O. Filatov, E. M. Khorov: Performance Evaluation of TCP Data Transmission"
        " in 5G mmWave Networks. Information Processes, 2019 (in Russian)"
    ),
    folder=_FOLDER,
    scenarios=(str(_FOLDER / "krasilov-quarter.toml"),),
    seeds={"quick": 2, "full": 30},
    method="phy",
    rats=("mmwave",),
    variants=(
        Variant("default", _SENT, 1, "kernel"),
        Variant("infinite-buffer", replace(_SENT, initial_window=1_000_000, rlc_buffer_bytes=1500 * _MB), 2),
        Variant("window", replace(_SENT, initial_window=_FULL_WINDOW), 3),
        Variant("window-paced", replace(_SENT, initial_window=_FULL_WINDOW, pacing=True), 4, "bdp"),
        # The default with one of its mechanisms switched off, and with all three.
        Variant("no-hystart", replace(_SENT, congestion_control="newreno"), 5, drawn=False),
        Variant("no-autotuning", None, 6, drawn=False),
        Variant("infinite-queue", replace(_SENT, rlc_buffer_bytes=1500 * _MB), 7, drawn=False),
        Variant("all-off", replace(_SENT, congestion_control="newreno", rlc_buffer_bytes=1500 * _MB), 8, drawn=False),
        # A proxy at the gateway, and one with a third of the round trip before it.
        Variant("split-proxy", replace(_SENT, proxy="split"), 9),
        Variant(
            "split-third", replace(_SENT, proxy="split"), 10, drawn=False, scenario=str(_FOLDER / "krasilov-third.toml")
        ),
    ),
    sizes_bytes=tuple(size * _MB for size in (1, 2, 5, 10, 20, 50, 100)),
    figures=(Drawing("transfers", "Download rate over the size of the file, by each way of sending", plot_transfers),),
)
