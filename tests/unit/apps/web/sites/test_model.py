import json
from dataclasses import replace

import pytest

from mmwemu.apps.web.sites import model
from mmwemu.apps.web.sites.model import PRESETS, Site, SiteObject, SiteSpec
from mmwemu.core.errors import InputError


@pytest.mark.parametrize("changes", [{"objects": 0}, {"hosts": 0}, {"name": "Not a name"}, {"size_bytes": 10**12}])
def test_a_site_that_makes_no_sense_is_refused(changes):
    with pytest.raises(InputError, match=r"site: (objects|hosts|name|bytes)"):
        replace(SiteSpec("small", 20, 200_000, hosts=3), **changes)


def test_the_presets_are_the_sites_of_the_study():
    found = {name: (spec.objects, spec.size_bytes, spec.hosts, spec.seed) for name, spec in PRESETS.items()}
    assert found == {
        "google": (10, 1_100_000, 2, 1),
        "amazon": (130, 3_000_000, 5, 1),
        "tripadvisor": (48, 6_500_000, 4, 1),
        "huffpost": (114, 4_900_000, 6, 1),
        "cnn": (148, 10_000_000, 8, 1),
    }


def test_the_ends_of_each_range_are_in_it():
    least, most = SiteSpec("a", 1, 1, hosts=1), SiteSpec("a" * 42, 2000, 1_000_000_000, hosts=50)
    assert (least.objects, most.objects, SiteSpec("a", 1, 1).hosts) == (1, 2000, 4)
    for changes, problem in (
        ({"objects": 2001}, "site: objects: is 2001; must be from 1 to 2000"),
        ({"hosts": 51}, "site: hosts: is 51; must be from 1 to 50"),
        ({"size_bytes": 1_000_000_001}, "site: bytes: is 1000000001; must be at most 1 GB"),
        ({"name": "a-"}, "site: name 'a-': must be lower-case letters, digits and inner dashes"),
        ({"name": "a" * 43}, f"site: name {'a' * 43!r}: must be lower-case letters, digits and inner dashes"),
    ):
        with pytest.raises(InputError) as caught:
            replace(least, **changes)
        assert str(caught.value) == problem


SITE = Site(
    "s", 7, ("a.test", "b.test"),
    (
        SiteObject("index.html", "html", "a.test", 10), SiteObject("x", "js", "b.test", 5),
        SiteObject("y", "js", "b.test", 0),
    ),
)  # fmt: skip


HOSTS = ["a.test", "b.test", *(f"c{i}.test" for i in range(199))]


def test_a_site_counts_its_objects_and_bytes():
    assert SITE.count() == {"html": 1, "css": 0, "js": 2, "image": 0, "other": 0}
    assert (SITE.size_bytes, SITE.index.path, SITE.page_url) == (15, "index.html", "/")


@pytest.mark.parametrize(
    ("origin", "changes", "url"),
    [
        ("made", {"url": "/a?b"}, "/"),  # a made site is served by path
        ("made", {"path": "p q.html"}, "/p%20q.html"),
        ("saved", {}, "/index.html"),
        ("saved", {"url": "/a?b"}, "/a?b"),
        ("recorded", {"url": "/a?b"}, "/a?b"),
    ],
)
def test_a_page_has_the_address_that_leads_to_it(origin, changes, url):
    assert replace(SITE, origin=origin, objects=(replace(SITE.index, **changes),)).page_url == url


