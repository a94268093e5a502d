"""Commands on a testbed without networks."""

import sys
import time

import pytest

from mmwemu.apps.application import Context
from mmwemu.apps.command.application import Command
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link.profile import LinkProfile
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import Topology
from tests.fakes import fake_testbed


@pytest.fixture
def run(tmp_path):
    """Give a runner of a shell script as the client; it gives the columns of the run."""
    results = tmp_path / "results"
    results.mkdir()
    testbed = fake_testbed()
    context = Context(testbed, testbed.client, LinkProfile(), None, results)

    def run(script, number=1, prepared=None, **asked):
        if prepared is None:
            (tmp_path / "content").mkdir(exist_ok=True)
            prepared = Command(("sh", "-c", script), **asked).prepare(tmp_path / "content")
        (case,) = prepared.asked.cases
        prepared.before(context, case)
        went = []
        columns = prepared.run(context, case, number, lambda: went.append(True)).columns
        assert went == [True]
        return columns

    run.context, run.content, run.results = context, tmp_path / "content", results
    return run


def test_a_command_that_ends_well_reports_its_metrics(run):
    columns = run("""echo begin; sleep 0.1; echo '{"load_s": 0.5, "page": "home"}'""")
    assert (columns["status"], columns["error"], columns["exit_code"]) == ("ok", "", 0)
    assert columns["metrics"] == {"load_s": 0.5, "page": "home"}
    assert 0.1 <= columns["duration_s"] < 5
    assert columns["command"].startswith("sh -c 'echo begin; sleep")


def test_it_finds_the_addresses_and_the_number_of_the_run(run):
    script = """echo "{\\"where\\": \\"$MMWEMU_CLIENT $MMWEMU_SERVER\\", \\"of_run\\": $MMWEMU_RUN}" """
    assert run(script, number=7)["metrics"] == {"where": "127.0.0.2 127.0.0.1", "of_run": 7}


def test_metrics_may_be_in_a_file(run, tmp_path, monkeypatch):
    assert run("""echo '{"a": 1}' > $MMWEMU_METRICS; echo done""")["metrics"] == {"a": 1}
    monkeypatch.chdir(tmp_path)
    assert run("""echo '{"a": 2}' > own.json""", 2, metrics_file="own.json")["metrics"] == {"a": 2}
    assert not (tmp_path / "own.json").exists()
    missing = run("""echo '{"a": 3}'""", 3, metrics_file="own.json")
    assert (missing["status"], missing["error"]) == ("failed", "own.json: cannot be read: No such file or directory")


def test_metrics_that_are_no_file_are_no_metrics(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("mkfifo $MMWEMU_METRICS")["error"].endswith("metrics.json: is no file")
    assert run("mkfifo own.json", 2, metrics_file="own.json")["error"] == "own.json: is no file"
    assert run("ln -s /etc/passwd own.json", 3, metrics_file="own.json")["error"].startswith(
        "own.json: is not valid JSON"
    )
    with pytest.raises(MmwemuError, match="cannot be removed: Is a directory"):
        run("mkdir own.json", 4, metrics_file="own.json")


@pytest.mark.parametrize("first", ["exit 3", "sleep 30"])
def test_metrics_of_an_earlier_run_are_not_taken_for_those_of_a_later_one(run, tmp_path, first):
    run.content.mkdir()
    file = tmp_path / "own.json"
    script = f"""[ $MMWEMU_RUN = 2 ] || {{ echo '{{"a": 1}}' > {file}; {first}; }}"""
    prepared = Command(("sh", "-c", script), metrics_file=str(file), limit_s=0.3).prepare(run.content)
    assert run("", 1, prepared)["metrics"] == {}
    assert run("", 2, prepared)["error"] == f"{file}: cannot be read: No such file or directory"


def test_a_file_of_metrics_that_is_there_already_is_refused(tmp_path):
    file = tmp_path / "own.json"
    file.write_text("{}")
    with pytest.raises(InputError) as caught:
        Command(("true",), metrics_file=str(file)).prepare(tmp_path)
    assert str(caught.value) == f"{file}: exists already and could be taken for a result; remove it first"
    assert file.read_text() == "{}"


def test_several_clients_cannot_share_a_file_of_metrics(run):
    run.content.mkdir()
    testbed = fake_testbed(Setup(Topology(2)))
    context = Context(testbed, testbed.client, LinkProfile(), None, run.results)
    with pytest.raises(InputError, match=r"m\.json: would be written by all clients; let each write to the file that"):
        Command(("true",), metrics_file="m.json").prepare(run.content).before(context, "true")


def test_an_exit_code_is_a_failure_unless_it_is_expected(run):
    columns = run("echo no server >&2; exit 3")
    assert (columns["status"], columns["error"], columns["exit_code"]) == ("failed", "exit code 3: no server", 3)
    assert run("echo out; exit 3", 2)["error"] == "exit code 3: out"
    assert run("exit 3", 3)["error"] == "exit code 3"
    assert run("exit 3", 4, expected_exit_codes=(0, 3))["status"] == "ok"
    assert run("kill -TERM $$", 5)["exit_code"] == 128 + 15


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (Command(("nosuchprogram",)), "nosuchprogram: is not a program in PATH"),
        (Command(("true",), serve="nosuchprogram -p 80"), "nosuchprogram: is not a program in PATH"),
        (Command(("true",), serve="it's"), 'serve: is "it\'s": no closing quotation'),
        (Command(("true",), serve=" "), "serve: is ' '; must name a program"),
    ],
)
def test_a_program_that_is_not_there_is_refused_before_anything_is_made(tmp_path, command, message):
    with pytest.raises(InputError) as caught:
        command.prepare(tmp_path)
    assert str(caught.value) == message


