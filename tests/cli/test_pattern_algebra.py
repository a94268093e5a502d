"""Verbs that make a pattern of patterns, as a user chains them."""

import shlex
import subprocess

import pytest

from mmwemu.cli.pattern_algebra import VERBS
from mmwemu.pattern import library
from mmwemu.pattern.formats import native
from tests.programs import MMWEMU

OPTIONS = {
    "cut": "--from-s 5 --to-s 15",
    "shift": "--by-s -3",
    "scale": "--mean 50Mbit/s",
    "clip": "--most 300Mbit/s --least 1Mbit/s",
    "concat": "",
    "repeat": "--times 2",
    "blockage": "--start-s 1 --blocked-s 2 --ramp-s 0.5 --depth-db 10 --every-s 8",
    "resample": "--step-ms 100",
    "join-uplink": "--uplink-of s1-long-nlos.lte",
    "delay": "--add-ms 5 --direction uplink",
    "loss": "--add 0.01",
    "slow": "--factor 2",
}
MADE = {
    "onoff": "--rate 500Mbit/s --on exponential:2 --off lognormal:0.2,0.8 --duration-s 30",
    "blockage": "--obstacle cardboard --remaining 0.6 --blocked uniform:0.5-1",
    "markov": "s2-crossings.mmwave s4-outage.mmwave --duration-s 30",
}


@pytest.fixture
def output(mmwemu):
    """Give a caller of a command line that succeeds; it gives the standard output."""

    def call(text, stdin=b""):
        code, out, err = mmwemu(*shlex.split(text), stdin=stdin)
        assert code == 0, err
        return out

    return call


def test_every_verb_is_tried_here():
    assert sorted(OPTIONS) == sorted(verb.name for verb in VERBS)


@pytest.mark.parametrize("verb", OPTIONS)
def test_a_verb_reads_and_writes_files_and_pipes_alike(output, tmp_path, verb):
    name = "s1-long-nlos.mmwave"
    piped = output(f"pattern {verb} - {OPTIONS[verb]}", library.find(name).read_bytes())
    assert output(f"pattern {verb} {name} {OPTIONS[verb]} -o x.csv") == "x.csv\n"
    assert (tmp_path / "x.csv").read_text() == piped
    meta = native.loads(piped, "p.csv").meta
    assert meta["scenario"] == "s1-long-nlos"
    assert [done["verb"] for done in meta["operations"]] == [verb]


@pytest.mark.parametrize("kind", MADE)
def test_a_seed_decides_what_is_generated(output, kind):
    first, again, other = (output(f"pattern generate {kind} {MADE[kind]} --seed {n}") for n in (1, 1, 2))
    assert first == again
    assert first != other
    about = native.loads(first, "p.csv").meta["synthesis"]
    assert (about["kind"], about["seed"]) == (kind, 1)


def test_a_folder_of_patterns_is_a_source(output, tmp_path):
    for name in ("s2-crossings.mmwave", "s4-outage.mmwave"):
        (tmp_path / f"{name}.csv").write_bytes(library.find(name).read_bytes())
    named = output("pattern generate markov s2-crossings.mmwave s4-outage.mmwave")
    assert output("pattern generate markov .") == named


def test_standard_input_is_shown_and_drawn(output):
    content = library.find("s1-long-nlos.mmwave").read_bytes()
    assert "3 steps in 40 s" in output("pattern show -", content)
    assert "-: ok (3 steps" in output("pattern check -", content)
    assert output("pattern plot -", content) == "pattern.png\n"
    assert output("pattern cut - -o -", content) == output("pattern cut -", content)
    joined = native.loads(output("pattern concat - -", content), "p.csv")
    assert joined.duration_s == 80


def test_metadata_that_would_steer_a_terminal_is_escaped_and_stays_the_same(output, tmp_path):
    pattern = library.load("s1-long-nlos.mmwave")
    meta = {"note": '\u202e \x1b[31m \u00e9 \\ "', "\u00e9": 1}
    (tmp_path / "a.csv").write_text(native.dumps(type(pattern)(**{**vars(pattern), "meta": meta})))
    printed = output("pattern cut a.csv")
    assert printed.isascii()
    assert all(letter >= " " or letter == "\n" for letter in printed)
    again = native.loads(printed, "p.csv").meta
    assert {key: again[key] for key in meta} == meta


@pytest.mark.parametrize(
    ("text", "stdin", "message"),
    [
        ("pattern cut - ", b"", "standard input: is empty; the command before may have failed"),
        ("pattern cut -", b"\xff\x00", "standard input: is not a text (UTF-8)"),
        ("pattern cut -", b"x", "standard input: has no head"),
        ("pattern cut s4-outage.lte --from-s 99", b"", "from: is 99 s; must be from 0 to"),
        ("pattern scale s4-outage.lte", b"", "give one of --factor, --mean and --peak"),
        ("pattern clip s4-outage.lte", b"", "give --least, --most or both"),
        ("pattern slow s4-outage.lte --factor 0", b"", "'0' is not a number above 0"),
        ("pattern blockage s4-outage.lte --start-s 0 --blocked-s 1 --depth-db 3 --remaining 1", b"", "give either"),
        ("pattern generate onoff --rate 1Mbit/s --on x --off 1 --duration-s 9", b"", "Invalid value for '--on'"),
        ("pattern generate blockage --obstacle body --blocked 1", b"", "remaining: is not stated for body"),
        ("pattern generate markov .", b"", ".: is a folder without pattern files (*.csv)"),
    ],
)
def test_bad_input_is_one_line(mmwemu, tmp_path, text, stdin, message):
    code, _, error = mmwemu(*shlex.split(text), stdin=stdin)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
    assert not any(tmp_path.iterdir())


@pytest.mark.link
def test_a_pipe_ends_in_a_link(tmp_path, needs_link):
    words = shlex.join(MMWEMU)
    line = (
        f"{words} pattern cut s1-long-nlos.mmwave --from-s 5 --to-s 15 | {words} pattern scale - --mean 50Mbit/s | "
        f"{words} link --pattern - -- sh -c 'ping -c 1 $MMWEMU_SERVER'"
    )
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "1 received" in done.stdout
