"""What breaks during page loads is a failed run of one line; the rest goes on and nothing is left."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from mmwemu.apps.certificate import find_openssl
from mmwemu.apps.server import serve
from mmwemu.apps.sites.make import make_site
from mmwemu.apps.sites.model import SiteSpec
from mmwemu.apps.web.modules import find_browser, find_tools
from mmwemu.core import process
from mmwemu.core.errors import MissingError, MmwemuError
from mmwemu.emulate import leftovers
from mmwemu.emulate.backend import open_testbed
from mmwemu.emulate.link import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.results import store
from mmwemu.study.experiment import run_application
from mmwemu.study.pages import Pages
from mmwemu.study.replay import ReplayPlan

pytestmark = pytest.mark.apps


@pytest.fixture(autouse=True, scope="module")
def _needs_a_browser(needs_link):
    try:
        process.find_tool("nginx", "install nginx-light")
        find_openssl()
        find_tools()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites") / "small"
    make_site(SiteSpec("small", 12, 150_000, hosts=2), folder)
    return folder


@pytest.fixture
def temporary(tmp_path_factory, monkeypatch):
    """Give a folder for temporary files of its own, and see that nothing is left in it or running out of it."""
    folder = tmp_path_factory.mktemp("tmp")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    assert leftovers.find(folder, youngest_s=0) == []
    deadline = time.monotonic() + 5
    while (running := using(folder)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running == []


def using(folder):
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words:
            found.append(words.replace(b"\0", b" ").decode()[:200])
    return found


def pages(tmp_path, *, repetitions=1, rate_bps=20e6, **asked):
    native.save(constant(rate_bps, 60.0), tmp_path / "p.csv")
    with store.create(store.Experiment("t", [], {}), tmp_path / "r") as writer:
        return run_application([tmp_path / "p.csv"], ReplayPlan(repetitions=repetitions), Pages(**asked), writer)


# Waits, in the client's network, for a connection over TLS, and then for some of the page.
LOADING = "until grep -q ':01BB 01 ' /proc/net/tcp; do sleep 0.05; done; sleep 0.7"


def put_before_browser(tmp_path, monkeypatch, text):
    """Put a script before the browser in PATH; $N in it counts its calls, the first two being the control's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "chromium-headless-shell"
    script.write_text(
        f'#!/bin/sh\necho x >> {folder}/calls\nN=$(wc -l < {folder}/calls)\n{text}\nexec {find_browser()} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_a_browser_that_hangs(tmp_path, temporary, site, monkeypatch):
    put_before_browser(tmp_path, monkeypatch, f"[ $N = 3 ] && ({LOADING}; kill -STOP -$$) &")
    began = time.monotonic()
    broken, loaded = pages(tmp_path, sites=(str(site),), repetitions=2, limit_s=4.0, rate_bps=0.3e6)
    assert (broken.status, broken.error) == ("failed", "the browser hung: no word of its CPU time within 8 s")
    assert (loaded.status, loaded.run) == ("timeout" if loaded.duration_s > 3.9 else "ok", 2)
    assert time.monotonic() - began < 60


def test_a_runner_that_hangs_takes_its_browser_with_it(tmp_path, temporary, site, monkeypatch):
    monkeypatch.setattr("mmwemu.apps.web.load._GRACE_S", 2.0)
    put_before_browser(tmp_path, monkeypatch, "[ $N = 3 ] && kill -STOP $PPID")
    broken, loaded = pages(tmp_path, sites=(str(site),), repetitions=2, limit_s=8.0)
    assert (broken.status, broken.error) == ("failed", "the browser hung for 10 s")
    assert loaded.status == "ok"


def test_a_page_that_crashes(tmp_path, temporary, site, monkeypatch):
    kill = "for p in /proc/[0-9]*; do grep -qs -e '--type=renderer' $p/cmdline && kill -9 ${p#/proc/}; done"
    put_before_browser(tmp_path, monkeypatch, f"[ $N = 3 ] && ({LOADING}; {kill}) &")
    broken, loaded = pages(tmp_path, sites=(str(site),), repetitions=2, rate_bps=0.3e6)
    assert (broken.status, broken.error) == ("failed", "the page crashed")
    assert loaded.status == "ok"


def test_an_endless_script_is_a_timeout(tmp_path, temporary, site):
    endless = tmp_path / "endless"
    endless.mkdir()
    (endless / "index.html").write_text("<h1>Here</h1><script>for(;;);</script>")
    never, loaded = pages(tmp_path, sites=(str(endless), str(site)), limit_s=3.0)
    assert (never.status, never.error, never.on_load_s) == ("timeout", "not loaded within 3 s", None)
    assert never.duration_s == pytest.approx(3, abs=0.5)
    assert loaded.status == "ok"


def test_a_server_that_never_answers_is_a_timeout(tmp_path, temporary, site, monkeypatch):
    both = 'PID=$(cat $TMPDIR/mmwemu-nginx-*/nginx.pid)\nBOTH="$PID $(cat /proc/$PID/task/$PID/children)"\n'
    stop = both + "[ $N = 3 ] && kill -STOP $BOTH\n[ $N = 4 ] && kill -CONT $BOTH"
    put_before_browser(tmp_path, monkeypatch, stop)
    never, loaded = pages(tmp_path, sites=(str(site),), repetitions=2, limit_s=4.0)
    assert (never.status, never.error, never.ttfb_s) == ("timeout", "not loaded within 4 s", None)
    assert loaded.status == "ok"


def test_a_port_in_use_is_one_line(temporary):
    with open_testbed(LinkSettings(constant(1e6, 1.0))) as testbed, serve(testbed):
        with pytest.raises(MmwemuError, match=r"nginx did not start: .*(in use|still could not bind)") as caught:
            with serve(testbed):
                pass
    assert "\n" not in str(caught.value)


def in_small_tmp(tmp_path, site, text, *, size):
    """Run page loads as a user, temporary files in a file system of their own; gives exit code, JSON and errors."""
    native.save(constant(20e6, 60.0), tmp_path / "p.csv")
    (tmp_path / "tmp").mkdir()
    mmwemu = Path(sys.executable).with_name("mmwemu")
    command = (
        f"mount -t tmpfs -o size={size} none {tmp_path}/tmp && exec {mmwemu} run web --site {site}"
        f" --pattern {tmp_path}/p.csv -n 3 --limit-s 8 -o {tmp_path}/r --json"
    )
    with pytest.MonkeyPatch.context() as patch:
        put_before_browser(tmp_path, patch, text)
        patch.setenv("TMPDIR", str(tmp_path / "tmp"))
        done = subprocess.run(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", command], capture_output=True, text=True, timeout=120
        )
    if "unshare" in done.stderr:
        pytest.skip(f"no mount namespace here: {done.stderr.strip()}")
    return done.returncode, done.stdout, done.stderr


def test_temporary_files_without_room_are_a_failed_run(tmp_path, site):
    fill = "[ $N = 3 ] && dd if=/dev/zero of=$TMPDIR/fill bs=4k 2>/dev/null\n[ $N = 4 ] && rm -f $TMPDIR/fill"
    code, out, err = in_small_tmp(tmp_path, site, fill, size="60m")
    runs = json.loads(out)["runs"]
    assert [run["status"] for run in runs] == ["failed", "ok", "ok"], err
    assert (code, err.splitlines()[-1]) == (1, f"mmwemu: 1 of 3 runs failed: {runs[0]['error']}")
    assert "\n" not in runs[0]["error"]


def test_no_room_for_the_site_is_one_line(tmp_path, site):
    code, _, err = in_small_tmp(tmp_path, site, "", size="64k")
    assert code == 1
    assert "No space left on device" in err.splitlines()[-1]
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(("control", "age_s", "loads"), [("recent", 120.0, 4), ("recent", 0.0, 5), ("each", 120.0, 5)])
def test_control_loads_are_made_again_when_they_are_old(tmp_path, site, monkeypatch, control, age_s, loads):
    monkeypatch.setattr("mmwemu.study.pages._CONTROL_AGE_S", age_s)
    put_before_browser(tmp_path, monkeypatch, "")
    first, second = pages(tmp_path, sites=(str(site),), repetitions=2, control=control)
    assert len((tmp_path / "bin" / "calls").read_text().split()) == loads
    assert first.control_age_s < 1
    assert (second.control_age_s < 1) == (loads == 5)
    assert (second.control_on_load_s != first.control_on_load_s) == (loads == 5)