def test_the_limit_ends_all_that_the_command_started(run, tmp_path):
    script = f"sh -c 'sleep 1; touch {tmp_path}/late' & sleep 30"
    begin_s = time.monotonic()
    columns = run(script, limit_s=0.2)
    assert (columns["status"], columns["error"], columns["exit_code"]) == ("timeout", "", None)
    assert columns["duration_s"] == columns["limit_s"] == 0.2
    assert time.monotonic() - begin_s < 2
    time.sleep(1.1)
    assert not (tmp_path / "late").exists()


def test_metrics_that_cannot_be_kept_are_a_failed_run(run):
    columns = run("""echo '{"Load": 1}'""")
    assert columns["status"] == "failed"
    assert columns["error"].startswith("the last line of the output: Load: is no name of a metric")
    assert columns["metrics"] == {}


def test_a_metric_that_changes_its_kind_is_a_failed_run(run):
    run.content.mkdir()
    prepared = Command(("sh", "-c", """echo "{\\"a\\": $([ $MMWEMU_RUN = 1 ] && echo 1 || echo true)}" """))
    prepared = prepared.prepare(run.content)
    assert run("", 1, prepared)["status"] == "ok"
    assert run("", 2, prepared)["error"] == "metric a: is true or false; it was a number in an earlier run"


def test_output_is_kept_on_request(run):
    run("echo out; echo err >&2", keep=True)
    kept = run.results / "commands" / "00001"
    assert {path.name: path.read_text() for path in kept.iterdir()} == {"stdout.txt": "out\n", "stderr.txt": "err\n"}
    run("echo out", 2)
    assert not (run.results / "commands" / "00002").exists()


def test_the_server_starts_once_and_has_to_last(run):
    run.content.mkdir()
    serve = f"{sys.executable} -c \"print('serving', flush=True); import time; time.sleep(60)\""
    prepared = Command(("true",), serve=serve).prepare(run.content)
    try:
        assert run("", 1, prepared)["status"] == run("", 2, prepared)["status"] == "ok"
        assert (run.results / "server.log").read_text() == "serving\n"
    finally:
        prepared._server.kill()
        prepared._server.wait()
    with pytest.raises(MmwemuError, match="the server ended with exit code -9: serving"):
        run("", 3, prepared)


def test_a_server_that_does_not_start_is_named_with_its_last_words(run):
    run.content.mkdir()
    prepared = Command(("true",), serve="sh -c 'echo no port; exit 4'").prepare(run.content)
    with pytest.raises(MmwemuError, match="the server ended with exit code 4: no port"):
        run("", 1, prepared)


def test_a_command_that_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="command: is missing; give it after --"):
        Command(())
    for limit_s, shown in ((0.0, "0"), (2_592_000.5, "2592000.5")):
        with pytest.raises(InputError) as caught:
            Command(("true",), limit_s=limit_s)
        assert str(caught.value) == f"limit: is {shown} s; must be above 0 and at most 2592000"
    assert Command(("true",), limit_s=2_592_000.0).limit_s == 2_592_000
