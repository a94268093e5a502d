import pytest

from mmwemu.testbed.kernel import namespace_switch, read_sysctl


def test_a_setting_is_read():
    assert read_sysctl("kernel.ostype") == "Linux"
    assert read_sysctl("kernel.nosuch") is None


@pytest.mark.parametrize(
    ("name", "value", "good"),
    [
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user.max_net_namespaces", "0", "15000"),
    ],
)
def test_a_switch_that_stands_in_the_way_has_a_remedy(name, value, good):
    switch = namespace_switch({name: value}.get)
    assert (switch.name, switch.value, switch.remedy) == (name, value, f"sudo sysctl -w {name}={good}")
    assert namespace_switch({name: good}.get) is None
