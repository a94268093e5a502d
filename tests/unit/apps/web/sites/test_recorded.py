import json

import pytest

from mmwemu.apps.web.sites.recorded import make_site, read
from mmwemu.core.errors import InputError


def answers(folder, *lines):
    folder.mkdir()
    base = {"method": "GET", "tls": True, "host": "a.org", "port": 443, "path": "/", "status": 200, "headers": []}
    with (folder / "answers").open("w") as file:
        for number, line in enumerate(lines):
            (folder / f"{number}.body").write_text(f"body {number}")
            file.write(json.dumps(base | {"body": f"{number}.body"} | line) + "\n")
    return folder


HTML = [["content-type", "text/html"], ["set-cookie", "a=b"]]


def test_a_redirect_from_http_to_https_leaves_the_page(tmp_path):
    found = answers(
        tmp_path / "r",
        {"tls": False, "port": 80, "status": 301, "headers": [["location", "https://a.org/"]]},
        {"headers": HTML},
        {"path": "/s.css", "headers": [["content-type", "text/css"], ["location", "no redirect"]]},
        {"path": "/s.css", "headers": [["content-type", "text/plain"]]},
    )
    recording = make_site(tmp_path / "site", "", "http://a.org", found)
    first, style = recording.site.objects
    assert (first.url, first.headers, recording.site.name) == ("/", {"content-type": "text/html"}, "a-org")
    assert style.headers == {"content-type": "text/css"}
    assert recording.left_out == 2
    assert (tmp_path / "site" / first.path).read_text() == "body 1"


def test_other_requests_errors_and_hosts_that_are_none_are_left_out(tmp_path):
    found = answers(
        tmp_path / "r",
        {"method": "POST", "path": "/count"},
        {"path": "/gone", "status": 404},
        {"host": "::1"},
        {"path": "/part", "status": 206},
        {"path": "/odd\udce4", "host": "B.org", "tls": False, "port": 8080},
        {"path": "/page", "headers": HTML},
    )
    recording = make_site(tmp_path / "site", "n", "", found)
    assert [(item.host, item.url) for item in recording.site.objects] == [("a.org", "/page"), ("b.org", "/odd%E4")]
    assert (recording.left_out, recording.site.ports) == (4, {"b.org:8080": False})


def test_a_page_that_is_not_there_is_said(tmp_path):
    found = answers(tmp_path / "r", {"path": "/a.png"})
    with pytest.raises(InputError, match="recording: has no page among its 1 responses"):
        make_site(tmp_path / "site", "", "", found)
    with pytest.raises(InputError, match=r"https://b\.org/: is not among the 1 responses"):
        make_site(tmp_path / "site", "", "https://b.org/", found)
    assert not (tmp_path / "site").exists()
    assert read(tmp_path) == []
