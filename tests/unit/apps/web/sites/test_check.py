import json

import pytest

from mmwemu.apps.web.sites import model
from mmwemu.apps.web.sites.check import check
from mmwemu.apps.web.sites.make import make_site
from mmwemu.apps.web.sites.model import SiteSpec
from mmwemu.core.errors import InputError

SMALL = SiteSpec("small", 20, 200_000, hosts=3)


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
        ("escape", "must be the path of a file below the site's folder"),
    ],
)
def test_a_broken_site_is_refused_in_one_line(tmp_path, how, problem):
    make_site(SMALL, tmp_path / "s")
    break_site(tmp_path / "s", how)
    with pytest.raises(InputError, match=problem) as caught:
        check(tmp_path / "s")
    assert "\n" not in str(caught.value)
