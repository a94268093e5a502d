from mmwemu.apps.web.sites import plan


def test_kinds_are_shared_out_as_on_the_web():
    assert plan.count_kinds(148) == {"html": 1, "css": 7, "js": 33, "image": 107}
    assert plan.count_kinds(1) == {"html": 1, "css": 0, "js": 0, "image": 0}
