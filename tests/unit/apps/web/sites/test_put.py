"""Copies of sites for a web server have the files of the index, and nothing that lies outside of the site."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.apps.web.sites.check import check
from mmwemu.apps.web.sites.make import make_site
from mmwemu.apps.web.sites.model import MANIFEST, SiteSpec
from mmwemu.apps.web.sites.put import put
from mmwemu.core.errors import InputError

SPEC = SiteSpec("small", 8, 60_000)


def files(folder):
    return {path.relative_to(folder): path for path in folder.rglob("*") if not path.is_dir()}


@pytest.fixture
def site(tmp_path):
    return make_site(SPEC, tmp_path / "site")


def test_only_the_files_of_the_index_are_copied(site, tmp_path):
    source = tmp_path / "site"
    (source / "everything").symlink_to("/")
    (source / "passwd").symlink_to("/etc/passwd")
    (source / "notes.txt").write_text("not part of the site")
    assert check(source).site == site
    put(site, source, tmp_path / "copy")
    assert {str(path) for path in files(tmp_path / "copy")} == {item.path for item in site.objects}
    assert not any(path.is_symlink() for path in (tmp_path / "copy").rglob("*"))


def test_a_link_within_the_site_is_a_file_like_any_other(site, tmp_path):
    file = tmp_path / "site" / site.objects[1].path
    file.rename(tmp_path / "site" / "moved")
    file.symlink_to(tmp_path / "site" / "moved")
    assert check(tmp_path / "site").site == site
    put(site, tmp_path / "site", tmp_path / "copy")
    assert (tmp_path / "copy" / site.objects[1].path).read_bytes() == (tmp_path / "site" / "moved").read_bytes()


@pytest.mark.parametrize("origin", ["made", "recorded"])
def test_an_object_that_is_a_link_out_of_the_site_is_refused(site, tmp_path, origin):
    source = tmp_path / "site"
    outside, file = tmp_path / "secret", source / site.objects[1].path
    file.rename(outside)
    file.symlink_to(outside)
    index = json.loads((source / MANIFEST).read_text())
    (source / MANIFEST).write_text(json.dumps(index | {"origin": origin}))
    with pytest.raises(InputError, match=f"{site.objects[1].path} leads out of its folder, to .*secret; copy the file"):
        check(source)
    with pytest.raises(InputError, match="leads out of its folder"):
        put(site, source, tmp_path / "copy")
    assert not any(path.read_bytes() == outside.read_bytes() for path in files(tmp_path / "copy").values())


@pytest.mark.parametrize("link", ["e", "pictures/e"])
@pytest.mark.parametrize("target", ["/etc", "/etc/passwd", "..", "../other", "/"])
def test_a_saved_page_with_a_link_out_of_its_folder_is_refused(tmp_path, link, target):
    saved = tmp_path / "saved"
    (saved / "pictures").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (saved / "index.html").write_text("<p>page")
    (saved / link).symlink_to(tmp_path / target if target.startswith(".") else target)
    with pytest.raises(InputError, match=f"saved/{link}: leads out of its folder"):
        check(saved)


def test_a_circle_of_links_is_one_line(tmp_path):
    (tmp_path / "index.html").write_text("<p>page")
    (tmp_path / "x").symlink_to("y")
    (tmp_path / "y").symlink_to("x")
    try:
        found = check(tmp_path).site
    except InputError as error:
        assert str(error).endswith("is a link that leads in a circle; remove it")
    else:  # from Python 3.13 on
        assert [item.path for item in found.objects] == ["index.html"]


PARTS = st.sampled_from(["a", "b", "x", "y", "..", "deep/er", "../..", "/", "/etc", "."])


@settings(max_examples=60, deadline=None)
@given(links=st.lists(st.tuples(st.sampled_from(["x", "y", "a/x", "a/b/x"]), PARTS, PARTS), max_size=4))
def test_whatever_links_a_saved_folder_has_nothing_outside_is_served(tmp_path_factory, links):
    folder = tmp_path_factory.mktemp("property")
    saved = folder / "saved"
    (saved / "a" / "b").mkdir(parents=True)
    (saved / "index.html").write_text("<p>page")
    (folder / "secret.html").write_text("secret")
    for name, *parts in links:
        path = saved / name
        if not path.is_symlink():
            path.symlink_to(Path(*parts))
    try:
        found = check(saved).site
    except InputError:
        return
    put(found, saved, folder / "copy")
    for path in files(folder / "copy").values():
        assert not path.is_symlink() and path.read_text() == "<p>page"
