"""The image of the Dockerfile, built and run without an engine: what works, and what is said where an option lacks."""

import os
import shutil
import time

import pytest

from tests.containers import building, running
from tests.containers.running import Options

pytestmark = [pytest.mark.apps, pytest.mark.cell, pytest.mark.long, pytest.mark.usefixtures("needs_link")]

STUDY = """
format = 1
name = "c"
pattern = ["s1-long-nlos.mmwave"]
expect = ["goodput_bps >= 10e6"]
[[run]]
application = "download"
size = ["500kB"]
"""
RUN = ["run", "download", "--pattern", "s1-long-nlos.mmwave", "--size", "1MB", "-n", "2"]
# A link that a busy machine made invalid is a link all the same.
_DONE = (0, 4)
_failures: list[str] = []
VERBS = {"run": RUN, "check": ["check", "c.toml", "--budget", "2m"], "demo": ["demo", "-n", "1", "--size", "1MB"]}


@pytest.fixture(scope="module")
def container():
    """Build the image once, which is what is long here, and give a function that runs mmwemu in it."""
    if os.geteuid() != 0:
        pytest.skip("an image is built without an engine by root alone")
    for tool in ("debootstrap", "setpriv", "pivot_root"):
        if shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            pytest.skip(f"{tool} is not installed")
    if _failures:  # minutes each time, for the same
        pytest.fail(_failures[0])
    try:
        root, image = building.build(building.ROOT / "Dockerfile")
    except Exception as error:
        _failures.append(str(error))
        raise
    (root / image.folder.lstrip("/") / "c.toml").write_text(STUDY)
    yield lambda words, **options: running.run(root, image, words, Options(**options))
    building.remove()


@pytest.mark.parametrize("verb", VERBS)
def test_an_ordinary_user_with_the_device_does_the_main_jobs(container, verb):
    """Long: it builds an image."""
    done = container(VERBS[verb])
    assert done.returncode in _DONE, done.stdout + done.stderr
    assert "results: results/" in done.stdout
    assert "systempaths" not in done.stderr


def test_the_doctor_finds_all_that_is_required(container):
    """Long: it builds an image."""
    done = container(["doctor"])
    assert done.returncode == 0, done.stdout
    assert "MISSING" not in done.stdout


def test_masked_parts_of_proc_are_told_and_do_not_stop_it(container):
    """Long: it builds an image."""
    done = container(RUN, masked=True)
    assert done.returncode in _DONE, done.stdout + done.stderr
    assert "start the container with --security-opt systempaths=unconfined" in done.stderr


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("options", "flag"),
    [({"device": False}, "--device /dev/net/tun"), ({"filtered": True}, "--security-opt seccomp=unconfined")],
    ids=["device", "calls"],
)
def test_a_missing_option_is_named_at_once(container, verb, options, flag):
    """Long: it builds an image."""
    begin_s = time.monotonic()
    done = container(VERBS[verb], masked=True, **options)
    assert time.monotonic() - begin_s < 30  # the demo's simulations alone take longer
    assert done.returncode == 3, done.stdout + done.stderr
    errors = [line for line in done.stderr.splitlines() if "/proc/sys cannot be written" not in line]
    assert len(errors) == 1, done.stderr
    assert errors[0].endswith(f"start the container with {flag}")
    assert flag in container(["doctor"], masked=True, **options).stdout
