"""Made-up files under the names that the how-tos use: python -m tests.docs.made_files rays|module|proxy."""

import gzip
import shutil
import sys
from pathlib import Path

from mmwemu.rays import parquet
from tests import rays as made

_BLOCKS = (
    "DL/UL\ttime\tframe\tsubF\tslot\t1stSym\tsymbol#\tcellId\trnti\tccId\ttbSize\tmcs\trv\tSINR(dB)\tcorrupt\tTBler"
)
_PACKETS = "TYPE\tTIME\tCellId\tIMSI\tRNTI\tLCID\tSIZE\tDELAY\t"


def rays():
    """Write rays of known geometry, in both of their formats."""
    parquet.save(made.make(wall_x_m=-20.0), Path("munich.parquet"))
    street = made.walk(start_m=(30.0, -5.0, 1.5), end_m=(30.0, 5.0, 1.5), carrier_hz=60e9)
    Path("traces10cm.txt").write_text(made.eight_lines(made.make(street)))


def module():
    """Write what ns3-mmwave writes of a transport block and a packet in each of 1000 ms."""
    blocks, packets = [_BLOCKS], [_PACKETS]
    for ms in range(1000):
        at_s = ms / 1000 + 0.0002
        blocks.append(f"DL\t{at_s:.4f}\t{ms // 10}\t{ms % 10}\t0\t1\t12\t1\t1\t0\t3000\t9\t0\t20\t0\t0.01")
        packets.append(f"Rx\t{at_s:.4f}\t1\t1\t1\t4\t1430\t10000000\t")
    text = "\n".join([*blocks, ""])
    Path("RxPacketTrace.txt").write_text(text)
    Path("RxPacketTrace.txt.gz").write_bytes(gzip.compress(text.encode()))
    Path("DlPdcpStats.txt").write_text("\n".join([*packets, ""]))


_PROXY = """#!/usr/bin/env python3
import http.server, urllib.request

class Proxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with urllib.request.urlopen(self.path) as answer:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer.read())

http.server.ThreadingHTTPServer(("", 8080), Proxy).serve_forever()
"""


def proxy():
    """Write my-proxy, which fetches what it is asked for, beside mmwemu."""
    path = Path(shutil.which("mmwemu")).with_name("my-proxy")
    path.write_text(_PROXY)
    path.chmod(0o755)


if __name__ == "__main__":
    {"rays": rays, "module": module, "proxy": proxy}[sys.argv[1]]()
