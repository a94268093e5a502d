import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from mmwemu.apps import registry
from mmwemu.cli import doctor
from mmwemu.cli.main import _code
from mmwemu.core.errors import InputError
from mmwemu.core.requirements import Requirement, requirement


@pytest.fixture(scope="module")
def findings():
    return doctor._examine()


def test_every_gap_comes_with_a_remedy(findings):
    known = {"user namespaces", "TUN device", "mmwemu-link", "mmwemu-cell", "nginx", "curl", "iperf3", "ffmpeg", "node"}
    assert known | {"qdisc netem", "TCP cubic", "mitmproxy", "g++"} <= {f.what for f in findings}
    for finding in findings:
        assert bool(finding.remedy) != finding.found, finding
        assert finding.detail, finding


def test_the_required_come_first(findings):
    required = [finding.required for finding in findings]
    assert required == sorted(required, reverse=True)


def test_a_missing_program_is_found_missing(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    node = next(f for f in doctor._examine() if f.what == "node")
    assert (node.found, node.remedy) == (False, "sudo apt-get install nodejs npm")


@pytest.fixture
def only_applications(monkeypatch):
    """Let the doctor look at applications only, those of a table of names and requirements or errors."""
    monkeypatch.setattr("mmwemu.testbed.requirements.examine", list)
    monkeypatch.setattr("mmwemu.simulate.registry.names", list)
    monkeypatch.setattr("mmwemu.rays.requirements.examine", list)

    def use(applications):
        def load(name):
            if isinstance(applications[name], Exception):
                raise applications[name]
            return SimpleNamespace(requirements=lambda: applications[name])

        monkeypatch.setattr(registry, "names", lambda: list(applications))
        monkeypatch.setattr(registry, "load", load)

    return use


def test_a_broken_application_is_an_absence_and_the_others_are_looked_at(only_applications):
    broken = InputError("application chat, of chatty", "cannot be loaded: OSError: no")
    only_applications({"chat": broken, "mine": [requirement("talker", "run mine", "1.0", "")]})
    chat, talker, *_ = doctor._examine()
    assert (chat.what, chat.found, chat.remedy) == ("application chat, of chatty", False, broken.problem)
    assert (talker.what, talker.detail) == ("talker", "1.0")


@pytest.mark.parametrize(("required", "code"), [(True, 3), (False, 0)])
def test_only_what_the_main_job_needs_is_exit_code_3(only_applications, capsys, required, code):
    only_applications({"mine": [requirement("talker", "run mine", None, "install it", required=required)]})
    assert _code(["doctor", "--json"]) == code
    found = next(each for each in json.loads(capsys.readouterr().out) if each["what"] == "talker")
    assert (found["found"], found["detail"], found["remedy"]) == (False, "not there", "install it")


def test_what_several_parts_need_is_listed_once():
    there = Requirement("nginx", "run a", False, True, "1.22", "")
    both = doctor._merged([there, replace(there, what="curl"), replace(there, needed_for="run b", required=True)])
    assert [(one.what, one.needed_for, one.required) for one in both] == [
        ("nginx", "run a, run b", True), ("curl", "run a", False),
    ]  # fmt: skip
