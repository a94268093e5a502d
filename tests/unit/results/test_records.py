from mmwemu.link.profile import LinkProfile
from mmwemu.results.records import Run
from tests.records import common, download


def test_a_row_has_the_link_profile_unfolded():
    row = Run(**common(3, repetition=2)).row()
    assert {name: row[name] for name in LinkProfile().profile()} == LinkProfile().profile()
    assert "link" not in row
    assert (row["run"], row["replay"], row["repetition"]) == (3, 3, 2)


def test_the_headline_is_the_applications():
    assert Run(**common(1)).headline == ""
    assert download(1, goodput_bps=16.04e6).headline == "16.0 Mbit/s"
    assert download(1, goodput_bps=None).headline == ""
