"""Registration of the paper."""

from pathlib import Path

from mmwemu.papers.chen2020.draw import plot_blockages, plot_delays, plot_losses, plot_parts
from mmwemu.papers.chen2020.patterns import patterns
from mmwemu.papers.found import Drawing
from mmwemu.papers.paper import Paper

PAPER = Paper(
    name="Chen et al. 2020",
    title="TCP over a 60 GHz link behind a long wired way",
    reference=(
        "Chen Huan, Ren Yong-Mao, Zhou Xu, Yang Wang-Hong, Fan Peng-Fei: Transfer Performance Analysis of TCP over"
        " 5G/B5G mmWave Networks. Computer Systems & Applications 29(8): 9-15, 2020 (in Chinese)"
    ),
    folder=Path(__file__).parent,
    scenarios=(),
    seeds={"quick": 1, "full": 1},
    patterns=patterns,
    figures=(
        Drawing("parts", "Goodput of the whole way and of its wired and wireless parts alone", plot_parts),
        Drawing("delay", "Goodput over the wired round trip", plot_delays),
        Drawing("loss", "Goodput over the wireless loss", plot_losses),
        Drawing("blockages", "Rate over time while obstacles block the link", plot_blockages),
    ),
)
