"""Real page loads: nginx and a headless browser over a real link."""

import json
import os

import numpy as np
import pytest
from PIL import Image

from mmwemu.apps import caddy
from mmwemu.apps.certificate import find_openssl
from mmwemu.apps.sites.make import make_site
from mmwemu.apps.sites.model import SiteSpec
from mmwemu.apps.sites.pictures import jpeg
from mmwemu.apps.web.modules import find_browser, find_tools
from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError
from mmwemu.emulate.backend import open_testbed
from mmwemu.emulate.link import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.pattern.model import Direction, Pattern
from mmwemu.results import store
from mmwemu.study.experiment import run_application
from mmwemu.study.pages import Pages
from mmwemu.study.replay import ReplayPlan

pytestmark = pytest.mark.apps


@pytest.fixture(autouse=True, scope="module")
def _needs_a_link_and_a_browser():
    try:
        process.find_tool("nginx", "install nginx-light")
        find_openssl()
        find_tools()
        with open_testbed(LinkSettings(constant(1e6, 1.0))):
            pass
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites") / "small"
    make_site(SiteSpec("small", 25, 400_000, hosts=3), folder)
    return folder


def pages(tmp_path, pattern, plan=None, **asked):
    native.save(pattern, tmp_path / "p.csv")
    with store.create(store.Experiment("t", [], {}), tmp_path / "r") as writer:
        return run_application([tmp_path / "p.csv"], plan or ReplayPlan(), Pages(**asked), writer)


def outage(until_s, rate_bps=50e6):
    zero = np.zeros(2)
    both = Direction(np.array([0.0, rate_bps]), zero, zero)
    return Pattern(np.array([0.0, until_s]), 60.0, both, both, outage="drop")


@pytest.mark.parametrize("protocol", ["h2", "h1", "http"])
def test_a_slow_link_shows_in_every_metric(tmp_path, site, protocol):
    (run,) = pages(tmp_path, constant(2e6, 60), sites=(str(site),), protocol=protocol, keep=True)
    assert (run.status, run.error) == ("ok", "")
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
    assert len(list((kept / "film").glob("*.jpg"))) > 2
    assert len(json.loads((kept / "page.har").read_text())["log"]["entries"]) == 25
    assert (kept / "trace.json").stat().st_size > 10_000


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


def test_a_connection_that_meets_an_outage_takes_about_a_second_more(tmp_path, site):
    (run,) = pages(tmp_path, outage(0.6), sites=(str(site),), protocol="http")
    assert run.status == "ok"
    assert run.dropped_outage_bytes >= 40
    assert 0.95 < run.ttfb_s < 1.6


def test_a_page_that_never_comes_is_a_timeout_and_the_rest_goes_on(tmp_path, site):
    plan = ReplayPlan(starts_at_s=(0.0, 30.0))
    never, loaded = pages(tmp_path, outage(20.0), plan, sites=(str(site),), limit_s=4.0)
    assert (never.status, never.error) == ("timeout", "not loaded within 4 s")
    assert (never.on_load_s, never.speed_index_s, never.duration_s) == (None, None, pytest.approx(4, abs=0.5))
    assert loaded.status == "ok"


def fake_browser(tmp_path, monkeypatch, text):
    """Put a script before the browser in PATH; $N in it counts its calls, the first two being the control's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "chromium-headless-shell"
    count = f"echo x >> {folder}/calls\nN=$(wc -l < {folder}/calls)\n"
    script.write_text(f"#!/bin/sh\n{count}{text}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_a_browser_that_is_killed_is_a_failed_run_and_the_rest_goes_on(tmp_path, site, monkeypatch):
    loading = "until grep -q ':01BB 01 ' /proc/net/tcp; do sleep 0.05; done; sleep 0.7"
    kill = f'[ $N = 3 ] && ({loading}; kill -9 -$$) &\nexec {find_browser()} "$@"'
    fake_browser(tmp_path, monkeypatch, kill)
    broken, loaded = pages(tmp_path, constant(0.5e6, 60), ReplayPlan(repetitions=2), sites=(str(site),))
    assert (broken.status, broken.error) == ("failed", "the browser ended during the load")
    assert loaded.status == "ok"


def test_a_browser_that_does_not_start_is_a_failed_run_of_one_line(tmp_path, site, monkeypatch):
    fake_browser(tmp_path, monkeypatch, "echo 'no display' >&2; exit 1")
    (run,) = pages(tmp_path, constant(1e6, 60), sites=(str(site),))
    assert run.status == "failed"
    assert "chromium-headless-shell did not start: " in run.error
    assert "\n" not in run.error


def test_no_browser_is_said_before_anything_is_made(tmp_path, site, monkeypatch):
    (tmp_path / "node").symlink_to(process.find_tool("node", ""))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="no Chromium is installed; install one: sudo apt-get install chromium"):
        pages(tmp_path, constant(1e6, 1), sites=(str(site),))


@pytest.mark.parametrize(
    ("device", "shape"),
    # A film's longer side has 500 pixels at most; width over height is the device's.
    [("iPhone X", 375 / 812), ("iPad Pro 11 landscape", 1194 / 834), ("desktop", 1366 / 768)],
)
def test_any_device_has_its_shape_in_every_picture(tmp_path, site, device, shape):
    (run,) = pages(tmp_path, constant(2e6, 60), sites=(str(site),), device=device, keep=True)
    assert (run.status, run.device) == ("ok", device)
    assert run.speed_index_check_s == pytest.approx(run.speed_index_s, rel=0.05)
    sizes = set()
    for picture in (tmp_path / "r" / "pages" / "00001" / "film").glob("*.jpg"):
        with Image.open(picture) as image:
            sizes.add(image.size)
    ((width, height),) = sizes
    assert width / height == pytest.approx(shape, rel=0.02)
    har = json.loads((tmp_path / "r" / "pages" / "00001" / "page.har").read_text())
    headers = {h["name"].lower(): h["value"] for h in har["log"]["entries"][0]["request"]["headers"]}
    assert "Headless" not in headers["user-agent"]
    assert ("Mobile" in headers["user-agent"]) == (device != "desktop")


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
