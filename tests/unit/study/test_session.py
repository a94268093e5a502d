import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.core.errors import InputError, InterruptedRunError
from mmwemu.core.files import locked_folder
from mmwemu.link.settings import LinkSettings
from mmwemu.study import session as sessions
from mmwemu.study.session import Session, run_session
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CoreLink, Topology
from tests.fakes import fake_link, fake_testbed
from tests.patterns import make_pattern
from tests.unit.testbed.test_setup import MACHINES

SETTINGS = (LinkSettings(make_pattern([1e6])),)
NO_FOLDER = "cannot be written: its folder does not exist"


@pytest.fixture
def nothing_is_made(monkeypatch):
    def open_testbed(*_):
        raise AssertionError("a testbed was made")

    monkeypatch.setattr(sessions, "open_testbed", open_testbed)


@pytest.mark.usefixtures("nothing_is_made")
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"serve_edge": "cmd"}, "edge: there is none to run a server at; it needs a core link"),
        (
            {"outside": "any", "setup": Setup(backend="tc")},
            "backend tc: cannot provide the real network; use --backend tun",
        ),
        (
            {"outside": "nat", "setup": Setup(machines=MACHINES)},
            "the real network: cannot be had with other machines as client or server",
        ),
        (
            {"tcp_file": "t.parquet", "setup": Setup(machines=MACHINES)},
            "TCP state: cannot be had with other machines as client or server",
        ),
        ({"tcp_file": "no/t.parquet"}, f"no/t.parquet: {NO_FOLDER}"),
        (
            {"packet_files": ("p.parquet",), "setup": Setup(backend="tc")},
            "backend tc: cannot provide packets; use --backend tun",
        ),
        ({"packet_files": ("p.csv",)}, "p.csv: must end in .parquet or .pcapng"),
        ({"packet_files": ("p.parquet", "no/p.pcapng")}, f"no/p.pcapng: {NO_FOLDER}"),
        ({"log_dir": "file/log"}, "file/log: cannot be made: Not a directory"),
        ({"log_dir": "file"}, "file: cannot be made: File exists"),
    ],
)
def test_what_cannot_be_had_is_refused_before_anything_is_made(tmp_path, monkeypatch, asked, message):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    for name in ("tcp_file", "log_dir"):
        if name in asked:
            asked = asked | {name: Path(asked[name])}
    asked = asked | {"packet_files": tuple(map(Path, asked.get("packet_files", ())))}
    with pytest.raises(InputError) as caught:
        run_session(Session(argv=["true"], settings=SETTINGS, **asked))
    assert str(caught.value) == message
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.fixture
def run(monkeypatch):
    """Give a runner of a shell script as the client of a fake testbed; it gives the result and the testbed."""

    def run(script, watch=None, **asked):
        made = []

        @contextmanager
        def open_testbed(setup, _):
            made.append(fake_testbed(setup))
            yield made[-1]

        monkeypatch.setattr(sessions, "open_testbed", open_testbed)
        asked = {"settings": SETTINGS} | asked
        return run_session(Session(argv=["sh", "-c", script], **asked), watch), made[0]

    return run


def test_the_exit_code_is_the_commands(run):
    assert run("exit 7")[0] == sessions.SessionResult(7, ())
    assert run("kill -TERM $$")[0].exit_code == 128 + 15
    assert run("exit 0")[0].exit_code == 0


def test_the_first_exit_code_that_is_not_0_counts(run):
    setup = Setup(Topology(3))
    assert run('[ "$MMWEMU_NUMBER" = 1 ] || exit $MMWEMU_NUMBER', setup=setup)[0].exit_code == 2


def test_a_limit_ends_the_command_and_says_so(run):
    result, _ = run("sleep 30", limit_s=0.2)
    assert result.exit_code == 124
    assert result.warnings == ("the command did not end within 0.2 s",)


def test_the_replay_starts_when_packets_can_be_recorded(run, tmp_path):
    _, testbed = run("true", packet_files=(tmp_path / "p.parquet",))
    first, second = fake_link(testbed).packets
    assert first is None and second is not None
    assert (tmp_path / "p.parquet").exists()


