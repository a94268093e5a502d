import os
import shutil

import pytest

from mmwemu.core.errors import InputError, MissingError
from mmwemu.testbed import outside
from mmwemu.testbed.backends.tun import TunTestbed
from mmwemu.testbed.fake import FakeTestbed
from mmwemu.testbed.resolver import choose


@pytest.mark.parametrize(
    ("texts", "loopback", "chosen"),
    [
        (["nameserver 192.0.2.1\n"], None, None),
        (["nameserver 127.0.0.53\n", "nameserver 192.0.2.1\nsearch a b\n"], None, "nameserver 192.0.2.1\nsearch a b\n"),
        (["nameserver fe80::1%eth0\nnameserver 192.0.2.1\noptions ndots:2\n"], None,
         "nameserver 192.0.2.1\noptions ndots:2\n"),
        (["nameserver 127.0.0.1\n"], "10.78.0.1", "nameserver 10.78.0.1\n"),
        (["nameserver ::1\n", "# none\n"], None, ""),
        ([], None, ""),
    ],
)  # fmt: skip
def test_name_servers_are_those_that_can_be_reached(texts, loopback, chosen):
    assert choose(texts, loopback) == chosen


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
    testbed = object.__new__(TunTestbed)
    with pytest.raises(InputError, match="outside: is 'tor'; must be one of nat, pasta, slirp4netns"), \
            outside.open_outside(testbed, "tor"):  # fmt: skip
        pass


def test_another_backend_is_refused():
    with pytest.raises(InputError, match="outside: works with backend tun only"), outside.open_outside(FakeTestbed()):
        pass
