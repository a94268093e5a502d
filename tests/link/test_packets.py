"""Each packet that meets a real link is written down."""

import os
import shutil
import subprocess
import sys
import time

import pandas as pd
import pytest

from mmwemu.core.errors import MmwemuError
from mmwemu.link.packet_table import to_table
from mmwemu.link.packets import PacketLog
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.testbed import open_testbed
from tests.programs import MMWEMU

pytestmark = pytest.mark.link

FIVE_PACKETS = """
import os, socket, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(5):
    sock.sendto(bytes(100), (os.environ["MMWEMU_SERVER"], 9))
time.sleep(0.3)
"""


def counts(table):
    """Give packets and bytes by direction and ending, as the bins name them."""
    frame = table.to_pandas()
    what = frame["drop"].astype(object).where(frame["drop"].notna(), frame["kind"].astype(object))
    grouped = frame.groupby([frame["direction"].astype(str), what])["size_bytes"].agg(["count", "sum"])
    return {key: tuple(map(int, row)) for key, row in zip(grouped.index, grouped.to_numpy(), strict=True)}


def counts_of_bins(frame):
    columns = {"packet": "delivered", "copy": "duplicated", "damaged": "damaged"}
    columns |= {cause: f"dropped_{cause}" for cause in ("queue", "aqm", "loss", "outage", "device")}
    totals = frame.groupby("direction").sum(numeric_only=True)
    found = {
        (direction, name): (int(row[f"{column}_packets"]), int(row[f"{column}_bytes"]))
        for direction, row in totals.iterrows()
        for name, column in columns.items()
    }
    return {key: value for key, value in found.items() if value != (0, 0)}


@pytest.mark.parametrize("headers", [True, False])
def test_packets_agree_with_the_bins_and_with_the_model(pattern, ask, tmp_path, headers):
    effects = {"duplication": 0.01, "bit_error": 1e-7}
    settings = LinkSettings(
        pattern([30e6, 8e6, 0], step_s=0.3, loss=0.005, delay_s=0.003, effects=effects, outage="drop"),
        delay_s=0.005, queue_packets=30, aqm="codel", ecn=True, slot_s=0.001,
    )  # fmt: skip
    with PacketLog(tmp_path, headers=headers) as log, open_testbed() as testbed:
        testbed.start(settings, packets={1: log})
        ask(testbed.server, "tcp_source", wait=False)
        ask(testbed.client, "tcp_goodput", 0.5, 2)
        # What is on its way counts in neither.
        bins = testbed.telemetry()
        testbed.links[1].finish_packets()
        table = to_table(log.records(), settings.delay_s)
        time.sleep(0.2)  # the bins end where what is on its way left the bottleneck
        late = testbed.telemetry()
    before, after = counts_of_bins(bins), counts_of_bins(late)
    found = counts(table)
    assert {("downlink", name) for name in ("packet", "queue", "loss", "outage", "copy")} <= set(found)
    for key, (packets, size_bytes) in found.items():
        assert before.get(key, (0, 0))[0] <= packets <= after[key][0]
        assert before.get(key, (0, 0))[1] <= size_bytes <= after[key][1]
    frame = table.to_pandas()
    down = frame[(frame["direction"] == "downlink") & frame["delivery_s"].notna()].sort_values("departure_s")
    assert ((down["arrival_s"] - down["sent_s"]) - 0.005).abs().max() < 1e-9
    assert down["number"].is_monotonic_increasing
    # The link served one segment after the other: 1500 bytes take 0.4 ms at 30 Mbit/s.
    gaps_s = down[down["kind"] == "packet"]["departure_s"].diff().dropna()
    assert gaps_s.min() >= 0.00001 and (gaps_s[down["size_bytes"] == 1500].round(6) == 0.0004).mean() > 0.3
    assert down["propagation_delay_s"].between(0.008, 0.009 + 1e-9).all()


