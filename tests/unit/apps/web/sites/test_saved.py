import json
import os

import pytest

from mmwemu.apps.web.sites import model, references
from mmwemu.apps.web.sites import saved as saved_sites
from mmwemu.apps.web.sites.check import check
from mmwemu.apps.web.sites.model import Site, SiteObject
from mmwemu.apps.web.sites.put import put
from mmwemu.apps.web.sites.saved import Answers
from mmwemu.core.errors import InputError

PAGE = """<!doctype html><html><head><base target="_blank">
<link rel="stylesheet" href="./My page_files/style.css%3Fv=3"><link rel="canonical" href="https://www.example.com/">
<link rel="preload" as="font" href="//fonts.example.net/a.woff2"><style>@import 'My%20page_files/more.css';</style>
<script src="My page_files/app.js.download"></script><script src="http://ads.example.org:8080/x.js"></script></head>
<body style="background:url('My page_files/missing.png')">
<img src="My page_files/50%25 grün.png" srcset="My%20page_files/50%25%20grün.png 1x,
https://fonts.example.net/b.png 2x">
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><img src="file:///home/u/x.png">
<noscript><img src="pixel.gif"></noscript><a href="other.html">not loaded</a></body></html>"""


@pytest.fixture
def saved(tmp_path):
    files = tmp_path / "My page_files"
    files.mkdir()
    (tmp_path / "My page.html").write_text(PAGE, encoding="utf-8")
    (files / "style.css?v=3").write_text("body{color:#123} /* url(no.png) */ h1{background:url('../none/here.svg')}")
    (files / "more.css").write_text("")
    (files / "app.js.download").write_text("1")
    (files / "50% grün.png").write_bytes(b"\x89PNG")
    (files / "css").write_text("b{}")
    return tmp_path


def test_a_saved_page_is_a_site_on_one_host(saved):
    site = check(saved).site
    assert (site.origin, site.index.path, site.page_url) == ("saved", "My page.html", "/My%20page.html")
    types = {item.path.split("/")[-1]: item.headers.get("content-type") for item in site.objects}
    assert types == {
        "My page.html": "text/html", "style.css?v=3": "text/css", "more.css": "text/css", "css": None,
        "app.js.download": "text/javascript", "50% grün.png": "image/png",
    }  # fmt: skip
    assert {item.url for item in site.objects} >= {"/My%20page_files/50%25%20gr%C3%BCn.png"}


def test_what_is_missing_and_what_is_outside_is_told(saved):
    found = check(saved)
    assert dict(found.missing) == {
        "/My page_files/missing.png": "My page.html",
        "/none/here.svg": "My page_files/style.css?v=3",
    }
    assert found.outside == {"fonts.example.net": 2, "ads.example.org": 1, "file:": 1}


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("/a.css", "a.css"),
        ("/a.css?v=1", "a.css?v=1"),
        ("/a.css%3Fv=1", "a.css?v=1"),
        ("/a.css?v=2", "a.css"),
        ("/A.css", "A.css"),
        ("/gr%C3%BCn%20x", "grün x"),
        ("/100%", None),
        ("/b.css", None),
    ],
)
def test_addresses_find_files_as_the_server_does(reference, path):
    objects = [
        SiteObject(path, "css", "h", 1, url)
        for path, url in (
            ("A.css", "/A.css"), ("a.css", "/a.css"), ("a.css?v=1", "/a.css%3Fv=1"), ("grün x", "/gr%C3%BCn%20x"),
            ("100%", "/100%25"),
        )
    ]  # fmt: skip
    found = Answers(objects).find(f"http://h{reference}")
    assert (found and found.path) == path


def test_a_mirrored_tree_has_the_page_that_no_other_asks_for(tmp_path):
    for host, text in {
        "www.a.org": '<iframe src="../ads.b.org/frame.html?x=1">', "ads.b.org": "<p>", "static.a.org": "",
    }.items():  # fmt: skip
        (tmp_path / host).mkdir()
        name = "index.html" if host == "www.a.org" else "frame.html?x=1" if text else "a.css"
        (tmp_path / host / name).write_text(text)
    (tmp_path / "ads.b.org" / "inner.html").write_text("")
    (tmp_path / "ads.b.org" / "frame.html").write_text('<iframe src="inner.html">')
    assert check(tmp_path).site.page_url == "/www.a.org/index.html"
    (tmp_path / "ads.b.org" / "other.html").write_text("")
    with pytest.raises(InputError, match=r"has several pages \(ads\.b\.org/other\.html, www\.a\.org/index\.html\)"):
        check(tmp_path)


