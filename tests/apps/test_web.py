"""Real page loads: nginx and a headless browser over a real link."""

import json

import numpy as np
import pytest
from PIL import Image

from mmwemu.apps.shared.browser.modules import find_browser
from mmwemu.apps.shared.webserver import caddy
from mmwemu.apps.web.application import Pages
from mmwemu.apps.web.film import read_film
from mmwemu.apps.web.sites.pictures import jpeg
from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError
from mmwemu.pattern.convert import constant
from tests.apps import running

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_browser")]


def pages(tmp_path, pattern, plan=None, **asked):
    return running.run(tmp_path, pattern, Pages(**asked), **(plan or {}))


@pytest.mark.parametrize(
    ("protocol", "device", "shape"),
    # A film's longer side has 500 pixels at most; width over height is the device's.
    [("h2", "iPhone X", 375 / 812), ("h1", "iPad Pro 11 landscape", 1194 / 834), ("http", "desktop", 1366 / 768)],
)
def test_a_slow_link_shows_in_every_metric_and_the_device_in_every_picture(
    tmp_path, site, shared_controls, protocol, device, shape
):
    (run,) = pages(tmp_path, constant(2e6, 60), sites=(str(site),), protocol=protocol, device=device, keep=True)
    assert (run.status, run.error, run.device) == ("ok", "", device)
    assert (run.requests, run.failed_requests, run.body_bytes) == (25, 0, 400_000)
    assert run.protocols == ("h2" if protocol == "h2" else "http/1.1")
    # 400 kB at 2 Mbit/s are 1.6 s, and headers, handshakes and script work come on top.
    assert 1.6 < run.on_load_s < 4.5
    assert run.control_on_load_s < run.on_load_s
    assert not run.cpu_bound
    assert run.ttfb_s < run.fcp_s <= run.speed_index_s <= run.above_the_fold_s + 0.001
    assert run.ttfb_s < run.dom_interactive_s <= run.dom_content_loaded_s <= run.on_load_s
    assert run.visual_85_s <= run.visual_95_s <= run.visual_99_s <= run.above_the_fold_s + 0.001
    assert run.speed_index_check_s == pytest.approx(run.speed_index_s, rel=0.05)
    assert run.connections >= 3
    assert run.browser_cpu_s > 0
    kept = tmp_path / "r" / "pages" / "00001"
    assert (kept / "trace.json").stat().st_size > 10_000
    entries = json.loads((kept / "page.har").read_text())["log"]["entries"]
    assert len(entries) == 25
    headers = {h["name"].lower(): h["value"] for h in entries[0]["request"]["headers"]}
    assert "Headless" not in headers["user-agent"]
    assert ("Mobile" in headers["user-agent"]) == (device != "desktop")
    pictures = list((kept / "film").glob("*.jpg"))
    assert len(pictures) > 2
    film = read_film(kept)
    assert sorted(kept / "film" / frame.file for frame in film) == sorted(pictures)
    assert 0 < film[0].time_s < film[-1].time_s <= run.above_the_fold_s + 1.1
    sizes = set()
    for picture in pictures:
        with Image.open(picture) as image:
            sizes.add(image.size)
    ((width, height),) = sizes
    assert width / height == pytest.approx(shape, rel=0.02)


def test_http3_is_spoken_from_the_first_packet_on(tmp_path, site, saved):
    try:
        caddy.find()
    except MissingError as error:
        pytest.skip(str(error))
    made, of_browser = pages(tmp_path, constant(2e6, 60), sites=(str(site), str(saved)), protocol="h3", keep=True)
    assert (made.status, made.error, made.protocols) == ("ok", "", "h3")
    assert (made.requests, made.failed_requests, made.body_bytes) == (25, 0, 400_000)
    assert 1.6 < made.on_load_s < 4.5
    # What was saved is answered alike by either server.
    assert (of_browser.requests, of_browser.failed_requests, of_browser.protocols) == (8, 3, "h3")
    har = json.loads((tmp_path / "r" / "pages" / "00002" / "page.har").read_text())
    assert {entry["response"]["content"]["mimeType"] for entry in har["log"]["entries"]} >= TYPES


def test_no_caddy_is_said_before_anything_is_made(tmp_path, site, monkeypatch):
    for tool in ("node", "openssl", "nginx", "npm"):
        (tmp_path / tool).symlink_to(process.find_tool(tool, ""))
    (tmp_path / "chromium").symlink_to(find_browser())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="caddy is not installed; install it: sudo apt-get install caddy"):
        pages(tmp_path, constant(1e6, 1), sites=(str(site),), protocol="h3")


