import time
from types import SimpleNamespace

import pytest

from mmwemu.apps.download import http3
from mmwemu.apps.download.application import Downloads
from mmwemu.apps.download.explained import extent
from mmwemu.apps.download.settings import DownloadSettings
from mmwemu.apps.shared.quic.arrival import Arrived
from mmwemu.apps.shared.quic.transfers import Transfers
from mmwemu.core.errors import InputError
from tests.records import download


class Client:
    """A client that has a socket at once, and ends after a number of looks."""

    pid = 1

    def __init__(self, looks=10**9):
        self.looks = looks

    def poll(self):
        self.looks -= 1
        return 1 if self.looks < 0 else None


class Counter:
    """Moments of what has come, in s after the beginning; the last one stays."""

    def __init__(self, *moments):
        self.moments = list(moments)
        self.begin_s = time.monotonic()

    @property
    def arrived(self):
        received, first_s, latest_s = self.moments.pop(0) if len(self.moments) > 1 else self.moments[0]
        first_s = first_s if first_s is None else self.begin_s + first_s
        return Arrived(received, first_s, self.begin_s + latest_s)


@pytest.fixture(autouse=True)
def _connected(monkeypatch):
    monkeypatch.setattr(http3, "has_socket", lambda pid: pid == 1)


def transfers(counter, client=None):
    one = SimpleNamespace(client=client or Client(), read_log=lambda: None, why_ended=lambda: "for the test")
    return Transfers([one], counter)


def test_times_count_from_the_socket_to_the_last_byte():
    done = http3.receive(transfers(Counter((0, None, 0.0), (10, 0.3, 0.3), (1000, 0.3, 0.5))), 1000, 9.0)
    assert (done.status, done.error, done.received_bytes, done.connect_s) == ("ok", "", 1000, None)
    assert done.duration_s == pytest.approx(0.5, abs=0.05)
    assert done.ttfb_s == pytest.approx(0.3, abs=0.05)
    assert done.goodput_bps == pytest.approx(8000 / done.duration_s)


def test_the_limit_ends_a_download():
    begin_s = time.monotonic()
    done = http3.receive(transfers(Counter((400, 0.005, 0.01))), 1000, 0.2)
    assert (done.status, done.received_bytes, done.duration_s) == ("timeout", 400, 0.2)
    assert done.goodput_bps == 16_000
    assert done.error == "not complete within 0.2 s"
    assert 0.2 <= time.monotonic() - begin_s < 5


def test_a_beginning_that_was_missed_is_a_failure():
    done = http3.receive(transfers(Counter((1000, -0.01, 0.0))), 1000, 9.0)
    assert (done.status, done.goodput_bps, done.ttfb_s) == ("failed", None, None)
    assert done.error == "data came before the beginning of the connection was seen: the machine was too busy"


def test_a_client_that_ends_early_is_a_failure_once_what_it_wrote_is_counted():
    counter = Counter((7, 0.005, 0.0), (7, 0.005, 0.0), (9, 0.005, 60.0))
    done = http3.receive(transfers(counter, Client(1)), 1000, 9.0)
    assert (done.status, done.error, done.received_bytes, done.goodput_bps) == ("failed", "for the test", 9, None)


def test_each_size_is_fetched_by_each_protocol():
    both = Downloads((5, 7), protocols=("http", "h3"))
    assert both.cases == (
        DownloadSettings(5), DownloadSettings(7), DownloadSettings(5, "h3"), DownloadSettings(7, "h3"),
    )  # fmt: skip
    assert (both.uses_tcp, list(both.congestion_controls)) == (False, ["cubic", "reno", "bbr"])
    assert (Downloads().uses_tcp, Downloads().congestion_controls) == (True, None)
    assert str(DownloadSettings(2_000_000, "h3")) == "2 MB, h3"


@pytest.mark.parametrize(
    ("protocols", "problem"),
    [((), "protocol: has no value; at least one is needed"), (("h3", "h3"), "protocol: names h3 twice")],
)
def test_protocols_that_make_no_sense_are_refused(protocols, problem):
    with pytest.raises(InputError) as caught:
        Downloads(protocols=protocols)
    assert str(caught.value) == problem


def test_what_went_over_quic_cannot_be_explained():
    row = {"protocol": "h3", "connect_s": None, "duration_s": 1.0}
    with pytest.raises(InputError, match="protocol h3: cannot be explained"):
        extent(row, 0.02)
    assert extent(vars(download(1)), 0.02).lead_s == 0.0
