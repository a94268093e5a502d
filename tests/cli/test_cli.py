"""The command line as a user types it: output, exit codes, one line for bad input."""

import json
import math
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mmwemu.probe import calibrate
from mmwemu.probe.calibrate import Calibration
from mmwemu.scenario import read
from mmwemu.trace import parquet
from tests.fakes import fake_testbed
from tests.programs import MMWEMU

# What `signal` imports.
STANDARD = {"__future__", "signal", "enum", "functools", "collections", "itertools", "keyword", "operator", "reprlib",
            "types", "_collections", "_collections_abc", "_functools", "_operator"}  # fmt: skip
SOURCES = {"PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.fixture
def trace_file(tmp_path, make_trace):
    parquet.save(make_trace([1] * 50 + [0] * 50), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_every_verb_has_help(mmwemu):
    code, out, _ = mmwemu("--help")
    assert code == 0
    verbs = (
        "doctor", "demo", "scenario", "rays", "simulate", "trace", "pattern", "fidelity", "link", "run", "study",
        "check", "budget", "results", "report", "explain", "reproduce", "model", "site", "web", "completion", "clean",
    )  # fmt: skip
    listed = [line.split()[0] for line in out.partition("Verbs:\n")[2].splitlines() if not line.startswith("   ")]
    assert listed == list(verbs)
    for verb in verbs:
        assert mmwemu(verb, "--help")[0] == 0


def test_every_application_has_a_verb_with_help(mmwemu):
    code, out, _ = mmwemu("run", "--help")
    assert code == 0
    words = ("download", "users", "flow", "stream", "web", "command", "mix")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ") and line.split()[0] in words] == list(
        words
    )
    for verb in words:
        assert mmwemu("run", verb, "--help")[0] == 0


def sections(text):
    """Return the titles of a help's sections, with the options of each."""
    found = {}
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            title = line.removesuffix(":")
        elif line.startswith("  -"):
            found.setdefault(title, []).append(next(w for w in line.replace(",", "").split() if w.startswith("--")))
    return found


def test_an_application_shows_its_own_options_first_and_those_of_the_link_after(mmwemu):
    code, out, _ = mmwemu("run", "download", "--help")
    found = sections(out)
    assert code == 0
    assert list(found) == ["Download", "Replays and results", "Link", "Testbed", "Other options"]
    assert found["Download"] == ["--protocol", "--size", "--fill", "--limit-s"]
    assert found["Link"] == [
        "--link", "--delay-ms", "--queue-bytes", "--queue-packets", "--queue-ms", "--queue-bdp", "--aqm",
        "--uplink-queue-bytes", "--uplink-queue-packets", "--uplink-queue-ms", "--uplink-queue-bdp", "--uplink-aqm",
        "--slot-us", "--milliproxy-information-ms", "--milliproxy-delay-ms", "--milliproxy-buffer-bytes", "--ecn",
    ]  # fmt: skip
    assert "Download files over patterns" in out
    assert list(sections(mmwemu("run", "web", "--help")[1]))[:3] == ["Web", "Replays and results", "Link"]
    assert "--exclude-cpu-bound" in found["Other options"]


def test_the_example_of_run_command_can_be_copied(mmwemu):
    out = mmwemu("run", "command", "--help")[1]
    lines = out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  mmwemu run command"))
    assert lines[first].endswith(" \\") and lines[first + 1].endswith(" \\")
    assert """'curl -so /dev/null -w "{\\"ttfb_s\\": %{time_starttransfer}}\\n" http""" in lines[first + 2]


def test_link_has_the_options_of_a_topology(mmwemu):
    found = sections(mmwemu("link", "--help")[1])
    assert list(found) == ["Session", "Link", "Testbed", "Real network and machines", "Other options"]
    assert {"--clients", "--scheduler", "--edge", "--serve-edge", "--core-rate", "--core-loss"} < set(found["Testbed"])
    assert {"--live", "--packets", "--tcp", "--list-profiles"} < set(found["Session"])
    assert mmwemu("topology")[2].startswith("mmwemu: No such command 'topology'.")


def test_the_shipped_profiles_are_listed_with_their_sources(mmwemu):
    code, out, _ = mmwemu("link", "--list-profiles")
    assert code == 0
    header, *rows = out.splitlines()
    assert header.split() == ["profile", "title", "source"]
    assert [row.split()[0] for row in rows] == ["hurtig2019", "lte-category-4", "zhang2016-10mb", "zhang2016-3mb"]
    assert "3GPP TS 36.306" in rows[1]


def test_help_imports_nothing_heavy():
    code = "import sys; from mmwemu.cli.main import _code; _code(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas", "pyarrow", "matplotlib", "scipy", "rich"} & set(done.stderr.split())