def test_a_manifest_leaves_out_defaults_and_comes_through(tmp_path):
    model.save(SITE, tmp_path)
    values = json.loads((tmp_path / "site.json").read_text())
    assert sorted(values) == ["format", "hosts", "name", "objects", "seed"]
    assert values["objects"][1] == {"path": "x", "kind": "js", "host": "b.test", "size_bytes": 5}
    assert model.load(tmp_path) == SITE
    headers = {"content-type": "text/html"}
    full = replace(SITE, origin="recorded", ports={"a.test:3000": True}, objects=(
        replace(SITE.index, url="/?q", headers=headers), *SITE.objects[1:]))  # fmt: skip
    model.save(full, tmp_path)
    assert model.load(tmp_path) == full


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("hosts", [], "hosts: must be 1 to 200 host names, each once"),
        ("hosts", ["a.test", "b.test", "a.test"], "hosts: must be 1 to 200 host names, each once"),
        ("hosts", HOSTS[:201], "hosts: must be 1 to 200 host names, each once"),
        ("hosts", "a.test", "hosts: must be a list of host names in lower case"),
        ("hosts", ["A.test"], "hosts: must be a list of host names in lower case"),
        ("origin", "found", "origin: is 'found'; must be one of made, saved, recorded"),
        (
            "ports",
            {"a.test": True},
            "ports: must be an object of hosts with ports, such as localhost:3000, each true or",
        ),
        ("ports", {"a.test:0": True}, "ports: must be an object"),
        ("ports", {"a.test:123456": True}, "ports: must be an object"),
        ("ports", {"c.test:80": True}, "ports: must be an object"),
        ("ports", {"a.test:80": 1}, "ports: must be an object"),
        ("ports", [], "ports: must be an object"),
        ("objects", [], "objects: must begin with the page: of kind html, on the first host"),
        ("seed", -1, "seed: is -1; must be at least 0"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path, key, value, problem):
    model.save(SITE, tmp_path)
    file = tmp_path / "site.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))
    with pytest.raises(InputError) as caught:
        model.load(tmp_path)
    assert str(caught.value).startswith(f"{file}: {problem}")


@pytest.mark.parametrize(
    ("number", "changes", "problem"),
    [
        (0, {"kind": "js"}, "objects: must begin with the page: of kind html, on the first host"),
        (0, {"host": "b.test"}, "objects: must begin with the page: of kind html, on the first host"),
        (1, {"path": "/x"}, "objects[1].path: is '/x'; must be the path of a file below the site's folder"),
        (
            1,
            {"path": "a/../../x"},
            "objects[1].path: is 'a/../../x'; must be the path of a file below the site's folder",
        ),
        (1, {"kind": "video"}, "objects[1].kind: is 'video'; must be one of html, css, js, image, other"),
        (1, {"host": "c.test"}, "objects[1].host: is 'c.test'; must be one of a.test, b.test"),
        (1, {"size_bytes": -1}, "objects[1].size_bytes: is -1; must be at least 0"),
        (1, {"url": "x"}, "objects[1].url: is 'x'; must be a path from / on, percent-encoded"),
        (1, {"url": "/a b"}, "objects[1].url: is '/a b'; must be a path from / on, percent-encoded"),
        (
            1,
            {"headers": {"server": "x"}},
            "objects[1].headers: must be an object of one-line strings; known are access-",
        ),
        (1, {"headers": {"link": "a\nb"}}, "objects[1].headers: must be an object of one-line strings"),
        (1, {"headers": {"link": 1}}, "objects[1].headers: must be an object of one-line strings"),
        (1, {"headers": []}, "objects[1].headers: must be an object of one-line strings"),
    ],
)
def test_an_object_that_makes_no_sense_is_refused(tmp_path, number, changes, problem):
    model.save(SITE, tmp_path)
    file = tmp_path / "site.json"
    values = json.loads(file.read_text())
    values["objects"][number] |= changes
    file.write_text(json.dumps(values))
    with pytest.raises(InputError) as caught:
        model.load(tmp_path)
    assert str(caught.value).startswith(f"{file}: {problem}")


def test_a_site_has_up_to_200_hosts(tmp_path):
    many = replace(SITE, hosts=tuple(HOSTS[:200]))
    model.save(many, tmp_path)
    assert model.load(tmp_path) == many


def test_a_manifest_is_a_json_object(tmp_path):
    for text, problem in (("{", "is not valid JSON: "), ("[]", "must be a JSON object")):
        (tmp_path / "site.json").write_text(text)
        with pytest.raises(InputError, match=problem):
            model.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "good"),
    [("a", True), ("a-b.test", True), ("10.0.0.1", True), ("_a.b_", True), ("", False), ("-a", False), ("a-", False),
     ("a..b", False), ("A", False), ("a/b", False), ("a:80", False), ("a.", False)],
)  # fmt: skip
def test_hosts_are_names_in_lower_case(text, good):
    assert model.is_host(text) is good


def test_headers_that_matter_to_later_loads_are_kept():
    assert model.HEADERS == (
        "access-control-allow-credentials", "access-control-allow-origin", "cache-control", "content-encoding",
        "content-type", "link", "location", "timing-allow-origin",
    )  # fmt: skip
