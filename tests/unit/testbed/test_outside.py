import os
import shutil

import pytest

from mmwemu.core.errors import InputError, MissingError
from mmwemu.testbed import outside
from mmwemu.testbed.setup import Setup
from tests.fakes import fake_testbed


@pytest.mark.parametrize(("user", "package"), [(0, "slirp4netns"), (1000, r"passt \(or slirp4netns\)")])
def test_without_a_tool_it_says_how_to_get_one(monkeypatch, user, package):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(MissingError, match=f"install it: sudo apt-get install {package}") as caught:
        outside._first_tool()
    assert caught.value.exit_code == 3


def test_root_is_not_given_pasta(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name, **_: f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert outside._first_tool() == "slirp4netns"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert outside._first_tool() == "pasta"


def test_an_unknown_way_is_refused():
    with pytest.raises(InputError, match="outside: is 'tor'; must be one of nat, pasta, slirp4netns"):
        with outside.open_outside(fake_testbed(), "tor"):
            pass


def test_another_backend_is_refused():
    with pytest.raises(InputError, match="backend tc: cannot provide the real network; use --backend tun"):
        with outside.open_outside(fake_testbed(Setup(backend="tc"))):
            pass
