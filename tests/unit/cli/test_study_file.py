"""Study files: what they make, and every rule that they can break."""

import re
from dataclasses import asdict
from pathlib import Path

import click
import pytest

from mmwemu.apps import registry
from mmwemu.cli import study_file
from mmwemu.cli.main import main
from mmwemu.cli.run import verb_of
from mmwemu.core.errors import InputError

HEAD = 'format = 1\nname = "mine"\n'
PATTERN = 'pattern = "s1-long-nlos.lte"\n'


def read(text):
    return study_file.read(text, "s.toml")


def one(text, top=""):
    (experiment,) = read(f"{HEAD}{PATTERN}{top}\n[[run]]\n{text}").experiments
    return experiment


def test_a_study_is_a_list_of_run_commands_with_common_settings():
    study = read(
        HEAD
        + """
        pattern = ["s1-long-nlos.mmwave", "s1-long-nlos.lte"]
        repetitions = 30
        seed = 7
        retries = 2
        cc = ["cubic", "bbr"]
        delay-ms = [5, 11.5]

        [[run]]
        application = "download"
        size = ["2MB", "20MB"]
        start-at = [0, 1, 2]

        [[run]]
        application = "web"
        site = "google"
        pattern = "s4-outage.lte"
        start-random = "0-20"
        repetitions = 5
        cc = "reno"
        """
    )
    download, web = study.experiments
    assert (study.name, study.seed, study.retries) == ("mine", 7, 2)
    assert download.parts[0].application.sizes_bytes == (2_000_000, 20_000_000)
    assert download.patterns == ("s1-long-nlos.mmwave", "s1-long-nlos.lte")
    assert (download.plan.repetitions, download.plan.starts_at_s, download.plan.seed) == (30, (0.0, 1.0, 2.0), 7)
    assert download.plan.vary == {"congestion_control": ("cubic", "bbr"), "delay_s": (0.005, 0.0115)}
    assert (web.parts[0].application.name, web.patterns) == ("web", ("s4-outage.lte",))
    assert (web.plan.repetitions, web.plan.start_between_s) == (5, (0.0, 20.0))
    assert web.plan.congestion_control == "reno" and set(web.plan.vary) == {"delay_s"}
    assert len(study.replays) == 30 * 2 * 2 * 2 * 2 * 3 + 5 * 2


def test_what_a_run_says_displaces_the_other_form_of_it_at_the_top():
    assert one('application = "download"\nstart-at = 3', 'start-random = "0-20"').plan.start_between_s is None
    assert one('application = "download"\nqueue-ms = 50', "queue-packets = 9").plan.queue_packets is None
    assert one('application = "download"', "queue-packets = 9").plan.queue_packets == 9


def test_flags_arguments_and_mixes_stand_in_a_study_too():
    flags = one('application = "web"\nsite = "cnn"\nkeep = true\necn = true\naqm = "codel"')
    assert flags.parts[0].application.keep and flags.plan.ecn
    assert one('application = "web"\nsite = "cnn"\nkeep = false\necn = false').plan.ecn is False
    assert one('application = "command"\nargv = ["ls", "-l"]').parts[0].application.argv == ("ls", "-l")
    mix = one('application = "mix"\napp = ["download --size 1MB", "flow --at 2"]')
    assert [part.offset_s for part in mix.parts] == [0.0, 2.0]
    assert mix.title == "download + flow"


@pytest.mark.parametrize("name", registry.names())
def test_a_run_without_settings_is_that_of_the_verb(name, monkeypatch, tmp_path):
    """Defaults are written once: a study and a command line give equal applications and plans."""
    required = {"web": ["--site", "cnn"], "command": ["true"]}.get(name, [])
    asked = []
    monkeypatch.setattr("mmwemu.study.conduct.conduct", lambda *given, **_: asked.append(given) or 1 / 0)
    verb = verb_of(name, registry.load(name))
    with pytest.raises(ZeroDivisionError):
        verb.main(["--pattern", "s1-long-nlos.lte", *required], standalone_mode=False)
    own = {"web": 'site = "cnn"', "command": 'argv = "true"'}.get(name, "")
    found = one(f'application = "{name}"\n{own}')
    assert (found.parts[0].application, asdict(found.plan)) == (asked[0][0], asdict(asked[0][2]))


def test_every_option_that_plans_runs_is_a_key():
    for name in registry.names():
        keys = study_file.keys_of(study_file.parameters_of_run(name))
        options = {
            max(option.opts, key=len).removeprefix("--")
            for option in verb_of(name, registry.load(name)).params
            if isinstance(option, click.Option)
        }
        assert options - set(keys) == {"output", "json", "average", "exclude-cpu-bound"}