def test_signals_are_handled_before_anything_is_imported():
    code = "import sys; before = set(sys.modules); import mmwemu.cli.main; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-P", "-S", "-c", code], capture_output=True, text=True, env=SOURCES)
    ours = {"mmwemu", "mmwemu.cli", "mmwemu.cli.main", "mmwemu.core", "mmwemu.core.interruption"}
    assert ours <= set(done.stdout.split()) <= ours | STANDARD


def test_scenario_verbs(mmwemu, tmp_path):
    code, out, _ = mmwemu("scenario", "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(read.shipped())
    code, out, _ = mmwemu("scenario", "show", "s1", "--json")
    assert json.loads(out)["los_changes_s"] == [2.134, 22.134]
    assert mmwemu("scenario", "show", "s4")[0] == 0
    drawn = [mmwemu("scenario", "show", "polese", "--seed", seed)[1] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert mmwemu("scenario", "check", "s1", "s2-crossings")[0] == 0
    assert mmwemu("scenario", "plot", "s1", "-o", "map.svg")[0] == 0
    assert (tmp_path / "map.svg").read_text().startswith("<?xml")


def test_pattern_verbs(mmwemu, trace_file, tmp_path):
    assert mmwemu("pattern", "build", trace_file, "-o", "p.csv")[0] == 0
    code, out, _ = mmwemu("pattern", "show", "p.csv", "--json")
    assert code == 0
    assert json.loads(out)["mean_rate_bps"]["downlink"] == pytest.approx(650e6 * 1428 / 1400, abs=1)
    assert mmwemu("pattern", "show", "p.csv")[0] == 0
    assert mmwemu("pattern", "check", "p.csv", "s1-long-nlos.mmwave")[0] == 0
    assert mmwemu("pattern", "plot", "p.csv", "-o", "p.png")[0] == 0
    (tmp_path / "columns.txt").write_text("time rate\n0 10\n1 20\n")
    argv = (
        "pattern",
        "convert",
        "--from",
        "columns",
        "--time-unit",
        "s",
        "--rate-unit",
        "Mbit/s",
        "columns.txt",
        "c.csv",
    )
    assert mmwemu(*argv)[0] == 0
    assert json.loads(mmwemu("pattern", "show", "c.csv", "--json")[1])["mean_rate_bps"]["uplink"] == 15e6
    assert mmwemu("pattern", "build", "--constant-bps", "inf", "--duration-s", "5", "-o", "inf.csv")[0] == 0
    assert json.loads(mmwemu("pattern", "show", "inf.csv", "--json")[1])["mean_rate_bps"]["uplink"] is None


HEAD = '# format = 1\n# duration_s = 3.0\n# outage = "hold"\n# end = "loop"\ntime_s,downlink_rate_bps,uplink_rate_bps\n'
BAD_PATTERNS = {
    "negative.csv": (
        HEAD + "0,-1,1\n",
        "negative.csv: line 6: downlink_rate_bps: is -1; must be from 0 to 1e+12, or inf",
    ),
    "nan.csv": (HEAD + "0,nan,1\n", "nan.csv: line 6: downlink_rate_bps: is nan; must be from 0 to 1e+12, or inf"),
    "order.csv": (HEAD + "0,1,1\n2,1,1\n1,1,1\n", "order.csv: line 7: row 2: time 2 s is not before 1 s"),
    "empty.csv": (HEAD, "empty.csv: has no rows; at least one step is needed"),
    "binary.csv": ("\x00\xff", "binary.csv: is not a text file (UTF-8)"),
}


@pytest.mark.parametrize("name", BAD_PATTERNS)
@pytest.mark.parametrize("verb", ["show", "check", "plot", "link", "download"])
def test_bad_patterns(mmwemu, tmp_path, name, verb):
    text, message = BAD_PATTERNS[name]
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    argv = {"link": ("link", "--pattern", name, "--", "true"), "download": ("run", "download", "--pattern", name)}
    code, out, err = mmwemu(*argv.get(verb, ("pattern", verb, name)))
    assert code == 2
    assert err.splitlines()[-1].startswith(f"mmwemu: {message}")
    assert "Traceback" not in err
    assert out == ""
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == [name]


def test_check_warns_of_a_rate_beyond_the_calibration(mmwemu, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert mmwemu("pattern", "check", "s1-long-nlos.mmwave")[::2] == (0, "")
    calibrate.keep(Calibration(5e8, 0.0, 0.0, 0.0, 0.0, calibrate.machine(), "2026-01-02T03:04:05+00:00"))
    code, out, err = mmwemu("pattern", "check", "s1-long-nlos.mmwave", "s1-long-nlos.lte")
    assert (code, out.count("ok")) == (0, 2)
    assert err == (
        "mmwemu: s1-long-nlos.mmwave: the pattern reaches 1030 Mbit/s; this machine carried 500 at its calibration "
        "(2026-01-02): the link may not be valid\n"
    )


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        ("scenario show none.toml", 2, "none.toml: cannot be read: No such file or directory"),
        ("simulate s9 --rat lte", 2, "s9: is neither a file nor a shipped scenario; shipped: krasilov1-"),
        ("simulate s1 --rat nr", 2, "Invalid value for '--rat': 'nr' is not one of"),
        ("simulate s1 --rat lte -o none/t.parquet", 2, "none/t.parquet: cannot be written: its folder does not exist"),
        ("pattern build none.parquet -o p.csv", 2, "none.parquet: does not exist"),
        ("pattern build cut.parquet -o p.csv", 2, "cut.parquet: is truncated or not a Parquet file"),
        ("pattern build -o p.csv", 2, "give either TRACE or --constant-bps"),
        ("pattern build --constant-bps 5 -o p.csv", 2, "--constant-bps and --duration-s go together"),
        ("pattern build --constant-bps nan --duration-s 1 -o p.csv", 2, "Invalid value for '--constant-bps': 'nan' is"),
        (
            "pattern build t.parquet --method window --window-ms 0 -o p.csv",
            2,
            "Invalid value for '--window-ms': '0' is",
        ),
        ("pattern build t.parquet -o /dev/full", 1, "/dev/full: writing failed: No space left on device"),
        ("pattern convert --from columns none x.csv", 2, "none: cannot be read: No such file or directory"),
        ("run download --pattern s1-long-nlos.lte --size 0", 2, "size: is '0'; must be from 1 byte to 1000 TB"),
        ("run download --pattern nope", 2, "nope: is neither a file nor a shipped pattern; shipped: s1-long-nlos.lte,"),
        ("site make --objects 5 -o s", 2, "site: needs --objects and --bytes, or --preset"),
        ("site make --preset altavista -o s", 2, "preset: is 'altavista'; must be one of google, amazon,"),
        ("site make --preset cnn --objects 5 -o s", 2, "preset: has its own --objects and --bytes"),
        ("site make --objects 50 --bytes 2kB -o s", 2, "site: bytes: is 2000; the page alone needs"),
        ("site check .", 2, ".: is not a site: it has neither an index site.json nor a page"),
        ("site record -o r", 2, "site: needs the URL to record, or --flows"),
        ("site record ftp://a/ -o r", 2, "ftp://a/: is not the address of a page"),
        ("run web --pattern s1-long-nlos.lte", 2, "Missing option '--site'"),
        ("run web --site cnn --pattern x.csv --start-random 3", 2, "Invalid value for '--start-random': '3'"),
        ("run nosuch --pattern s1-long-nlos.lte", 2, "No such command 'nosuch'."),
        ("run command --pattern s1-long-nlos.lte", 2, "Missing argument '-- CMD...'"),
        ("run mix --pattern s1-long-nlos.lte --app nosuch", 2, "Invalid value for '--app': 'nosuch' starts with none"),
        ("run download --pattern s1-long-nlos.lte --link nosuch", 2, "link profile nosuch: is no file and no shipped"),
        ("run download --pattern s1-long-nlos.lte --link bad.toml", 2, "bad.toml: delay: is not a known key; did you"),
        ("run download --pattern s1-long-nlos.lte --queue-packets 0", 2, "Invalid value for '--queue-packets': '0' is"),
        ("run download --pattern s1-long-nlos.lte --backend tc --clients 2", 2, "backend tc: cannot provide several"),
        ("run download --pattern s1-long-nlos.lte --tc-mode netem-rate", 2, "tc-mode: is 'netem-rate', which works"),
        ("link --pattern s1-long-nlos.lte", 2, "Missing argument"),
        ("link -- true", 2, "Missing option '--pattern'"),
        ("link --pattern s1-long-nlos.lte --clients 2 --backend tc -- true", 2, "backend tc: cannot provide several"),
        ("link --pattern s1-long-nlos.lte --core-loss 0.1 --backend tc -- true", 2, "backend tc: cannot provide an"),
        ("link --pattern s1-long-nlos.lte --pattern s2-crossings.lte --clients 3 -- true", 2,
         "--clients 3: there are 2 patterns, one for each client"),
        ("link --pattern s1-long-nlos.lte --outside --backend tc -- true", 2, "backend tc: cannot provide the real"),
        ("link --pattern s1-long-nlos.lte --client me@192.0.2.1 -- true", 2, "--client: needs --client-interface, and"),
        ("link --pattern s1-long-nlos.lte --server-interface lo=192.0.2.1/24 -- true", 2, "--server: needs --server-"),
        ("link --pattern s1-long-nlos.lte --server me@192.0.2.1 --server-interface lo=192.0.2.1 -- true", 2,
         "interface: has the address 192.0.2.1; it needs the length of its prefix"),
        ("link --pattern s1-long-nlos.lte --live -- true", 2, "--live: needs a terminal on stderr"),
        ("link --pattern s1-long-nlos.lte --packets p.csv -- true", 2, "p.csv: must end in .parquet or .pcapng"),
        ("link --pattern s1-long-nlos.lte --tcp no/t.parquet -- true", 2, "no/t.parquet: cannot be written: its"),
        ("link --pattern s1-long-nlos.lte --queue-ms 5 --queue-bdp 2 -- true", 2, "link: queue_bdp: cannot be given"),
        ("simulate s1 --rat mmwave --engine nosuch", 2, "engine nosuch: is not registered; there are: mmwemu-cell, ns"),
        ("simulate s1 --rat mmwave --engine ns3-mmwave --ns3-root .", 3, "/"),
        ("trace show cut.parquet", 2, "cut.parquet: is truncated or not a Parquet file"),
        ("trace plot t.parquet -o t.txt", 2, "t.txt: is not a picture file"),
        ("trace compare t.parquet none.parquet", 2, "none.parquet: does not exist"),
        ("trace compare t.parquet t.parquet", 2, "compare: needs traces of at least 0.2 s"),
        ("trace import bad.toml -o x.parquet", 2, "bad.toml: has no column dl/ul in its header"),
        ("trace import bad.toml -o no/x.parquet", 2, "bad.toml: has no column dl/ul in its header"),
        ("nosuchverb", 2, "No such command 'nosuchverb'."),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_with_the_right_exit_code(mmwemu, tmp_path, trace_file, argv, code, message):
    (tmp_path / "cut.parquet").write_bytes(trace_file.read_bytes()[:500])
    (tmp_path / "bad.toml").write_text("format = 1\ndelay = 0.1\n")
    before = sorted(tmp_path.rglob("*"))
    got, _, err = mmwemu(*argv.split())
    assert got == code
    assert err.startswith(f"mmwemu: {message}")
    assert err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_trace_is_not_half_written_when_the_simulation_is_interrupted(mmwemu, tmp_path, monkeypatch):
    from mmwemu.simulate.ns3 import Ns3Engine

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ns3Engine, "simulate", interrupted)
    code, _, err = mmwemu("simulate", "s1", "--rat", "lte", "-o", "t.parquet")
    assert (code, err.splitlines()[-1]) == (130, "mmwemu: interrupted")
    assert list(tmp_path.iterdir()) == []


def test_traces_are_shown_drawn_and_compared(mmwemu, tmp_path, make_trace):
    parquet.save(make_trace([1] * 300 + [0] * 300), tmp_path / "a.parquet")
    parquet.save(make_trace([1] * 310 + [0] * 290, engine="other"), tmp_path / "b.parquet")
    code, out, _ = mmwemu("trace", "show", "a.parquet")
    assert code == 0
    assert "line of sight: 50.0 % of the time; changes at: 0.3 s" in out
    assert json.loads(mmwemu("trace", "show", "a.parquet", "--json")[1])["share"] == {"los": 0.5, "nlos": 0.5}
    assert mmwemu("trace", "plot", "a.parquet")[:2] == (0, "a.png\n")
    code, out, _ = mmwemu("trace", "compare", "a.parquet", "b.parquet", "--plot", "both.svg")
    assert code == 0
    assert "correlation of sinr_db: 0.9" in out
    assert (tmp_path / "both.svg").exists()
    both = json.loads(mmwemu("trace", "compare", "a.parquet", "b.parquet", "--json")[1])
    assert both["los_changes_s"] == [[0.3, 0.31]]
    assert both["second"]["meta"]["engine"] == "other"


def test_a_trace_is_imported_and_becomes_a_pattern(mmwemu, tmp_path):
    from tests.fuzz.good import DELIVERIES, RX_PACKETS

    (tmp_path / "rx.txt").write_text(RX_PACKETS)
    (tmp_path / "pdcp.txt").write_text(DELIVERIES)
    argv = ("trace", "import", "rx.txt", "--deliveries", "pdcp.txt", "--scenario", "s1", "-o", "t.parquet")
    assert mmwemu(*argv)[:2] == (0, "t.parquet\n")
    assert mmwemu("pattern", "build", "t.parquet", "--method", "window", "-o", "p.csv")[0] == 0


def test_each_of_several_ues_has_a_trace_and_a_picture(mmwemu, tmp_path, monkeypatch, make_trace):
    from mmwemu.simulate.ns3 import Ns3Engine

    monkeypatch.setattr(Ns3Engine, "simulate_ues", lambda *_: (make_trace([1] * 4), make_trace([0] * 4)))
    ue = "[[ues]]\nroute = [{ time_s = 0, position_m = [9, 9, 1] }]\n"
    top = 'format = 1\nname = "two"\nduration_s = 1\n[base_station]\nposition_m = [0, 0, 3]\n'
    (tmp_path / "two.toml").write_text(top + ue * 2)
    code, out, _ = mmwemu("simulate", "two.toml", "--rat", "mmwave", "--plot", "p.png")
    assert (code, out.splitlines()) == (0, ["two.mmwave.ue1.trace.parquet", "two.mmwave.ue2.trace.parquet"])
    code, out, _ = mmwemu("simulate", "two.toml", "--rat", "mmwave", "-o", "t.parquet")
    assert (code, out.splitlines()) == (0, ["t.ue1.parquet", "t.ue2.parquet"])
    assert sorted(path.name for path in tmp_path.glob("*.png")) == ["p.ue1.png", "p.ue2.png"]


def test_missing_tools_are_exit_code_3(mmwemu, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = mmwemu("run", "download", "--pattern", "s1-long-nlos.lte")
    assert code == 3
    assert err == "mmwemu: curl is not installed; install it: sudo apt-get install curl\n"


def test_sites_are_made_and_checked(mmwemu):
    code, out, _ = mmwemu("site", "make", "--objects", "30", "--bytes", "300kB", "--name", "shop", "-o", "shop")
    assert (code, out) == (0, mmwemu("site", "check", "shop")[1])
    assert out.startswith("shop: 30 objects (1 html, 2 css, 7 js, 20 image), 300 kB (300000 bytes), 4 hosts")
    assert json.loads(mmwemu("site", "check", "shop", "--json")[1])["size_bytes"] == 300_000


def test_modules_that_are_not_installed_are_exit_code_3(mmwemu, tmp_path, monkeypatch):
    from mmwemu.apps.shared.browser import modules

    monkeypatch.setattr(modules, "find_node", lambda: "node")
    monkeypatch.setattr(modules, "find_browser", lambda: "browser")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    code, _, err = mmwemu("run", "web", "--site", "google", "--pattern", "s1-long-nlos.lte")
    assert code == 3
    assert err.splitlines()[-1].endswith("JavaScript modules are not installed; install them: mmwemu web setup")


def test_doctor(mmwemu):
    code, out, _ = mmwemu("doctor", "--json")
    findings = json.loads(out)
    assert code == (3 if any(f["required"] and not f["found"] for f in findings) else 0)
    assert mmwemu("doctor")[1].startswith(" ")


def test_clean(mmwemu, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert mmwemu("clean")[0] == 0
    left = tmp_path / "results" / "x.in-progress"
    left.mkdir(parents=True)
    assert "kept unfinished results" in mmwemu("clean")[1]
    assert left.exists()
    mmwemu("clean", "--unfinished")
    assert not left.exists()
    drafts = [tmp_path / ".t-0123abcd.in-progress.parquet", tmp_path / "elsewhere" / ".site-0123abcd.in-progress"]
    for draft in drafts:
        draft.mkdir(parents=True)
    assert mmwemu("clean", "--dry-run", "elsewhere")[1].count("would remove") == 2
    assert mmwemu("clean")[1] == f"removed {drafts[0].name}\n"
    assert mmwemu("clean", "elsewhere")[1] == f"removed elsewhere/{drafts[1].name}\n"
    assert mmwemu("clean", "elsewhere")[1] == "nothing to clean\n"


@pytest.fixture
def sessions(monkeypatch):
    """Run no session of link; gives those that were asked for."""
    from mmwemu.study import session

    asked = []

    def run_session(asked_for, watch=None):
        asked.append(asked_for)
        return session.SessionResult(5, ("it was late",))

    monkeypatch.setattr(session, "run_session", run_session)
    return asked


LTE = ("--pattern", "s1-long-nlos.lte")


def test_a_session_is_as_asked_for(mmwemu, sessions):
    argv = ("--serve", "iperf3 -s", "--cc", "bbr", "--limit-s", 9, "--seed", 7, "--start-at", 2, "--start", "now")
    code, _, err = mmwemu("link", *LTE, *argv, "--", "sh", "-c", "exit 3")
    assert (code, err) == (5, "mmwemu: it was late\n")
    (session,) = sessions
    assert (session.argv, session.serve, session.congestion_control) == (("sh", "-c", "exit 3"), "iperf3 -s", "bbr")
    (settings,) = session.settings
    assert (session.limit_s, settings.seed, settings.start_at_s, settings.start) == (9.0, 7, 2.0, "now")
    assert (session.setup.topology.clients, session.setup.topology.core, session.outside) == (1, None, "")


def test_options_override_the_profile_of_a_link(mmwemu, sessions):
    for argv in (("--queue-packets", 100, "--link", "zhang2016-3mb"), ("--link", "zhang2016-3mb"), ()):
        mmwemu("link", *LTE, *argv, "--", "true")
    profiles = [session.settings[0] for session in sessions]
    assert [(one.delay_s, one.queue_bytes, one.queue_packets) for one in profiles] == [
        (0.020, 1_500_000, 100), (0.020, 3_000_000, None), (0.011, 1_500_000, None),
    ]  # fmt: skip


def test_topology_options_make_clients_and_an_edge(mmwemu, sessions):
    mmwemu("link", *LTE, "--clients", 3, "--scheduler", "round-robin", "--", "true")
    mmwemu("link", *LTE, "--pattern", "s2-crossings.lte", "--seed", 4, "--", "true")
    for argv in (("--edge",), ("--serve-edge", "cmd"), ("--core-rate", "1Gbit/s"), ("--core-loss", 0.1)):
        mmwemu("link", *LTE, *argv, "--", "true")
    shared, own, *with_edge = sessions
    assert (shared.setup.topology.clients, shared.setup.topology.shared) == (3, True)
    assert shared.settings[0].scheduler == "round-robin"
    assert (own.setup.topology.clients, own.setup.topology.shared) == (2, False)
    assert [settings.seed for settings in own.settings] == [4, 5]
    cores = [session.setup.topology.core for session in with_edge]
    assert [(core.rate_bps, core.loss) for core in cores] == [(math.inf, 0), (math.inf, 0), (1e9, 0), (math.inf, 0.1)]
    assert with_edge[1].serve_edge == "cmd"


@pytest.mark.parametrize(
    ("argv", "outside"), [(["--outside"], "any"), (["--outside-by", "pasta"], "pasta"), (["--backend", "tc"], "")]
)
def test_a_gateway_is_any_or_the_one_asked_for(mmwemu, sessions, argv, outside):
    assert mmwemu("link", *LTE, *argv, "--", "true")[0] == 5
    assert sessions[0].outside == outside


@pytest.fixture
def no_networks(monkeypatch):
    """Put a testbed without networks in the place of real ones."""
    from mmwemu.study import rooms

    @contextmanager
    def open_testbed(setup, _):
        yield fake_testbed(setup)

    monkeypatch.setattr(rooms, "open_testbed", open_testbed)


@pytest.mark.usefixtures("no_networks")
class TestRunCommand:
    SCRIPT = """echo "{\\"load_s\\": $MMWEMU_RUN.5, \\"page\\": \\"home\\"}" """

    def test_metrics_are_columns_a_table_and_a_picture(self, mmwemu, tmp_path):
        argv = ("--link", "zhang2016-3mb", "--queue-packets", 100, "--delay-ms", 0, "-n", 2, "-o", "r")
        code, out, err = mmwemu("run", "command", *LTE, *argv, "--", "sh", "-c", self.SCRIPT)
        assert (code, err) == (0, "mmwemu: command ...\n")
        assert out.splitlines()[-1] == "results: r"
        assert "load [s]" in out and "page" not in out
        runs = pd.read_parquet(tmp_path / "r" / "runs.parquet")
        assert runs["load_s"].tolist() == [1.5, 2.5]
        assert runs["page"].tolist() == ["home", "home"]
        assert set(runs["queue_packets"]) == {100} and set(runs["delay_s"]) == {0}
        names = sorted(path.name for path in (tmp_path / "r").iterdir())
        assert names == ["link.parquet", "manifest.json", "plots", "runs.parquet"]
        assert (tmp_path / "r" / "plots" / "metrics.png").exists()
        asked = json.loads((tmp_path / "r" / "manifest.json").read_text())["asked"]
        assert (asked["queue_packets"], asked["argv"][:2], asked["patterns"]) == (
            100,
            ["sh", "-c"],
            ["s1-long-nlos.lte"],
        )

    def test_results_are_json(self, mmwemu):
        argv = (*LTE, "--delay-ms", 0, "-n", 1, "--json", "-o", "r")
        code, out, _ = mmwemu("run", "command", *argv, "--", "sh", "-c", self.SCRIPT)
        found = json.loads(out)
        assert code == 0
        assert [group["metrics"]["load_s"]["mean"] for group in found["groups"]] == [1.5]
        assert (found["folder"], found["runs"][0]["page"], found["runs"][0]["core_rate_bps"]) == ("r", "home", None)

    def test_a_failed_run_is_exit_code_1_and_one_line(self, mmwemu):
        argv = (*LTE, "--delay-ms", 0, "-n", 2, "-o", "r")
        code, out, err = mmwemu("run", "command", *argv, "--", "sh", "-c", "echo no >&2; exit 3")
        assert (code, err.splitlines()[-1]) == (1, "mmwemu: 2 of 2 runs failed: exit code 3: no")
        assert "2 failed" in out

    def test_exit_codes_can_be_expected(self, mmwemu):
        argv = (*LTE, "--delay-ms", 0, "-n", 1, "-o", "r", "--expect-exit", 3)
        assert mmwemu("run", "command", *argv, "--", "sh", "-c", "exit 3")[0] == 0

    def test_several_at_once(self, mmwemu, tmp_path):
        apps = ("--app", "command -- sleep 0.2", "--app", f"command --at 0.1 -- sh -c '{self.SCRIPT}'")
        code, out, err = mmwemu("run", "mix", *LTE, "--delay-ms", 0, "-o", "r", *apps)
        assert code == 0, err
        assert [line.split()[1:4] for line in out.splitlines()[1:3]] == [["1", "command", "0"], ["1", "command", "0.1"]]
        assert "load_s 2.5" in out
        assert (tmp_path / "r" / "plots" / "mix-1.png").exists()


@pytest.mark.link
@pytest.mark.usefixtures("needs_link")
class TestLink:
    def link(self, tmp_path, *argv):
        (tmp_path / "p.csv").write_text(HEAD + "0,10000000,10000000\n")
        command = [*MMWEMU, "link", "--pattern", str(tmp_path / "p.csv"), *argv]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)

    @pytest.mark.parametrize("code", [0, 7])
    def test_the_exit_code_is_the_clients(self, tmp_path, code):
        assert self.link(tmp_path, "--", "sh", "-c", f"exit {code}").returncode == code

    def test_a_client_killed_by_a_signal(self, tmp_path):
        assert self.link(tmp_path, "--", "sh", "-c", "kill -TERM $$").returncode == 128 + 15

    def test_both_sides_find_each_other(self, tmp_path):
        server = 'sh -c "echo $MMWEMU_CLIENT > client.txt; exec sleep 20"'
        done = self.link(tmp_path, "--serve", server, "--", "sh", "-c", "ping -c 3 -i 0.2 -q $MMWEMU_SERVER")
        assert done.returncode == 0, done.stderr
        rtt_ms = float(done.stdout.rsplit("= ", 1)[1].split("/")[1])
        assert 22 <= rtt_ms <= 35
        assert (tmp_path / "client.txt").read_text().count(".") == 3

    def test_log_keeps_the_telemetry(self, tmp_path):
        argv = ("--log", "log", "--start", "now", "--", "sh", "-c", "ping -c 2 -i 0.2 -q $MMWEMU_SERVER")
        assert self.link(tmp_path, *argv).returncode == 0
        telemetry = pd.read_parquet(tmp_path / "log" / "link.parquet")
        assert telemetry.groupby("direction")["delivered_bytes"].sum().to_dict() == {"downlink": 168, "uplink": 168}

    def test_an_unknown_program(self, tmp_path):
        done = self.link(tmp_path, "--", "nosuchprogram")
        assert (done.returncode, done.stderr) == (2, "mmwemu: nosuchprogram: is not a program in PATH\n")

    def test_a_server_that_does_not_last_is_named(self, tmp_path):
        done = self.link(tmp_path, "--serve", "sh -c 'exit 5'", "--", "sleep", "0.5")
        assert done.returncode == 0
        assert "server ended before the client, with exit code 5" in done.stderr
        assert done.stderr.count("\n") == 1

    def test_results_are_json(self, tmp_path):
        (tmp_path / "p.csv").write_text(HEAD + "0,50000000,50000000\n")
        argv = [*MMWEMU, "run", "download", "--pattern", "p.csv", "--size", "500kB", "-n", "2", "--json", "-o", "r"]
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=60, cwd=tmp_path, env=os.environ | {"LC_ALL": "C"}
        )
        assert done.returncode in (0, 4), done.stderr
        result = json.loads(done.stdout)
        assert [run["status"] for run in result["runs"]] == ["ok", "ok"]
        names = sorted(p.name for p in (tmp_path / "r").iterdir())
        assert names == ["link.log", "link.parquet", "manifest.json", "plots", "runs.parquet"]


def test_a_campaign_that_is_finished_is_shown_again_without_a_cluster(mmwemu, tmp_path, make_trace):
    """With a state that lacks a column, and one seed, which has no interval."""
    from mmwemu.scenario import read
    from mmwemu.simulate.config import scenario_hash

    (tmp_path / "c/traces").mkdir(parents=True)
    trace = make_trace([1] * 150 + [0] * 150, throughput_bps=[1e6] * 300, engine="mmwemu-cell",
                       scenario_hash=scenario_hash(read.load("s1"), "mmwave"))  # fmt: skip
    trace = replace(trace, sinr_db=np.where(trace.los == 1, trace.sinr_db, np.nan))
    parquet.save(trace, tmp_path / "c/traces/s1-long-nlos.mmwave.seed-1.parquet")
    code, out, _ = mmwemu("simulate", "s1", "--rat", "mmwave", "--seeds", "1", "-o", "c")
    assert code == 0
    assert [line.split()[2:] for line in out.splitlines()[1:4]] == [
        ["all", "1", "30.00", "-", "-", "1.0", "-", "-"],
        ["los", "1", "30.00", "-", "-", "1.0", "-", "-"],
        ["nlos", "1", "-", "-", "-", "1.0", "-", "-"],
    ]
