import subprocess

import pytest

from mmwemu.core.errors import InputError
from mmwemu.testbed.place import environment
from tests.fakes import fake_testbed


def test_the_environment_is_completed_and_never_replaced(monkeypatch):
    monkeypatch.setenv("MINE", "1")
    assert environment({}, {"A": "2"}).items() >= {"MINE": "1", "A": "2"}.items()
    assert environment({"env": {"B": "3"}}, {"A": "2"}) == {"B": "3", "A": "2"}
    assert environment({"env": {"A": "3"}}, {"A": "2"}) == {"A": "2"}
    assert environment({"env": {}}, {"A": "2"}) == {"A": "2"}


def test_programs_are_told_the_addresses():
    client = fake_testbed().client
    echo = ["sh", "-c", "echo $MMWEMU_CLIENT $MMWEMU_SERVER $MMWEMU_NUMBER:$MMWEMU_EDGE:"]
    program = client.popen(echo, stdout=subprocess.PIPE, text=True)
    assert program.communicate()[0] == "127.0.0.2 127.0.0.1 1::\n"


def test_a_program_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="nosuchprogram: is not a program in PATH"):
        fake_testbed().client.popen(["nosuchprogram"])
