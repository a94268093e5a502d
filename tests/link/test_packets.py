"""Each packet that meets a real link is written down."""

import shutil
import subprocess
import sys

import pandas as pd
import pytest

from mmwemu.emulate.backend import open_testbed
from mmwemu.emulate.link import LinkSettings
from mmwemu.emulate.packets import PacketLog, to_table

pytestmark = pytest.mark.link

MMWEMU = [sys.executable, "-P", "-c", "from mmwemu.cli.main import main; main()"]
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
    with PacketLog(tmp_path, headers=headers) as log, open_testbed(settings) as testbed:
        testbed.log_packets(log)
        testbed.start(settings)
        ask(testbed, "server", "tcp_source", wait=False)
        ask(testbed, "client", "tcp_goodput", 0.5, 2)
        # What is on its way counts in neither.
        bins = testbed.telemetry()
        testbed.finish_packets()
        table = to_table(log.records(), settings.delay_s)
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
