"""Registration of the paper."""

from pathlib import Path

from mmwemu.papers.paper import Paper

PAPER = Paper(
    name="Hurtig 2019",
    title="Downloads, film and page loads over four 5G mmWave scenarios",
    reference="Per Hurtig: Application Performance using 5G mmWave. Karlstad University, 2019",
    folder=Path(__file__).parent,
    scenarios=("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage"),
    seeds={"quick": 3, "full": 10},
)
