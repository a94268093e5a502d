from dataclasses import replace

import pytest

from mmwemu.apps.web.sites import model
from mmwemu.apps.web.sites.check import check
from mmwemu.apps.web.sites.make import compose, make_site
from mmwemu.apps.web.sites.model import PRESETS, SiteSpec
from mmwemu.core.errors import InputError

SMALL = SiteSpec("small", 20, 200_000, hosts=3)


@pytest.mark.parametrize("spec", PRESETS.values(), ids=PRESETS)
def test_presets_have_exactly_their_objects_and_bytes(tmp_path, spec):
    site = make_site(spec, tmp_path / spec.name)
    files = [f for f in (tmp_path / spec.name).rglob("*") if f.is_file() and f.name != model.MANIFEST]
    assert (len(files), sum(f.stat().st_size for f in files)) == (spec.objects, spec.size_bytes)
    assert (len(site.objects), site.size_bytes, len(site.hosts)) == (spec.objects, spec.size_bytes, spec.hosts)
    assert site.index.size_bytes == pytest.approx(0.06 * spec.size_bytes, rel=0.5)
    assert check(tmp_path / spec.name).site == site


def test_the_same_seed_gives_the_same_bytes_and_another_others():
    assert compose(SMALL) == compose(SMALL)
    assert compose(SMALL)[1] != compose(replace(SMALL, seed=2))[1]


@pytest.mark.parametrize(("objects", "size_bytes"), [(1, 3_000), (2, 5_000), (3, 9_999), (7, 50_001), (60, 123_457)])
def test_any_number_of_objects_and_bytes(objects, size_bytes):
    site, contents = compose(SiteSpec("t", objects, size_bytes, hosts=1))
    assert (len(contents), sum(map(len, contents))) == (objects, size_bytes)
    assert [len(content) for content in contents] == [item.size_bytes for item in site.objects]


def test_everything_is_asked_for_by_something():
    site, contents = compose(PRESETS["huffpost"])
    text = b"".join(c for c, item in zip(contents, site.objects, strict=True) if item.kind != "image").decode()
    for item in site.objects[1:]:
        assert text.count(f"//{item.host}/{item.path}") == 1
    assert {item.host for item in site.objects} == set(site.hosts)


@pytest.mark.parametrize(("objects", "size_bytes"), [(1, 100), (100, 10_000)])
def test_too_few_bytes_are_refused(objects, size_bytes):
    with pytest.raises(InputError, match="site: bytes"):
        compose(SiteSpec("t", objects, size_bytes))


def test_a_site_is_not_overwritten(tmp_path):
    with pytest.raises(InputError, match="exists already"):
        make_site(SMALL, tmp_path)
