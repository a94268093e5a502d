"""What is missing in a container is named with the option of its engine."""

import os

import pytest

from mmwemu.testbed import container, requirements
from mmwemu.testbed.container import Container
from mmwemu.testbed.missing import missing_error

NO_FILE, EPERM, EACCES = (os.strerror(number) for number in (2, 1, 13))
DEVICE, CALLS = "--device /dev/net/tun", "--security-opt seccomp=unconfined"

HOSTS = "24 1 0:22 / /proc rw - proc proc rw\n40 30 254:1 /containers/1/hosts /etc/hosts rw - ext4 /dev/a rw\n"


@pytest.mark.parametrize(
    ("files", "variables", "engine"),
    [
        ([], {}, None),
        ([".dockerenv", "proc/self/mountinfo"], {}, "docker"),
        ([".dockerenv"], {}, None),
        (["run/.containerenv"], {"container": "podman"}, "podman"),
        ([], {"container": "podman"}, "podman"),
        ([], {"container": "lxc"}, "lxc"),
        ([], {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
    ],
)
def test_a_container_is_known_by_its_signs(tmp_path, files, variables, engine):
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(HOSTS)
    found = container.current(tmp_path, variables)
    assert (found and found.engine) == engine


@pytest.mark.parametrize(
    ("engine", "kind", "text", "remedy"),
    [
        ("docker", "tun", f"open /dev/net/tun: {NO_FILE}", DEVICE),
        ("docker", "tun-access", f"open /dev/net/tun: {EPERM}", DEVICE),
        ("docker", "tun-access", f"open /dev/net/tun: {EACCES}", "on the computer around this container, allow it"),
        ("docker", "namespaces", f"unshare CLONE_NEWUSER: {EPERM}", CALLS),
        ("docker", "namespaces", f"mount / as slave: {EACCES}", "--security-opt apparmor=unconfined"),
        ("podman", "namespaces", f"mount / as slave: {EACCES}", "--security-opt label=disable"),
        ("lxc", "tun", f"open /dev/net/tun: {NO_FILE}", f"{DEVICE} (or what does the same)"),
    ],
)
def test_each_lack_has_its_option(engine, kind, text, remedy):
    error = missing_error(kind, text, sysctl={}.get, inside=lambda: Container(engine))
    assert error.exit_code == 3
    assert remedy in error.remedy
    assert text in error.what and "\n" not in str(error)


def test_a_switch_of_the_kernel_is_the_computers_not_the_containers():
    switches = {"user.max_user_namespaces": "0"}
    error = missing_error("namespaces", "unshare: x", sysctl=switches.get, inside=lambda: Container("docker"))
    assert error.remedy.startswith("on the computer around this container, allow them with: sudo sysctl -w user.max")


def test_settings_that_are_closed_are_told(monkeypatch):
    monkeypatch.setattr(requirements, "_settings_are_closed", lambda: False)
    assert requirements.settings_note() == ""
    monkeypatch.setattr(requirements, "_settings_are_closed", lambda: True)
    for engine, option in (("docker", "systempaths=unconfined"), ("podman", "unmask=ALL")):
        monkeypatch.setattr(container, "current", lambda engine=engine: Container(engine))
        assert requirements.settings_note().endswith(f"start the container with --security-opt {option}")
        assert option in requirements._network_settings().remedy