def test_two_pages_on_top_and_no_index_are_refused(tmp_path):
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("<p>")
    with pytest.raises(InputError, match=r"has several pages \(a\.html, b\.html\); keep one folder for each"):
        check(tmp_path)
    (tmp_path / "index.html").write_text("<p>")
    assert check(tmp_path).site.index.path == "index.html"


def test_base_and_odd_references():
    text = '<base href="/x/"><img src=" a b.png "><img src="//[bad"><template><img src="t.png"></template><img src="">'
    assert references.in_page(text, "http://h/p/q.html") == ["http://h/x/a b.png"]
    assert references.in_style("@import url(a.css);", "http://h/s/") == ["http://h/s/a.css"]


@pytest.mark.parametrize(
    ("text", "name"),
    [("My Page!", "my-page"), ("--", "site"), ("", "site"), ("a_b.c", "a-b-c"), ("x" * 60, "x" * 40),
     ("a" * 39 + " b", "a" * 39)],
)  # fmt: skip
def test_a_name_can_be_part_of_a_host_name(text, name):
    assert saved_sites.site_name(text) == name


@pytest.mark.parametrize(
    ("path", "media", "kind"),
    [
        ("a/b.html", "text/html", "html"), ("b.HTM", "text/html", "html"), ("b.xhtml", "application/xhtml+xml", "html"),
        ("b.css?v=3", "text/css", "css"), ("b.js.download", "text/javascript", "js"),
        ("b.mjs", "text/javascript", "js"),
        ("b.png", "image/png", "image"), ("b.webp", "image/webp", "image"), ("b.avif", "image/avif", "image"),
        ("b.svg", "image/svg+xml", "image"), ("b.woff2", "font/woff2", "other"), ("b.woff", "font/woff", "other"),
        ("b.ttf", "font/ttf", "other"), ("b.xyz", "", "other"), ("css", "", "other"),
    ],
)  # fmt: skip
def test_a_file_has_the_type_of_its_ending(path, media, kind):
    assert (saved_sites.content_type(path), saved_sites.kind_of(media)) == (media, kind)


@pytest.mark.parametrize("media", ["application/javascript", "application/x-javascript", "Text/JavaScript; charset=x"])
def test_scripts_have_several_types(media):
    assert saved_sites.kind_of(media) == "js"


def test_an_object_answers_to_its_path_decoded_and_its_query_as_it_is():
    objects = [SiteObject("a b", "css", "h", 1), SiteObject("x", "css", "h", 1, "/a%20b?c=%20")]
    assert [saved_sites.reply_path(item) for item in objects] == ["/a b", "/a b?c=%20"]


def test_objects_have_path_size_and_host_and_the_page_comes_first(tmp_path):
    folder = tmp_path / "My Site"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "b.css").write_text("b{}")
    (folder / "z.html").write_text("<p>")
    site = saved_sites.read_saved(folder)
    assert (site.name, site.hosts, site.seed, site.origin) == ("my-site", ("www.my-site.test",), 0, "saved")
    assert site.objects == (
        SiteObject("z.html", "html", "www.my-site.test", 3, "/z.html", {"content-type": "text/html"}),
        SiteObject("a/b.css", "css", "www.my-site.test", 3, "/a/b.css", {"content-type": "text/css"}),
    )


