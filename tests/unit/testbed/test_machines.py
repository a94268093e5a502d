import pytest

from mmwemu.core.errors import InputError
from mmwemu.testbed.machines import Machine


@pytest.mark.parametrize(
    ("interface", "address", "message"),
    [
        ("lo", "192.0.2.300/24", "interface: has the address '192.0.2.300/24': Octet 300"),
        ("lo", "", "interface: has the address '': Address cannot be empty"),
        ("lo", "192.0.2.1", "interface: has the address 192.0.2.1; it needs the length of its prefix, as in /24"),
        ("nosuch0", "192.0.2.1/24", "interface: is 'nosuch0'; this machine has none of that name"),
    ],
)
def test_what_cannot_be_used_is_refused(interface, address, message):
    with pytest.raises(InputError) as caught:
        Machine("me@192.0.2.9", interface, address)
    assert str(caught.value).startswith(message)


def test_a_machine_has_a_gateway_and_an_address():
    machine = Machine("me@192.0.2.9", "lo", "192.0.2.1/24")
    assert (machine.gateway, machine.resolve()) == ("192.0.2.1", "192.0.2.9")
    with pytest.raises(InputError, match=r"no\.such\.host\.invalid: has no address"):
        Machine("me@no.such.host.invalid", "lo", "192.0.2.1/24").resolve()


@pytest.mark.parametrize(
    "login", ["-oProxyCommand=x", "me@-x", "-x@host", "me@", "", "a b@host", "me@host\n", "me@\x1b[1m"]
)
def test_a_login_that_is_an_option_or_no_name_is_refused(login):
    with pytest.raises(InputError, match="must be HOST or USER@HOST"):
        Machine(login, "lo", "192.0.2.1/24")
