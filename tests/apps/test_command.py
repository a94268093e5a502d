"""mmwemu run command: the user's own client, and perhaps server, over a real link."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.pattern.convert import constant
from tests.apps import running
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

# Takes connections and answers each with a line.
SERVER = """
import os, socket
listener = socket.create_server((os.environ["MMWEMU_SERVER"], 7000))
print("listening", flush=True)
while True:
    connection, _ = listener.accept()
    connection.sendall(b"hello\\n")
    connection.close()
"""
CLIENT = """
import json, os, socket, time
begin_s = time.monotonic()
with socket.create_connection((os.environ["MMWEMU_SERVER"], 7000)) as connection:
    words = connection.recv(100).decode().strip()
print("a line before the metrics")
print(json.dumps({"answer_s": time.monotonic() - begin_s, "words": words, "run_number": int(os.environ["MMWEMU_RUN"])}))
"""


@pytest.fixture
def run(tmp_path):
    """Run a command over 20 Mbit/s; return its exit code, the JSON it prints, and the lines on stderr."""
    pattern = running.saved(tmp_path, constant(20e6, 60.0))

    def run(*words, options=(), limit_s=20):
        argv = [*MMWEMU, "run", "command", "--pattern", pattern, "-o", tmp_path / "r", "--json", "-n", 1]
        argv += ["--limit-s", limit_s, *options, "--", *words]
        done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=60, cwd=tmp_path)
        # All but the line of progress.
        lines = [line for line in done.stderr.splitlines() if line != "mmwemu: command ..."]
        return done.returncode, json.loads(done.stdout) if done.stdout else None, lines

    return run


def read(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""


def shell(script):
    return ("sh", "-c", script)


def test_metrics_are_the_last_line_of_the_output_and_columns_of_the_results(run, tmp_path):
    for name, text in (("server", SERVER), ("client", CLIENT)):
        (tmp_path / f"{name}.py").write_text(text)
    serve = f"{sys.executable} {tmp_path}/server.py"
    options = ("-n", 3, "--serve", serve, "--keep")
    code, said, lines = run(sys.executable, tmp_path / "client.py", options=options)
    assert (code, lines) == (0, [])
    runs = pd.read_parquet(tmp_path / "r" / "runs.parquet")
    assert runs["run_number"].tolist() == runs["run"].tolist() == [1, 2, 3]
    assert set(runs["words"]) == {"hello"} and set(runs["status"]) == {"ok"} and set(runs["exit_code"]) == {0}
    # A connection and an answer are two round trips of 22 ms.
    assert runs["answer_s"].between(0.044, 0.2).all()
    assert (runs["duration_s"] > runs["answer_s"]).all()
    assert [one["answer_s"] for one in said["runs"]] == runs["answer_s"].tolist()
    assert (tmp_path / "r" / "plots" / "metrics.png").stat().st_size > 5_000
    assert (tmp_path / "r" / "commands" / "00002" / "stdout.txt").read_text().startswith("a line before")
    assert (tmp_path / "r" / "server.log").read_text() == "listening\n"


@pytest.mark.parametrize(
    ("options", "file"),
    [((), "$MMWEMU_METRICS"), (("--metrics", "own.json"), "own.json")],
    ids=lambda value: str(value),
)
def test_metrics_may_come_by_a_file_which_is_gone_when_it_was_read(run, tmp_path, options, file):
    script = f"""echo '{{"rate_bps": 5, "is_good": true, "note": null}}' > {file}; echo '{{"other": 1}}'"""
    code, said, lines = run(*shell(script), options=options)
    assert (code, lines) == (0, [])
    (one,) = said["runs"]
    assert (one["rate_bps"], one["is_good"], one["note"]) == (5, True, None)
    assert "other" not in one
    assert not (tmp_path / "own.json").exists()


def test_a_metrics_file_that_is_there_is_refused_first(run, tmp_path):
    (tmp_path / "own.json").write_text("{}")
    code, said, lines = run("touch", "ran", options=("--metrics", "own.json"))
    assert (code, said) == (2, None)
    assert lines == ["mmwemu: own.json: exists already and could be taken for a result; remove it first"]
    assert not (tmp_path / "ran").exists() and not list(tmp_path.glob("r*"))


def test_without_metrics_there_are_exit_code_and_duration(run):
    code, said, lines = run(*shell("sleep 0.3; echo '{no metrics'; exit 7"), options=("--expect-exit", 7))
    (one,) = said["runs"]
    assert (code, lines, one["status"], one["exit_code"]) == (0, [], "ok", 7)
    assert 0.3 <= one["duration_s"] < 1.0


@pytest.mark.parametrize(
    ("script", "options", "problem"),
    [
        ("echo 'no route' >&2; exit 3", (), "exit code 3: no route"),
        ("kill -SEGV $$", (), "exit code 139"),
        ("""echo '{"times_s": [1, 2]}'""", (),
         "the last line of the output: times_s: is list; must be a number, text, true, false or null"),
        ("""echo '{"Rate": 1}'""", (),
         "the last line of the output: Rate: is no name of a metric; use small letters, digits and underscores, with"
         " the unit: page_load_s"),
        ("""echo '{"duration_s": 1}'""", (),
         "the last line of the output: duration_s: is a column that every run has; choose another name"),
    ],
    ids=["exit code", "signal", "list", "name", "taken"],
)  # fmt: skip
def test_a_command_that_fails_is_a_failed_run_of_one_line(run, script, options, problem):
    code, said, lines = run(*shell(script), options=options)
    (one,) = said["runs"]
    assert (code, one["status"], one["error"]) == (1, "failed", problem)
    assert lines == [f"mmwemu: 1 of 1 runs failed: {problem}"]


def test_a_metrics_file_that_is_not_written_is_a_failed_run(run):
    code, said, _ = run("true", options=("--metrics", "own.json"))
    (one,) = said["runs"]
    assert (code, one["status"]) == (1, "failed")
    assert one["error"].endswith("own.json: cannot be read: No such file or directory")


@pytest.mark.parametrize("options", [(), ("--serve", "nosuch-program --port 1")], ids=["client", "server"])
def test_a_program_that_is_not_there_is_refused_first(run, tmp_path, options):
    code, said, lines = run("true" if options else "nosuch-program", options=options)
    assert (code, said, lines) == (2, None, ["mmwemu: nosuch-program: is not a program in PATH"])
    assert not list(tmp_path.glob("r*"))


def test_the_limit_ends_a_command_and_all_that_it_started_and_is_a_result(run, tmp_path):
    mark = f"{tmp_path}/mark"
    code, said, lines = run(*shell(f"tail -f /dev/null {mark} 2>/dev/null & wait"), limit_s=1.0)
    (one,) = said["runs"]
    assert mark.encode() not in b"".join(read(path) for path in Path("/proc").glob("[0-9]*/cmdline"))
    assert (code, lines, one["status"], one["exit_code"], one["duration_s"]) == (0, [], "timeout", None, 1.0)


@pytest.mark.parametrize(("words", "told"), [("echo broken >&2; ", ": broken"), ("", "")], ids=["words", "none"])
def test_a_server_that_does_not_start_is_one_line(run, words, told):
    code, said, lines = run("true", options=("--serve", f"sh -c '{words}exit 5'"))
    assert (code, said) == (1, None)
    assert lines == [f"mmwemu: the server ended with exit code 5{told}"]


def test_a_server_that_dies_is_one_line_and_runs_so_far_are_kept(run, tmp_path):
    serve = f"sh -c 'until [ -e {tmp_path}/second ]; do sleep 0.05; done; echo enough; exit 6'"
    stop = f'[ $MMWEMU_RUN = 2 ] && touch {tmp_path}/second && sleep 0.5; echo "{{}}"'
    code, said, lines = run(*shell(stop), options=("-n", 3, "--serve", serve))
    assert (code, said) == (1, None)
    assert lines == ["mmwemu: the server ended with exit code 6: enough"]
    (folder,) = tmp_path.glob("r.in-progress*")
    assert len(list((folder / "parts").glob("run-*.json"))) == 2


def test_no_command_is_a_usage_error(run):
    code, said, _ = run()
    assert (code, said) == (2, None)
