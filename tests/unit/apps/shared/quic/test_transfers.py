import os
import time
from pathlib import Path

import pytest

from mmwemu.apps.shared.quic import ngtcp2
from mmwemu.apps.shared.quic.arrival import Counter
from mmwemu.apps.shared.quic.transfers import Asked, Ready, Transfers, fetching, serving
from mmwemu.apps.shared.webserver.certificate import Certificates
from mmwemu.core.errors import MissingError, MmwemuError
from tests.fakes import fake_testbed

ASKED = Asked(2, 1000, "reno", 20.0)
CERTIFICATES = Certificates(Path("/key"), {ngtcp2.NAME: Path("/cert")}, "")

# Binds its port as the server does, the last but one word but two.
SERVER = """#!{python}
import socket, sys, time
s = socket.socket(type=socket.SOCK_DGRAM)
s.bind((sys.argv[-4], int(sys.argv[-3])))
time.sleep(30)
"""
CLIENT = """#!/bin/sh
for word in "$@"; do case $word in --download=*) folder=${word#--download=};; esac; done
printf 12345 > $folder/1000
sleep 0.2
echo "the handshake failed" >&2
exit 1
"""


def write(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def ready(tmp_path):
    server = write(tmp_path / "gtlsserver", SERVER.format(python=os.sys.executable))
    return Ready(ngtcp2.Programs(server, write(tmp_path / "gtlsclient", CLIENT)), CERTIFICATES)


def test_each_transfer_has_a_server_and_a_client_and_what_came_is_counted(ready):
    testbed = fake_testbed()
    begin_s = time.monotonic()
    with serving(testbed.server, ASKED, ready, 3) as servers, fetching(testbed.client, servers) as transfers:
        assert list(servers.folders) == [10_384, 10_385]
        for one in transfers.each:
            assert one.client.wait(10) == 1
        assert [one.why_ended() for one in transfers.each] == ["the connection ended: the handshake failed"] * 2
        assert [one.local for one in transfers.each] == ["127.0.0.1:10384", "127.0.0.1:10385"]
        transfers.read_logs()
        assert [one.states for one in transfers.each] == [[], []]
    assert transfers.counter.arrived.received_bytes == 10
    assert begin_s < transfers.counter.arrived.first_s < transfers.counter.arrived.latest_s
    assert not next(iter(servers.folders.values())).exists()


def test_a_server_that_does_not_start_is_an_error_and_nothing_is_left(ready, tmp_path):
    broken = Ready(ngtcp2.Programs(write(tmp_path / "broken", "#!/bin/sh\nexit 7\n"), ""), CERTIFICATES)
    with (
        pytest.raises(MmwemuError, match="did not start: exit code 7"),
        serving(fake_testbed().server, ASKED, broken, 1),
    ):
        pytest.fail("must not be reached")


def test_the_counter_takes_all_that_a_pipe_holds(tmp_path):
    counter = Counter([tmp_path / "a", tmp_path / "b"], 10**9)
    counter.start()
    assert counter.arrived.first_s is None
    with (tmp_path / "a").open("wb") as first, (tmp_path / "b").open("wb") as second:
        for _ in range(40):
            first.write(bytes(100_000))
            second.write(bytes(50_000))
    counter.stop()
    assert [one.received_bytes for one in counter.each] == [4_000_000, 2_000_000]
    assert counter.arrived.received_bytes == 6_000_000


def test_the_counter_notes_when_the_last_awaited_byte_came(tmp_path):
    counter = Counter([tmp_path / "a"], 1_000_000)
    counter.start()
    with (tmp_path / "a").open("wb", buffering=0) as pipe:
        pipe.write(bytes(900_000))
        time.sleep(0.05)
        assert counter.arrived.received_bytes == 900_000
        begin_s = time.monotonic()
        pipe.write(bytes(100_000))
        end_s = time.monotonic()
        time.sleep(0.1)
    counter.stop()
    assert counter.arrived.received_bytes == 1_000_000
    assert begin_s < counter.arrived.latest_s < end_s + 0.05
    assert counter.arrived.first_s < begin_s


def test_dropped_datagrams_say_so():
    assert Transfers([], None).held_up_because == ""
    said = "3 datagrams came faster than the QUIC client read them, and were dropped"
    assert Transfers([], None, 3).held_up_because == said


def test_the_commands_say_what_is_asked():
    programs = ngtcp2.Programs("/s", "/c")
    server = ngtcp2.server_command(
        programs, "10.0.0.1", 5, certificates=CERTIFICATES, logs=Path("/l"), congestion_control="bbr", idle_s=20.0
    )
    assert server[-4:] == ["10.0.0.1", "5", "/key", "/cert"]
    assert {"--cc=bbr", "--qlog-dir=/l", "--timeout=20s", "--handshake-timeout=20s"} <= set(server)
    client = ngtcp2.client_command(programs, "10.0.0.1", 5, 77, folder=Path("/f"), idle_s=20.0)
    assert client[-3:] == ["10.0.0.1", "5", "https://mmwemu.test:5/77"]
    assert "--download=/f" in client


def test_without_the_programs_their_packages_are_named(monkeypatch):
    monkeypatch.setattr("mmwemu.core.process.shutil.which", lambda *_, **__: None)
    with pytest.raises(MissingError) as caught:
        ngtcp2.find()
    assert "apt-get install ngtcp2-server ngtcp2-client" in caught.value.remedy
    programs, room = ngtcp2.examine("x")
    assert (programs.found, programs.remedy) == (False, "sudo apt-get install ngtcp2-server ngtcp2-client")
    assert room.detail.endswith(" bytes")


@pytest.mark.parametrize(("room", "found"), [("212992", False), ("4194304", True), (None, False)])
def test_a_small_receive_buffer_is_told(monkeypatch, room, found):
    monkeypatch.setattr("mmwemu.apps.shared.quic.ngtcp2.read_sysctl", lambda _: room)
    told = ngtcp2.examine("x")[1]
    assert (told.found, bool(told.remedy)) == (found, not found)