def interface(place):
    """Return bytes and packets that a device received and sent."""
    inside = place.popen(["cat", "/proc/net/dev"], stdout=subprocess.PIPE, text=True)
    line = next(line for line in inside.communicate(timeout=20)[0].splitlines() if line.strip().startswith(place.role))
    numbers = [int(word) for word in line.split(":")[1].split()]
    return (numbers[0], numbers[1]), (numbers[8], numbers[9])


def test_devices_count_what_bins_and_log_have(pattern, ask, tmp_path):
    settings = LinkSettings(pattern([2e6], loss=0.1), delay_s=0.002, queue_packets=20, start="now")
    with PacketLog(tmp_path, headers=False) as log, open_testbed() as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        testbed.start(settings, packets={1: log})
        places = {place.role: place for place in testbed.places}
        before = {role: interface(place) for role, place in places.items()}
        ask(testbed.client, "udp_stream", 200, 0.0005, 500)
        after = {role: interface(place) for role, place in places.items()}
        bins = testbed.telemetry().groupby("direction").sum(numeric_only=True)
        testbed.links[1].finish_packets()
        frame = to_table(log.records(), settings.delay_s).to_pandas()
    for direction, sender, receiver in (("uplink", "client", "server"), ("downlink", "server", "client")):
        # The device's sending is the engine's reading, and the other way round.
        came = [a - b for a, b in zip(after[sender][1], before[sender][1], strict=True)]
        left = [a - b for a, b in zip(after[receiver][0], before[receiver][0], strict=True)]
        assert came == [bins.loc[direction, "offered_bytes"], bins.loc[direction, "offered_packets"]]
        assert left == [bins.loc[direction, "delivered_bytes"], bins.loc[direction, "delivered_packets"]]
        mine = frame[frame["direction"] == direction]
        assert came == [mine["size_bytes"].sum(), len(mine)]
        assert left == [mine[mine["drop"].isna()]["size_bytes"].sum(), mine["drop"].isna().sum()]
    assert bins.loc["uplink", "dropped_queue_packets"] > 0 and bins.loc["uplink", "dropped_loss_packets"] > 0


def test_the_verb_writes_both_forms(tmp_path):
    files = [tmp_path / "p.parquet", tmp_path / "p.pcapng"]
    argv = [*MMWEMU, "link", "--pattern", "s1-long-nlos.mmwave", "--start", "now"]
    argv += [word for file in files for word in ("--packets", str(file))]
    subprocess.run([*argv, "--", sys.executable, "-c", FIVE_PACKETS], check=True, timeout=60)
    frame = pd.read_parquet(files[0])
    up = frame[frame["direction"] == "uplink"]
    assert up["size_bytes"].tolist() == [128] * 5 and up["drop"].isna().all()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.parquet", "p.pcapng"]
    if shutil.which("tshark"):
        tshark = [
            "tshark",
            "-r",
            str(files[1]),
            "-Y",
            "udp.dstport == 9 and not icmp",
            "-T",
            "fields",
            "-e",
            "frame.comment",
        ]
        lines = subprocess.run(tshark, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
        assert len(lines) == 5 and all("delivered at" in line for line in lines)


def test_other_backends_say_that_they_cannot(tmp_path):
    argv = [*MMWEMU, "link", "--backend", "tc", "--delay-ms", "0"]
    argv += ["--pattern", "s1-long-nlos.mmwave", "--packets", str(tmp_path / "p.parquet"), "--", "true"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode in (2, 3) and "tun" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_an_error_and_the_link_goes_on(pattern, ask, tmp_path):
    settings = LinkSettings(pattern([1e6]), delay_s=0.001, start="now")
    with PacketLog(tmp_path, headers=False) as log, open_testbed() as testbed:
        log.fd = os.open("/dev/full", os.O_WRONLY)
        testbed.start(settings, packets={1: log})
        os.close(log.fd)
        ask(testbed.server, "udp_echo", wait=False)
        for _ in range(2):
            ask(testbed.client, "udp_rtt", 3, 0)
            with pytest.raises(MmwemuError, match="the packets file cannot be written: No space left on device"):
                testbed.links[1].finish_packets()
        assert testbed.telemetry()["delivered_packets"].sum() == 12
