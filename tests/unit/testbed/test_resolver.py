import pytest

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
