"""Claims as data: what is read, and what is refused."""

import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.papers import registry
from mmwemu.papers.claims import read_claims

GOOD = """
format = 1
[[claim]]
name = "slow"
source = "figure 6"
says = "It is slow"
of = "runs"
quantity = "goodput_bps"
where = { rat = "mmwave", size_bytes = [2, 20] }
each = { scenario = ["a", "b"], site = ["x"] }
at_most = 3e8
needed = 1
"""


def read(tmp_path, text):
    path = tmp_path / "claims.toml"
    path.write_text(text)
    return read_claims(path)


def test_a_claim_has_rows_bounds_and_instances(tmp_path):
    (claim,) = read(tmp_path, GOOD)
    assert (claim.low, claim.high, claim.statistic, claim.needed) == (-math.inf, 3e8, "mean", 1)
    assert claim.where == {"rat": ("mmwave",), "size_bytes": (2, 20)}
    assert [name for name, _ in claim.instances] == ["a, x", "b, x"]
    assert claim.instances[1][1] == {"rat": ("mmwave",), "size_bytes": (2, 20), "scenario": ("b",), "site": ("x",)}


def test_an_instance_is_named_for_people(tmp_path):
    (claim,) = read(tmp_path, GOOD.replace('site = ["x"]', "size_bytes = [2_000_000]"))
    assert [name for name, _ in claim.instances] == ["a, 2 MB", "b, 2 MB"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("at_most = 3e8", "", "between: is needed"),
        (
            "at_most = 3e8",
            "at_most = 3e8\nat_least = 1",
            "between: is needed, or one of at_least",
        ),
        ("at_most = 3e8", "between = [3, 2]", "between: must rise"),
        ("at_most = 3e8", "at_mots = 3e8", "between: is needed"),
        ("at_most = 3e8", "at_most = 3e8\nspans = [[2, 1]]", "spans: is [[2, 1]]; must be a list of pairs"),
        ("at_most = 3e8", 'at_most = 3e8\nstatistic = "share"', "statistic: is share; a share needs spans"),
        ("needed = 1", "needed = 3", "needed: is 3; must be at most 2"),
        ("needed = 1", "neded = 1", "neded: is not a known key; did you mean needed?"),
        ('of = "runs"', 'of = "walks"', "of: is 'walks'; must be one of runs, cells"),
        ('rat = "mmwave"', "rat = []", "where.rat: is []; must be a text"),
        ("format = 1", "format = 2", "format: is 2; this mmwemu reads up to 1"),
    ],
)
def test_what_is_malformed_is_refused_by_claim_and_key(tmp_path, old, new, problem):
    with pytest.raises(InputError) as found:
        read(tmp_path, GOOD.replace(old, new))
    assert problem in str(found.value)
    assert "claims.toml" in str(found.value)


def test_two_claims_of_one_name_are_refused(tmp_path):
    with pytest.raises(InputError, match="two claims named slow"):
        read(tmp_path, GOOD + GOOD[GOOD.index("[[claim]]") :])


@pytest.mark.parametrize("name", registry.names())
def test_the_claims_of_a_paper_can_be_read_and_name_what_it_simulates(name):
    paper = registry.load(name)
    claims = read_claims(paper.claims)
    assert all(claim.says and claim.source for claim in claims)
    for claim in claims:
        for rows in (claim.where, claim.over, claim.each):
            assert set(rows.get("scenario", ())) <= set(paper.scenarios), claim.name
