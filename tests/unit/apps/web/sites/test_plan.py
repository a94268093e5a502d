import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.apps.web.sites import plan
from mmwemu.core.errors import InputError


def test_kinds_are_shared_out_as_on_the_web():
    assert plan.count_kinds(148) == {"html": 1, "css": 7, "js": 33, "image": 107}
    assert plan.count_kinds(1) == {"html": 1, "css": 0, "js": 0, "image": 0}


@pytest.mark.parametrize(
    ("objects", "css", "js", "image"), [(2, 1, 0, 0), (3, 1, 1, 0), (4, 1, 1, 1), (20, 1, 4, 14), (50, 2, 11, 36)]
)
def test_a_small_site_has_a_style_sheet_before_a_script_before_an_image(objects, css, js, image):
    assert plan.count_kinds(objects) == {"html": 1, "css": css, "js": js, "image": image}


def test_kinds_have_their_share_of_the_bytes():
    found = plan.share(9_400_000, {"css": [1] * 5, "js": [1] * 20, "image": [1] * 75}, np.random.default_rng(1))
    # 4, 25 and 65 of the 94 % that are not the page's.
    totals = {kind: sum(sizes) for kind, sizes in found.items()}
    assert totals == {"css": approx(400_000), "js": approx(2_500_000), "image": approx(6_500_000)}
    assert sum(totals.values()) == 9_400_000


def approx(size_bytes):
    return pytest.approx(size_bytes, abs=100)


def test_sizes_are_log_normal_and_spread_by_kind():
    found = plan.share(10**9, {"css": [1] * 4000, "js": [1] * 4000, "image": [1] * 4000}, np.random.default_rng(1))
    spread = {kind: float(np.std(np.log(sizes))) for kind, sizes in found.items()}
    assert spread == {name: pytest.approx(sigma, rel=0.05) for name, sigma in (("css", 0.6), ("js", 0.9), ("image", 1))}


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20), st.integers(0, 3000), st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_all_bytes_are_shared_and_nobody_gets_less_than_its_least(least, more, seed):
    found = plan.share(sum(least) + more, {"image": least}, np.random.default_rng(seed))
    assert list(found) == ["image"]
    assert sum(found["image"]) == sum(least) + more
    assert all(size >= low for size, low in zip(found["image"], least, strict=True))


def test_a_large_least_takes_from_the_others_by_their_weight():
    random = np.random.default_rng(1)
    free = plan.share(9_000_000, {"image": [1] * 9}, np.random.default_rng(1))["image"]
    largest = max(free) * 2
    least = [1] * 9
    least[free.index(min(free))] = largest
    found = plan.share(9_000_000, {"image": least}, random)["image"]
    assert found[free.index(min(free))] == largest
    others = [(a, b) for a, b in zip(free, found, strict=True) if a != min(free)]
    ratios = [b / a for a, b in others]
    assert ratios == pytest.approx([ratios[0]] * 8, rel=1e-4)


def test_too_few_bytes_say_how_many_are_needed():
    with pytest.raises(InputError) as caught:
        plan.share(9, {"css": [4], "image": [4, 4]}, np.random.default_rng(1))
    assert str(caught.value) == (
        "site: bytes: leave 9 for 3 objects besides the page, which need 12; ask for more bytes or fewer objects"
    )
    with pytest.raises(InputError, match="leave 9 for 0 objects besides the page, which need 0"):
        plan.share(9, {"css": []}, np.random.default_rng(1))
    assert plan.share(0, {}, np.random.default_rng(1)) == {}
    assert plan.share(12, {"css": [4], "image": [4, 4]}, np.random.default_rng(1)) == {"css": [4], "image": [4, 4]}
