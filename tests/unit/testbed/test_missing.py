import os

import pytest

from mmwemu.testbed.missing import missing_error


@pytest.mark.parametrize(
    ("switch", "value", "remedy"),
    [
        ("kernel.unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        (
            "kernel.apparmor_restrict_unprivileged_userns",
            "1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("user.max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
    ],
)
def test_a_switch_that_is_off_is_named_with_its_command(switch, value, remedy):
    error = missing_error("namespaces", "unshare: EPERM", sysctl={switch: value}.get, inside=lambda: None)
    assert error.exit_code == 3
    assert f"{switch} = {value} (unshare: EPERM)" in error.what
    assert error.remedy.endswith(remedy)


@pytest.mark.parametrize(("user", "remedy"), [(0, "in a container"), (1000, "run as root; in a container")])
def test_without_a_switch_the_container_is_named(monkeypatch, user, remedy):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    error = missing_error("namespaces", "unshare: EPERM", sysctl={}.get, inside=lambda: None)
    assert str(error).startswith(f"namespaces cannot be made: unshare: EPERM; {remedy}")


def test_the_tun_device_has_a_command_for_each_lack(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert missing_error("tun", "t", inside=lambda: None).remedy.startswith("load it with: sudo modprobe tun")
    assert missing_error("tun-access", "t", inside=lambda: None).remedy == "allow it with: sudo chmod 0666 /dev/net/tun"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "--device /dev/net/tun" in missing_error("tun-access", "t", inside=lambda: None).remedy


@pytest.mark.parametrize("qdisc", ["netem", "tbf"])
def test_a_missing_qdisc_is_named_with_its_use_and_its_command(qdisc):
    error = missing_error(qdisc, "a delay of 11 ms")
    assert error.exit_code == 3
    assert error.what == f"this kernel has no {qdisc}, which backend tc needs for a delay of 11 ms"
    assert error.remedy.startswith(f"get it with: sudo modprobe sch_{qdisc}, or use --backend tun")
    assert ("--delay-ms 0" in error.remedy) == (qdisc == "netem")