def test_each_link_has_its_settings(run):
    settings = tuple(LinkSettings(make_pattern([rate_bps])) for rate_bps in (1e6, 2e6))
    _, testbed = run("true", settings=settings, setup=Setup(Topology(2, shared=False)))
    assert [fake_link(testbed, number).started[-1] for number in (1, 2)] == list(settings)


def test_servers_that_end_early_are_named(run):
    setup = Setup(Topology(core=CoreLink()))
    result, _ = run("sleep 0.3", serve="sh -c 'exit 5'", serve_edge="sh -c 'exit 6'", setup=setup)
    assert result.warnings == (
        "the program at the server ended before the client, with exit code 5",
        "the program at the edge ended before the client, with exit code 6",
    )


@pytest.mark.parametrize(
    ("command", "problem"), [("it's", '"it\'s": no closing quotation'), (" ", "' '; must name a program")]
)
def test_a_server_that_is_no_command_is_refused(run, command, problem):
    with pytest.raises(InputError, match=f"the program at the server: is {problem}"):
        run("true", serve=command)
    with pytest.raises(InputError, match=f"the program at the edge: is {problem}"):
        run("true", serve_edge=command, setup=Setup(Topology(core=CoreLink())))


def test_telemetry_is_kept_and_an_invalid_link_is_told(run, tmp_path, monkeypatch):
    result, _ = run("true", log_dir=tmp_path / "deep" / "log")
    assert result.warnings == ()
    assert len(pd.read_parquet(tmp_path / "deep" / "log" / "link.parquet")) == 200
    bad = fake_testbed()
    bad.start(*SETTINGS)
    frame = bad.links[1].telemetry()
    frame.loc[0, "dropped_device_packets"] = 1
    monkeypatch.setattr("tests.fakes.FakeLink.telemetry", lambda *_: frame)
    assert run("true")[0].warnings == ("the link was not valid: 1 packets were lost at the devices, not in the link",)
    two = run("true", setup=Setup(Topology(2, shared=False)))[0].warnings
    assert two[0].startswith("a link was not valid: access link 1: 1 packets")


def test_who_watches_is_called_meanwhile(run):
    ticks = []

    @contextmanager
    def watch(testbed):
        assert len(fake_link(testbed).started) == 2
        yield lambda: ticks.append(time.monotonic())
        ticks.append("left")

    run("sleep 0.45", watch)
    assert ticks[-1] == "left"
    assert 3 <= len(ticks) - 1 <= 6


@pytest.fixture
def _sigint():
    """Let Ctrl-C be handled as in a shell's foreground."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@contextmanager
def ctrl_c(testbed, times):
    """Press Ctrl-C for this process a number of times."""
    left = iter(range(times))
    yield lambda: [os.kill(os.getpid(), signal.SIGINT) for _ in [next(left, None)] if _ is not None]


@pytest.mark.usefixtures("_sigint")
def test_ctrl_c_is_for_the_command(run):
    assert run("sleep 0.35; exit 9", lambda testbed: ctrl_c(testbed, 1))[0].exit_code == 9


@pytest.mark.usefixtures("_sigint")
def test_ctrl_c_twice_ends_a_command_that_ignores_it(run):
    begin_s = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run("trap '' INT TERM; exec sleep 60", lambda testbed: ctrl_c(testbed, 2))
    assert time.monotonic() - begin_s < 20


@pytest.mark.usefixtures("_sigint")
def test_what_was_measured_is_kept_when_a_session_is_interrupted(run, tmp_path):
    with pytest.raises(InterruptedRunError, match=f"interrupted; the telemetry is kept in {tmp_path}/log") as caught:
        run("exec sleep 60", lambda testbed: ctrl_c(testbed, 2), log_dir=tmp_path / "log")
    assert caught.value.exit_code == 130
    assert (tmp_path / "log" / "link.parquet").is_file()


def test_two_sessions_cannot_log_into_one_folder(run, tmp_path):
    with locked_folder(tmp_path / "log"), pytest.raises(InputError, match="is being written by another process"):
        run("true", log_dir=tmp_path / "log")
    assert run("true", log_dir=tmp_path / "log")[0].exit_code == 0
