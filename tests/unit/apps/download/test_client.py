import pytest

from mmwemu.apps.download.client import interpret

RESULT = {
    "exitcode": 0,
    "errormsg": None,
    "size_download": 2_000_000,
    "time_total": 0.5,
    "time_connect": 0.022,
    "time_starttransfer": 0.045,
}


def test_a_whole_file():
    done = interpret(RESULT, 2_000_000)
    assert (done.status, done.error, done.goodput_bps) == ("ok", "", pytest.approx(32e6))
    assert (done.connect_s, done.ttfb_s) == (0.022, 0.045)


def test_a_short_file_is_a_failure():
    done = interpret(RESULT, 2_000_001)
    assert (done.status, done.goodput_bps) == ("failed", None)
    assert done.error == "received 2000000 of 2000001 bytes"


def test_the_time_limit_is_a_result():
    done = interpret(RESULT | {"exitcode": 28, "errormsg": "Operation timed out"}, 2_000_000_000)
    assert (done.status, done.goodput_bps) == ("timeout", pytest.approx(32e6))


def test_no_connection_is_a_failure_without_times():
    refused = {"exitcode": 7, "errormsg": "Failed to connect", "size_download": 0, "time_total": 0.01}
    done = interpret(RESULT | refused | {"time_connect": 0, "time_starttransfer": 0}, 5)
    assert (done.status, done.error, done.goodput_bps) == ("failed", "Failed to connect", None)
    assert done.connect_s is None
    assert done.ttfb_s is None