def test_the_page_is_the_index_else_the_only_page_on_top_else_the_only_page(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x.htm").write_text("")
    assert saved_sites.read_saved(tmp_path).index.path == "d/x.htm"
    (tmp_path / "b.html").write_text("")
    assert saved_sites.read_saved(tmp_path).index.path == "b.html"
    (tmp_path / "a.html").write_text("")
    (tmp_path / "index.htm").write_text("")
    assert saved_sites.read_saved(tmp_path).index.path == "index.htm"
    (tmp_path / "index.html").write_text("")
    assert saved_sites.read_saved(tmp_path).index.path == "index.htm"


def test_a_refusal_names_four_pages_at_most(tmp_path):
    for name in "abcdef":
        (tmp_path / f"{name}.html").write_text("")
    with pytest.raises(InputError, match=r"has several pages \(a\.html, b\.html, c\.html, d\.html\); keep one"):
        saved_sites.read_saved(tmp_path)


def test_what_is_no_folder_is_refused_with_the_presets(tmp_path):
    with pytest.raises(InputError, match="is neither a folder nor one of google, amazon, tripadvisor, huffpost, cnn"):
        saved_sites.read_saved(tmp_path / "no")


def test_staged_files_have_numbers(saved, tmp_path_factory):
    site = check(saved).site
    folder = tmp_path_factory.mktemp("s") / "staged"
    (host,) = put(site, saved, folder)
    replies = {reply.path: (folder / reply.file).read_bytes() for reply in host.replies}
    assert replies["/My page_files/50% grün.png"] == b"\x89PNG"
    assert len(replies) == len(site.objects)


def test_a_recorded_site_keeps_addresses_and_headers(tmp_path):
    headers = {"content-type": "text/html; charset=utf-8"}
    site = Site("r", 0, ("localhost",), (SiteObject("1", "html", "localhost", 2, "/?q=%20a", headers),), "recorded",
                {"localhost:3000": False})  # fmt: skip
    (tmp_path / "1").write_text("hi")
    model.save(site, tmp_path)
    assert check(tmp_path).site == site


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("url", "no-slash", "must be a path from / on"),
        ("url", "/a b", "must be a path from / on"),
        ("headers", {"set-cookie": "a"}, "known are access-control"),
        ("headers", {"content-type": "a\nb"}, "must be an object of one-line strings"),
    ],
)
def test_what_a_server_could_not_say_is_refused(tmp_path, key, value, problem):
    item = {"path": "1", "kind": "html", "host": "h", "size_bytes": 0, key: value}
    values = {"format": 1, "name": "r", "seed": 0, "hosts": ["h"], "origin": "recorded", "objects": [item]}
    (tmp_path / model.MANIFEST).write_text(json.dumps(values))
    with pytest.raises(InputError, match=rf"objects\[0\]\.{key}: .*{problem}"):
        check(tmp_path)


@pytest.mark.parametrize("ports", [{"h:0": True}, {"other:80": True}, {"h:80": 1}, {"h:80, MAP * 1.2.3.4": True}, []])
def test_ports_that_are_none_are_refused(tmp_path, ports):
    item = {"path": "1", "kind": "html", "host": "h", "size_bytes": 0}
    values = {
        "format": 1,
        "name": "r",
        "seed": 0,
        "hosts": ["h"],
        "origin": "recorded",
        "objects": [item],
        "ports": ports,
    }
    (tmp_path / model.MANIFEST).write_text(json.dumps(values))
    with pytest.raises(InputError, match="ports: must be an object of hosts with ports"):
        check(tmp_path)


def test_names_that_are_no_utf8_keep_their_bytes_and_can_be_shown(tmp_path):
    (tmp_path / os.fsdecode(b"p\xe4ge.html")).write_text('<img src="b%E4.png"><img src="no.png">')
    (tmp_path / os.fsdecode(b"b\xe4.png")).write_bytes(b"1")
    found = check(tmp_path)
    assert found.site.page_url == "/p%E4ge.html"
    assert found.site.objects[1].headers == {"content-type": "image/png"}
    assert found.missing == (("/no.png", "p\\xe4ge.html"),)


def test_a_folder_of_many_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(saved_sites, "MOST_FILES", 3)
    (tmp_path / "d").mkdir()
    for name in ("index.html", "a", "d/b"):
        (tmp_path / name).write_text("")
    assert len(saved_sites.read_saved(tmp_path).objects) == 3
    (tmp_path / "d" / "c").write_text("")
    with pytest.raises(InputError, match="has more than 3 files; give the folder of one page"):
        saved_sites.read_saved(tmp_path)