RUN = '[[run]]\napplication = "download"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s.toml: format: is missing; it is required"),
        ("format = 2", "s.toml: format: is 2; this mmwemu reads up to 1: install a newer mmwemu"),
        ("x", "s.toml: is not valid TOML: "),
        ("format = 1", "s.toml: name: is missing; it is required"),
        ('format = 1\nname = "a b"', "s.toml: name: is 'a b'; must be at most 64 letters"),
        (HEAD, "s.toml: run: is missing; a study has at least one [[run]]"),
        (HEAD + "run = 3", "s.toml: run: must be an array of tables: [[run]]"),
        (HEAD + "retries = 101\n" + RUN, "s.toml: retries: is 101; must be at most 100"),
        (HEAD + "patterns = 1\n" + RUN, "s.toml: patterns: is not a known key; did you mean pattern?"),
        (HEAD + 'size = "2MB"\n' + RUN, "s.toml: size: is not a known key; "),
        (HEAD + 'output = "x"\n' + RUN, "s.toml: output: is not a known key; "),
        (HEAD + "seed = -1\n" + RUN, "s.toml: seed: '-1' is not a whole number from 0 to 4611686018427387903"),
        (HEAD + "[[run]]", "s.toml: run[0].application: is missing; it is required"),
        (
            HEAD + '[[run]]\napplication = "nosuch"',
            "s.toml: run[0].application: is 'nosuch'; must be one of ",
        ),
        (HEAD + RUN, "s.toml: run[0].pattern: is missing; it is required"),
        (HEAD + PATTERN + RUN + RUN + "sise = 3", "s.toml: run[1].sise: is not a known key; did you mean size?"),
        (
            HEAD + PATTERN + RUN + "size = []",
            "s.toml: run[0].size: is an empty list; leave the key out",
        ),
        (
            HEAD + PATTERN + RUN + "size = {}",
            "s.toml: run[0].size: is {}; must be a text, a number",
        ),
        (HEAD + PATTERN + RUN + "size = true", "s.toml: run[0].size: is True; must be a text, a number, or a list of"),
        (HEAD + PATTERN + RUN + "limit-s = [1, 2]", "s.toml: run[0].limit-s: is [1, 2]; must be one value"),
        (HEAD + PATTERN + RUN + "limit-s = 0", "s.toml: run[0].limit-s: '0' is not a number above 0, up to 2592000 s"),
        (HEAD + PATTERN + RUN + "limit-s = nan", "s.toml: run[0].limit-s: 'nan' is not a number above 0"),
        (HEAD + PATTERN + RUN + "edge = 1", "s.toml: run[0].edge: is 1; must be true or false"),
        (HEAD + PATTERN + RUN + 'fill = "zero"', "s.toml: run[0].fill: 'zero' is not one of 'sparse', 'random'"),
        (HEAD + PATTERN + RUN + 'size = "0"', "s.toml: run[0].size: is '0'; must be from 1 byte to 1000 TB"),
        (HEAD + PATTERN + RUN + 'cc = ["a,b", "c"]', "s.toml: run[0].cc: is ['a,b', 'c']; give each value as one item"),
        (HEAD + PATTERN + RUN + 'start-random = "9-1"', "s.toml: run[0].start-random: '9-1' is not two times in s"),
        (
            HEAD + PATTERN + RUN + 'link = "nosuch"',
            "s.toml: run[0]: link profile nosuch: is no file",
        ),
        (HEAD + PATTERN + RUN + "repetitions = 0", "s.toml: run[0].repetitions: '0' is not a whole number from 1"),
        (
            HEAD + PATTERN + RUN + "repetitions = 2026-01-01",
            "s.toml: run[0].repetitions: is datetime.date(",
        ),
        (
            HEAD + PATTERN + '[[run]]\napplication = "mix"\napp = "nosuch"',
            "s.toml: run[0].app: 'nosuch' starts",
        ),
        (
            HEAD + PATTERN + '[[run]]\napplication = "mix"\napp = "download"',
            "s.toml: run[0]: download: has several cases; what runs beside others can have one",
        ),
        (HEAD + PATTERN + '[[run]]\napplication = "command"', "s.toml: run[0].argv: is missing; it is required"),
    ],
)
def test_what_breaks_a_rule_is_told_with_file_key_and_rule(text, message):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_pattern_that_is_not_there_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "s.toml").write_text(HEAD + 'pattern = "nosuch"\n' + RUN)
    for verb in (["show"], ["run", "--dry-run"], ["run"]):
        with pytest.raises(SystemExit) as caught:
            main(["study", *verb, str(tmp_path / "s.toml")])
        error = capsys.readouterr().err
        assert caught.value.code == 2
        assert error.startswith("mmwemu: ") and "run[0].pattern: nosuch: is neither a file" in error
        assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.toml"]


def test_paths_are_relative_to_the_file(tmp_path, capsys, monkeypatch):
    from mmwemu.pattern.convert import constant
    from mmwemu.pattern.formats import native

    native.save(constant(1e6, 5), tmp_path / "p.csv")
    (tmp_path / "s.toml").write_text(HEAD + 'pattern = "p.csv"\n' + RUN)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(SystemExit) as caught:
        main(["study", "show", "../s.toml"])
    assert caught.value.code == 0
    assert "study mine: planned" in capsys.readouterr().out


def test_the_study_on_the_page_of_the_format_can_be_read():
    page = Path(__file__).parents[3] / "docs" / "formats" / "study.md"
    (text,) = re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)
    assert [experiment.title for experiment in read(text).experiments] == ["download", "web", "download + web"]
