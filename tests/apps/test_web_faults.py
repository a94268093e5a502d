"""What breaks during page loads is a failed run of one line; the rest goes on and nothing is left."""

import json
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from mmwemu.apps.shared.webserver.server import serve
from mmwemu.apps.web.application import Pages
from mmwemu.apps.web.result import Load
from mmwemu.core.errors import MmwemuError
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from tests.apps import running
from tests.programs import MMWEMU
from tests.testbeds import replaying

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_browser")]


@pytest.fixture
def temporary(tmp_path_factory, monkeypatch):
    """Give a folder for temporary files of its own, and see that nothing is left in it or running out of it."""
    folder = tmp_path_factory.mktemp("tmp")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    assert not list(folder.glob("mmwemu-*"))
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
    return running.run(tmp_path, constant(rate_bps, 60.0), Pages(**asked), repetitions=repetitions)


def test_a_browser_that_hangs(tmp_path, temporary, controlled_site, monkeypatch):
    running.put_before_browser(tmp_path, monkeypatch, f"[ $N = 1 ] && ({running.LOADING}; kill -STOP -$$) &")
    began = time.monotonic()
    broken, loaded = pages(tmp_path, sites=(str(controlled_site),), repetitions=2, limit_s=4.0, rate_bps=0.8e6)
    assert (broken.status, broken.error) == ("failed", "the browser hung: no CPU time within 8 s")
    assert (loaded.status, loaded.run) == ("timeout" if loaded.duration_s > 3.9 else "ok", 2)
    assert time.monotonic() - began < 60


def test_a_runner_that_hangs_takes_its_browser_with_it(tmp_path, temporary, controlled_site, monkeypatch):
    monkeypatch.setattr("mmwemu.apps.web.client._GRACE_S", 2.0)
    running.put_before_browser(tmp_path, monkeypatch, "[ $N = 1 ] && kill -STOP $PPID")
    broken, loaded = pages(tmp_path, sites=(str(controlled_site),), repetitions=2, limit_s=3.0)
    assert (broken.status, broken.error) == ("failed", "the browser hung for 5 s")
    assert loaded.status == "ok"


def test_a_page_that_crashes(tmp_path, temporary, controlled_site, monkeypatch):
    kill = "for p in /proc/[0-9]*; do grep -qs -e '--type=renderer' $p/cmdline && kill -9 ${p#/proc/}; done"
    running.put_before_browser(tmp_path, monkeypatch, f"[ $N = 1 ] && ({running.LOADING}; {kill}) &")
    broken, loaded = pages(tmp_path, sites=(str(controlled_site),), repetitions=2, rate_bps=0.8e6)
    assert (broken.status, broken.error) == ("failed", "the page crashed")
    assert loaded.status == "ok"


def test_an_endless_script_is_a_timeout(tmp_path, temporary, controlled_site):
    endless = tmp_path / "endless"
    endless.mkdir()
    (endless / "index.html").write_text("<h1>Here</h1><script>for(;;);</script>")
    never, loaded = pages(tmp_path, sites=(str(endless), str(controlled_site)), limit_s=2.0)
    assert (never.status, never.error, never.on_load_s) == ("timeout", "not loaded within 2 s", None)
    assert never.duration_s == pytest.approx(2, abs=0.5)
    assert loaded.status == "ok"


def test_a_server_that_never_answers_is_a_timeout(tmp_path, temporary, controlled_site, monkeypatch):
    both = 'PID=$(cat $TMPDIR/mmwemu-nginx-*/nginx.pid)\nBOTH="$PID $(cat /proc/$PID/task/$PID/children)"\n'
    stop = both + "[ $N = 1 ] && kill -STOP $BOTH\n[ $N = 2 ] && kill -CONT $BOTH"
    running.put_before_browser(tmp_path, monkeypatch, stop)
    never, loaded = pages(tmp_path, sites=(str(controlled_site),), repetitions=2, limit_s=4.0)
    assert (never.status, never.error, never.ttfb_s) == ("timeout", "not loaded within 4 s", None)
    assert loaded.status == "ok"


def test_a_port_in_use_is_one_line(temporary):
    with replaying(LinkSettings(constant(1e6, 1.0))) as testbed, serve(testbed.server):
        with pytest.raises(MmwemuError, match=r"nginx did not start: .*(in use|still could not bind)") as caught:
            with serve(testbed.server):
                pass
    assert "\n" not in str(caught.value)


def in_small_tmp(tmp_path, site, text, *, size):
    """Run page loads as a user, temporary files in a file system of their own; gives exit code, JSON and errors."""
    running.saved(tmp_path, constant(20e6, 60.0))
    (tmp_path / "tmp").mkdir()
    command = (
        f"mount -t tmpfs -o size={size} none {tmp_path}/tmp && exec {shlex.join(MMWEMU)} run web --site {site}"
        f" --pattern {tmp_path}/p.csv -n 2 --limit-s 8 -o {tmp_path}/r --json"
    )
    with pytest.MonkeyPatch.context() as patch:
        running.put_before_browser(tmp_path, patch, text)
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
    assert [run["status"] for run in runs] == ["failed", "ok"], err
    assert (code, err.splitlines()[-1]) == (1, f"mmwemu: 1 of 2 runs failed: {runs[0]['error']}")
    assert "\n" not in runs[0]["error"]


def test_no_room_for_the_site_is_one_line(tmp_path, site):
    code, _, err = in_small_tmp(tmp_path, site, "", size="64k")
    assert code == 1
    assert "No space left on device" in err.splitlines()[-1]
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(("control", "age_s", "loads"), [("recent", 120.0, 4), ("recent", 0.0, 5), ("each", 120.0, 5)])
def test_control_loads_are_made_again_when_they_are_old(tmp_path, site, monkeypatch, control, age_s, loads):
    made = []

    def load(*_):
        made.append(Load(status="ok", error="", duration_s=1.0, on_load_s=1.0 + len(made)))
        return made[-1]

    monkeypatch.setattr("mmwemu.apps.web.application.load", load)
    monkeypatch.setattr("mmwemu.apps.web.application._CONTROL_AGE_S", age_s)
    first, second = pages(tmp_path, sites=(str(site),), repetitions=2, control=control)
    assert len(made) == loads
    assert first.control_age_s < 1
    # The first load of a site is thrown away.
    assert (first.control_on_load_s, second.control_on_load_s) == (2.0, 2.0 if loads == 4 else 4.0)
