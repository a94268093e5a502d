import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from mmwemu.apps.web.sites import model, pictures, plan
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


@pytest.mark.parametrize("changes", [{"objects": 0}, {"hosts": 0}, {"name": "Not a name"}, {"size_bytes": 10**12}])
def test_a_site_that_makes_no_sense_is_refused(changes):
    with pytest.raises(InputError, match=r"site: (objects|hosts|name|bytes)"):
        replace(SMALL, **changes)


@pytest.mark.parametrize("size_bytes", [pictures.LEAST_BYTES, 701, 702, 703, 1_000, 33_333, 200_000])
def test_pictures_have_their_size_and_can_be_seen(tmp_path, size_bytes):
    data = pictures.jpeg(size_bytes, np.random.default_rng(1))
    assert len(data) == size_bytes
    (tmp_path / "p.jpg").write_bytes(data)
    with Image.open(tmp_path / "p.jpg") as image:
        image.load()
        assert np.asarray(image).std() > 0 or image.size == (8, 8)


@pytest.mark.parametrize("more", [0, 1, 3, 4, 5, 65_537, 65_538, 65_540, 200_001])
def test_padding_is_exact(more):
    data = pictures.jpeg_of_one_colour(700, np.random.default_rng(1))
    assert len(pictures.pad(data, 700 + more)) == 700 + more


def test_kinds_are_shared_out_as_on_the_web():
    assert plan.count_kinds(148) == {"html": 1, "css": 7, "js": 33, "image": 107}
    assert plan.count_kinds(1) == {"html": 1, "css": 0, "js": 0, "image": 0}


def break_site(folder, how):
    manifest = json.loads((folder / model.MANIFEST).read_text())
    if how == "missing":
        (folder / "image/003.jpg").unlink()
    elif how == "outside":
        page = folder / "index.html"
        page.write_text(page.read_text().replace("//cdn1.small.test/", "//www.example.com/", 1))
        manifest["objects"][0]["size_bytes"] = page.stat().st_size
    elif how == "size":
        (folder / "code/001.js").write_text("1")
    elif how == "index":
        (folder / model.MANIFEST).unlink()
        (folder / "index.html").unlink()
        return
    elif how == "newer":
        manifest["format"] = 2
    elif how == "key":
        manifest["objects"][0]["colour"] = "red"
    elif how == "escape":
        manifest["objects"][1]["path"] = "../secret"
    (folder / model.MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ("missing", r"image/003\.jpg is missing"),
        ("outside", r"index\.html asks the outside host www\.example\.com"),
        ("size", r"code/001\.js has 1 bytes; the index says"),
        ("index", r"is not a site: it has neither an index site\.json nor a page such as index\.html"),
        ("newer", "is 2; this mmwemu reads up to 1"),
        ("key", r"objects\[0\]\.colour: is not a known key"),
        ("escape", "must stay within the site's folder"),
    ],
)
def test_a_broken_site_is_refused_in_one_line(tmp_path, how, problem):
    make_site(SMALL, tmp_path / "s")
    break_site(tmp_path / "s", how)
    with pytest.raises(InputError, match=problem) as caught:
        check(tmp_path / "s")
    assert "\n" not in str(caught.value)


def test_a_site_is_not_overwritten(tmp_path):
    with pytest.raises(InputError, match="exists already"):
        make_site(SMALL, tmp_path)