def test_a_page_that_never_comes_is_a_timeout_and_the_rest_goes_on(tmp_path, controlled_site):
    pattern = running.steps([0.0, 50e6], [0.0, 20.0], outage="drop")
    plan = {"starts_at_s": (0.0, 30.0)}
    never, loaded = pages(tmp_path, pattern, plan, sites=(str(controlled_site),), limit_s=3.0)
    assert (never.status, never.error) == ("timeout", "not loaded within 3 s")
    assert (never.on_load_s, never.speed_index_s, never.duration_s) == (None, None, pytest.approx(3, abs=0.5))
    assert loaded.status == "ok"


def test_a_browser_that_is_killed_is_a_failed_run_and_the_rest_goes_on(tmp_path, controlled_site, monkeypatch):
    running.put_before_browser(tmp_path, monkeypatch, f"[ $N = 1 ] && ({running.LOADING}; kill -9 -$$) &")
    broken, loaded = pages(tmp_path, constant(1e6, 60), {"repetitions": 2}, sites=(str(controlled_site),))
    assert (broken.status, broken.error) == ("failed", "the browser ended during the load")
    assert loaded.status == "ok"


def test_a_browser_that_does_not_start_is_a_failed_run_of_one_line(tmp_path, site, monkeypatch):
    running.put_before_browser(tmp_path, monkeypatch, "echo 'no display' >&2; exit 1")
    (run,) = pages(tmp_path, constant(1e6, 60), sites=(str(site),))
    assert run.status == "failed"
    assert "chromium-headless-shell did not start: " in run.error
    assert "\n" not in run.error


def test_no_browser_is_said_before_anything_is_made(tmp_path, site, monkeypatch):
    (tmp_path / "node").symlink_to(process.find_tool("node", ""))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="no Chromium is installed; install one: sudo apt-get install chromium"):
        pages(tmp_path, constant(1e6, 1), sites=(str(site),))


def test_an_unknown_device_and_a_broken_site_are_refused_first(tmp_path, site):
    with pytest.raises(InputError, match="device: is 'iPhone Z', which is not known; did you mean iPhone"):
        pages(tmp_path, constant(1e6, 1), sites=(str(site),), device="iPhone Z")
    with pytest.raises(InputError, match="is neither a folder nor one of google"):
        pages(tmp_path, constant(1e6, 1), sites=("nowhere",))


# A page as browsers save it: relative addresses, names that are anything, things that were not saved.
SAVED = """<!doctype html><html><head><meta charset="utf-8"><title>Saved</title>
<link rel="stylesheet" href="./Näme%20of%20a%20page_files/style.css%3Fv=3">
<script src="Näme of a page_files/app.js.download"></script>
<script src="https://ads.example.org/x.js"></script></head><body><h1>Saved</h1>
<img src="Näme of a page_files/50%25 $off.jpg" width="80"><img src="Näme of a page_files/photo%3B(1)" width="80">
<img src="Näme of a page_files/not%20there.png"><img src="http://192.0.2.1/y.png"></body></html>"""


TYPES = {"text/html", "text/css", "text/javascript", "image/jpeg"}


@pytest.fixture
def saved(tmp_path):
    folder = tmp_path / "A saved page"
    files = folder / "Näme of a page_files"
    files.mkdir(parents=True)
    (folder / "Näme of a page.html").write_text(SAVED, encoding="utf-8")
    (files / "style.css?v=3").write_text("body{background:#234;color:#fff}@import 'css';h1{font-size:60px}")
    (files / "css").write_text("p{}")
    (files / "app.js.download").write_text("document.title = 'run'")
    random = np.random.default_rng(1)
    (files / "50% $off.jpg").write_bytes(jpeg(20_000, random))
    (files / "photo;(1)").write_bytes(jpeg(30_000, random))
    return folder


def test_a_page_saved_from_a_browser_loads_and_what_it_has_not_fails_at_once(tmp_path, saved):
    (run,) = pages(tmp_path, constant(2e6, 60), sites=(str(saved),), keep=True)
    assert (run.status, run.error) == ("ok", "")
    entries = json.loads((tmp_path / "r" / "pages" / "00001" / "page.har").read_text())["log"]["entries"]
    answers = {entry["request"]["url"].rsplit("/", 1)[-1]: entry["response"] for entry in entries}
    types = {name: (answer["status"], answer["content"]["mimeType"]) for name, answer in answers.items()}
    assert types["style.css%3Fv=3"] == (200, "text/css")
    assert types["app.js.download"] == (200, "text/javascript")
    assert types["50%25%20$off.jpg"] == (200, "image/jpeg")
    assert types["photo%3B(1)"][0] == 200
    assert types["not%20there.png"][0] == 404
    # Not saved: one picture, and what two outside hosts have, of which one has an address and needs no name.
    assert (run.requests, run.failed_requests) == (8, 3)
    assert run.body_bytes == pytest.approx(sum(f.stat().st_size for f in saved.rglob("*") if f.is_file()), abs=300)
    assert run.on_load_s < 3
