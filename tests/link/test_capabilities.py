"""What backend tc cannot do is refused before anything starts."""

import subprocess

import pytest

from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from tests.programs import MMWEMU

pytestmark = pytest.mark.link

LACKS = [
    (["--clients", "2"], "several clients"),
    (["--edge"], "an edge"),
    (["--core-rate", "10Mbit/s"], "an edge"),
    (["--core-loss", "0.1"], "an edge"),
    (["--serve-edge", "true"], "an edge"),
]


def first_word(value):
    return value[0] if isinstance(value, list) else ""


def refused(tmp_path, *words):
    """Return the last line on stderr of a verb with backend tc, which must be refused and leave nothing."""
    native.save(constant(1e6, 1.0), tmp_path / "p.csv")
    argv = [*MMWEMU, *words, "--backend", "tc", "--delay-ms", "0", "--pattern", "p.csv", "--"]
    done = subprocess.run([*argv, "touch", "ran"], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "capability"),
    [
        *LACKS,
        (["--outside"], "the real network"),
        (["--packets", "packets.parquet"], "packets"),
        (["--client", "a@b", "--client-interface", "lo=10.9.1.254/24"], "other machines"),
    ],
    ids=first_word,
)
def test_link_with_backend_tc_refuses_what_tc_lacks(tmp_path, options, capability):
    words = refused(tmp_path, "link", *options)
    assert words == f"mmwemu: backend tc: cannot provide {capability}; use --backend tun"


@pytest.mark.parametrize(("options", "capability"), LACKS, ids=first_word)
def test_run_with_backend_tc_refuses_what_tc_lacks(tmp_path, options, capability):
    words = refused(tmp_path, "run", "command", *options)
    assert words == f"mmwemu: backend tc: cannot provide {capability}; use --backend tun"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--aqm", "codel"], "drop as codel does, its queue is drop-tail"),
        (["--slot-us", "1000"], "release packets in slots"),
        (["--scheduler", "round-robin"], "let clients take turns"),
        (["--queue-packets", "10"], "count its queue in packets, only in bytes or time"),
    ],
    ids=first_word,
)
@pytest.mark.parametrize("verb", [["link"], ["run", "command"]], ids=["link", "run"])
def test_a_replay_that_tc_cannot_do_is_refused(tmp_path, verb, options, problem):
    words = refused(tmp_path, *verb, *options)
    assert words == f"mmwemu: backend tc: cannot {problem}; use --backend tun"
