"""A paper of one short scenario, for tests."""

from mmwemu.papers.paper import Paper

SCENARIO = """
format = 1
name = "short"
duration_s = 1.0
[base_station]
position_m = [0, 0, 3]
[[route]]
time_s = 0
position_m = [75, 0, 1]
[[route]]
time_s = 1
position_m = [75, 1, 1]
"""


def make_paper(folder, claims, **studies):
    """Write the files of a paper into a folder and return it."""
    (folder / "short.toml").write_text(SCENARIO)
    (folder / "claims.toml").write_text(claims)
    for extent, text in studies.items():
        (folder / f"{extent}.toml").write_text(text)
    return Paper("Tiny 2026", "one", "two", folder, (str(folder / "short.toml"),), {"quick": 2, "full": 2})
