import shutil
import subprocess
import tempfile

import pytest

from mmwemu.core.errors import MissingError, MmwemuError
from mmwemu.testbed.proxies import haproxy, interception
from mmwemu.testbed.proxies.proxy import Edge, ProgramProxy
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CoreLink, Topology
from tests.fakes import fake_testbed


@pytest.fixture
def edge():
    place = fake_testbed(Setup(Topology(core=CoreLink()))).edge
    return Edge(place, [place.address])


@pytest.fixture
def start():
    with tempfile.TemporaryFile() as log:
        yield lambda script: ProgramProxy("it", subprocess.Popen(["sh", "-c", script], stderr=log), log)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 3", "it ended with exit code 3"),
        ("echo one >&2; echo two >&2; exit 1", "it ended with exit code 1: two"),
        ("kill -TERM $$", "it was ended by SIGTERM"),
    ],
)
def test_a_proxy_says_how_it_ended(start, script, why):
    proxy = start(script)
    proxy.process.wait()
    assert proxy.end() == why


def test_a_proxy_that_runs_has_no_end(start):
    proxy = start("sleep 60")
    assert proxy.end() == ""
    proxy.process.kill()
    proxy.process.wait()


@pytest.mark.parametrize(("tool", "package"), [("nft", "nftables"), ("ip", "iproute2"), ("haproxy", "haproxy")])
def test_what_is_not_installed_is_named_with_its_package(edge, monkeypatch, tool, package):
    real = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **where: None if name == tool else real(name, **where) or name)
    with pytest.raises(MissingError) as caught, haproxy.open_haproxy(edge):
        pass
    assert str(caught.value) == f"{tool} is not installed; install it: sudo apt-get install {package}"


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ("echo 'Feature list : -TPROXY'", MissingError, "was built without TPROXY"),
        ("[ $1 = -vv ] && echo +TPROXY || { echo 'no such option' >&2; exit 1; }", MmwemuError,
         "haproxy ended with exit code 1: no such option"),
    ],
)  # fmt: skip
def test_a_haproxy_that_cannot_serve_is_refused(edge, monkeypatch, tmp_path, script, error, message):
    own = tmp_path / "haproxy"
    own.write_text(f"#!/bin/sh\n{script}\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(error, match=message), haproxy.open_haproxy(edge):
        pass


def test_a_kernel_that_does_not_intercept_is_told_in_its_words(edge, monkeypatch):
    monkeypatch.setattr(interception, "find_tools", lambda: ("/bin/false", "/bin/false"))
    with pytest.raises(
        MissingError, match="this kernel does not intercept TCP for a proxy: 1; get it with: sudo modprobe"
    ):
        interception.intercept(edge, 1)


def test_the_rules_leave_the_edges_own_addresses_alone():
    text = interception.rules(["10.77.0.1", "10.77.1.2"], 4242)
    assert "ip daddr { 10.77.0.1, 10.77.1.2 } return" in text
    assert "tproxy to :4242" in text
