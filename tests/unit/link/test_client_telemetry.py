"""The telemetry of the clients of a cell."""

import math
import os

import numpy as np
import pytest

from mmwemu.link.client_telemetry import RECORD, cell_capacity_bytes
from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.link.telemetry import _KEPT_BINS, TelemetryFile
from mmwemu.link.telemetry import RECORD as LINK_RECORD
from tests.patterns import make_pattern

CELL = LinkSettings(make_pattern([8e6]), scheduler="round-robin", others=(make_pattern([24e6]),), clients=2)


def records(*bins):
    """Return records in which the uplink is idle: for each bin, granted bytes and airtime [ms] of both clients."""
    found = np.zeros((len(bins), 2, 2), RECORD)
    for i, of_clients in enumerate(bins):
        for k, (granted, airtime_ms) in enumerate(of_clients):
            found["granted_bytes"][i, 0, k] = granted
            found["airtime_ns"][i, 0, k] = airtime_ms * 1_000_000
    return found


def capacity(found, backlogged):
    edges_s = np.arange(len(found) + 1) * 0.01
    waits = np.array([[one, False] for one in backlogged])
    return cell_capacity_bytes(found, waits, resolve(CELL), edges_s)


def test_capacity_is_what_was_granted_and_where_the_cell_was_idle_the_mean_of_its_clients():
    found = capacity(records([(4000, 4), (18000, 6)], [(4000, 4), (0, 0)], [(0, 0), (0, 0)]), [True, False, False])
    assert found[:, 0].tolist() == pytest.approx([22000, 4000 + 0.6 * 20000, 20000])
    assert found[:, 1].tolist() == pytest.approx([20000] * 3)


def test_in_an_outage_of_those_who_wait_there_is_no_capacity():
    assert capacity(records([(0, 0), (0, 0)]), [True])[0, 0] == 0


def test_unlimited_rates_are_no_number():
    assert math.isinf(capacity(records([(2**32 - 1, 0), (0, 0)]), [False])[0, 0])


def test_the_file_has_a_row_for_each_bin_direction_and_client():
    file = TelemetryFile(2)
    try:
        os.pwrite(file.fd, np.array([10**9, 10**9 + 30_000_000]).tobytes(), 0)
        found = np.zeros((3, 2, 2), RECORD)
        found["delivered_bytes"] = np.arange(12).reshape(3, 2, 2)
        found["airtime_ns"] = 1_500_000
        os.pwrite(file.fd, found.tobytes(), 4096 + 2 * _KEPT_BINS * LINK_RECORD.itemsize)
        frame = file.read_clients()
        assert frame["delivered_bytes"].tolist() == list(range(12))
        assert frame["client"].tolist() == [1, 2] * 6
        assert frame["direction"].tolist() == ["downlink", "downlink", "uplink", "uplink"] * 3
        assert frame["time_s"].tolist() == pytest.approx([0] * 4 + [0.01] * 4 + [0.02] * 4)
        assert set(frame["airtime_s"]) == {0.0015}
        assert file.read_clients(0.01)["delivered_bytes"].tolist() == list(range(4, 12))
        assert len(file.read(resolve(CELL))) == 6
    finally:
        file.close()


def test_without_a_cell_there_are_no_rows():
    file = TelemetryFile()
    try:
        os.pwrite(file.fd, np.array([10**9, 10**9 + 30_000_000]).tobytes(), 0)
        assert len(file.read_clients()) == 0
    finally:
        file.close()
