"""Files of every format that mmwemu reads: good ones, and good ones that were tampered with."""

import functools
import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from mmwemu.trace.model import COLUMNS
from tests.fuzz.running import Link

PATTERN = """# format = 1
# duration_s = 0.3
# outage = "hold"
# end = "loop"
#
# [[packets]]
# direction = "downlink"
# number = 17
# action = "lose"
#
# [source]
# scenario = "s1"
# seed = 1
time_s,downlink_rate_bps,uplink_rate_bps,downlink_delay_s,uplink_loss
0,50000000,10000000,0,0
0.1,0,10000000,0.001,0.1
0.2,inf,10000000,0,0
"""
COLUMNS_FILE = "time,rate\n0,10\n1,20\n1,30\n2.5,0\n"
MAHIMAHI = "0\n1\n1\n3\n7\n250\n"
GNETTRACK = """Timestamp,Speed,SNR,DL_bitrate,UL_bitrate,State
2019.12.16_13.40.04,0,6.0,7,1,D
2019.12.16_13.40.05,1,-,7000,-,D
2019.12.16_13.40.05,1,6.0,0,11,D
2019.12.16_13.40.08,1,6.0,120500,12,I
"""
RATTAN = """{"RepeatedBwPatternConfig": {"pattern": [
{"StaticBwConfig": {"bw": "12Mbps", "duration": "1s 500ms"}},
{"TraceBwConfig": {"pattern": [["2ms", ["2Mbps", "0bps"]], ["1s", ["1Gbps 5kbps"]]]}},
{"StaticBwConfig": {"bw": {"gbps": 1, "bps": 7}, "duration": {"secs": 1, "nanos": 5000}}}
], "count": 0}}
"""
KAUNET = """# Two levels, and three lost packets.
patt_gen -bw -s 40000 -u bit -o bw5g 0,1021022118,2134,289313942,22134,0
patt_gen -pkt -pos lost.plp data 100 10,20,21
"""
_RX_NAMES = "time frame subF slot 1stSym symbol# cellId rnti ccId tbSize mcs rv SINR(dB) corrupt TBler"
RX_PACKETS = f"""DL/UL\t{_RX_NAMES}
DL\t0.0002\t0\t0\t0\t1\t12\t1\t1\t0\t3000\t9\t0\t20.5\t0\t0.01
UL\t0.0005\t0\t0\t3\t13\t1\t1\t1\t0\t100\t9\t0\t17\t0\t0.01
DL\t0.0014\t0\t1\t0\t1\t12\t1\t1\t0\t3000\t9\t1\t-inf\t1\t0.9
DL\t0.0121\t1\t2\t3\t1\t12\t1\t1\t0\t3000\t9\t0\t21\t0\t0.01
"""
DELIVERIES = """TYPE\tTIME\tCellId\tIMSI\tRNTI\tLCID\tSIZE\tDELAY\t
Tx\t0.0001\t1\t1\t1\t4\t1430\t0\t
Rx\t0.0015\t1\t1\t1\t4\t1430\t1400000\t
Rx\t0.0021\t1\t1\t1\t4\t1430\t1500000\t
"""
TC = "#!/bin/sh\ntc qdisc add dev eth0 root netem rate 1000000bit\n"
# A good file of each pattern format, by its name.
FORMATS = {
    "mmwemu": PATTERN,
    "columns": COLUMNS_FILE,
    "mahimahi": MAHIMAHI,
    "gnettrack": GNETTRACK,
    "rattan": RATTAN,
    "kaunet": KAUNET,
    "tc": TC,
}
SCENARIO = """format = 1
name = "short"
title = "A short one"
duration_s = 0.05
[base_station]
position_m = [0.0, 0.0, 3.0]
[[route]]
time_s = 0.0
position_m = [75.0, -0.2, 1.0]
[[route]]
time_s = 0.04
position_m = [70.0, 5, 1.0]
[[boxes]]
name = "building"
x_m = [50.0, 56.0]
y_m = [0.0, 20.0]
z_m = [0.0, 15.0]
loss_db = 3
[radio.mmwave]
carrier_hz = 28e9
gnb_array = [8, 8]
[radio.mmwave.rlc]
reordering_s = 0.002
[radio.lte]
resource_blocks = 100
[traffic]
rate_bps = 1001e6
[core]
delay_s = 0.010
[outage]
below_bps = 10
packets = "drop"
"""
PROFILE = """format = 1
title = "T"
source = "S"
delay_s = 0.011
queue_packets = 1000
aqm = "codel"
ecn = true
uplink_queue_s = 0.1
slot_s = 0.001
"""
PAGE = """<!doctype html><html><head><base href="/"><link rel="stylesheet" href="s.css">
<script src="a.js"></script></head><body background='b.png'>
<img src="b.png" srcset="b.png 1x, //other.test/c.png 2x"><style>p{background:url(b.png)}</style>
<a href="#x">x</a><!-- <img src="no.png"> --></body></html>"""
STYLE = '@import "t.css"; /* c */ p { background: url("b.png") }'
SITE = {
    "format": 1,
    "name": "site",
    "seed": 1,
    "hosts": ["www.site.test", "cdn.site.test"],
    "objects": [
        {"path": "index.html", "kind": "html", "host": "www.site.test", "size_bytes": len(PAGE)},
        {"path": "s.css", "kind": "css", "host": "cdn.site.test", "size_bytes": len(STYLE), "url": "/s.css?v=1"},
    ],
    "origin": "recorded",
}
META = {
    "format": 1,
    "scenario": "s1",
    "scenario_hash": "aa",
    "rat": "mmwave",
    "engine": "mmwemu-cell",
    "engine_version": "1",
    "ns3_version": "3.42",
    "seed": 1,
    "payload_bytes": 1400,
    "header_bytes": 28,
    "outage": {"below_bps": 1.0, "packets": "hold"},
}

NUMBERS = (
    "0",
    "-1",
    "1e-9",
    "1e-6",
    "0.3",
    "1e308",
    "-1e308",
    "nan",
    "inf",
    "-inf",
    "9" * 400,
    "0x" + "f" * 5000,
    "1_0",
    "1e400",
    "2592000",
    "2592001",
    "3600.5",
    "1000000000000",
    "18446744073709551616",
    "true",
)
TEXTS = (
    "",
    "a",
    "/etc/x",
    "../x",
    "a/b",
    "x" * 300,
    "x" * 11_000,
    "\x1b[31mred",
    "\u202egnp",
    "\U0001f600",
    "a\nb",
    "\t",
    "$\\frac{1}$",
    "{x}",
    "%s%n",
    "\u2028",
    "\x7f",
    "\x00",
    "-x",
    "http://[",
    "http://[::1",
    "//x:99999999",
    "http://x:y/",
    "mailto:x",
    "漢字",
    "[bold]",
    "'",
    '"',
    "\\",
)
LINES = (
    "[" * 3000,
    "a = " + "[" * 3000,
    "a." * 3000 + "a = 1",
    "<" * 200_000,
    "x" * 200_000,
    "#",
    '# a = "',
    "1,2,3,4,5,6",
    "{" * 5000,
    '<a href="',
    "url(" * 20_000,
    "/*" * 20_000,
    "<!--" * 20_000,
    "&#" + "9" * 5000 + ";",
    '<img src="http://[">',
    "<base href='" + "b/" * 5000 + "'>",
    "\ufeff",
    "format = 2",
)

numbers = st.sampled_from(NUMBERS) | st.floats().map(repr) | st.integers().map(str)
texts = st.sampled_from(TEXTS) | st.text(max_size=20)


@st.composite
def _with_value(draw, line: str) -> str:
    """Put another value into a line of TOML or CSV, mostly of the same type."""
    key, mark, value = line.partition("=")
    if not mark:
        between = "\t" if "\t" in line else ","
        cells = line.split(between)
        cells[draw(st.integers(0, len(cells) - 1))] = draw(numbers)
        return between.join(cells)
    is_text = value.strip().startswith('"') != draw(st.sampled_from([False] * 5 + [True]))
    text = draw(texts).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{key}= "{text}"' if is_text else f"{key}= {draw(numbers)}"


@st.composite
def tampered(draw, good: str) -> bytes:
    """Change a good text in few places, or in none."""
    text = good
    for _ in range(draw(st.integers(0, 3))):
        lines = text.split("\n")
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        how = draw(
            st.sampled_from(
                ["value", "value", "value", "string", "string", "insert", "drop", "twice", "many", "cut", "bytes"]
            )
        )
        if how == "value":
            lines[at] = draw(_with_value(lines[at]))
        elif how == "insert":
            lines.insert(at, draw(st.sampled_from(LINES) | texts))
        elif how == "drop":
            del lines[at]
        elif how == "twice":
            lines.insert(at, lines[at])
        elif how == "many":
            lines[at : at + 1] = [lines[at]] * min(20_000, 1 + 1_000_000 // (1 + len(lines[at])))
        text = "\n".join(lines)
        if how == "cut":
            text = text[: draw(st.integers(0, len(text)))]
        elif how == "bytes":
            middle = draw(st.integers(0, len(text)))
            content = text.encode("utf-8", "surrogatepass")
            return content[:middle] + draw(st.binary(max_size=8)) + content[middle:]
    return text.encode("utf-8", "surrogatepass")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.just(10**400) | st.just(-1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def tampered_json(draw, good) -> object:
    """Change a value of JSON in few places, or in none."""
    value = json.loads(json.dumps(good))
    for _ in range(draw(st.integers(0, 2))):
        inner, inside = value, []
        while isinstance(inner, (dict, list)) and inner:
            keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
            inside.append((inner, draw(st.sampled_from(list(keys)))))
            inner = inner[inside[-1][1]]
        if not inside:
            break
        holder, key = draw(st.sampled_from(inside))
        if draw(st.booleans()):
            holder[key] = draw(values)
        else:
            del holder[key]
    return value


@st.composite
def json_files(draw, good) -> bytes:
    """Write a value of JSON, sometimes as no JSON."""
    text = json.dumps(draw(tampered_json(good)))
    broken = draw(st.sampled_from(["", "", "", "[", "{", "cut", '{"a":' * 3000]))
    return (text[: len(text) // 2] if broken == "cut" else broken + text).encode()


@st.composite
def traces(draw) -> bytes:
    """Write a trace as Parquet with columns and metadata that may be anything."""
    n = draw(st.sampled_from([2, 3, 50, 200, 0, 1]))
    good = {name: [1.0] * n for name in COLUMNS} | {"time_s": [i / 1000 for i in range(n)]}
    good["throughput_bps"] = good["phy_rate_bps"] = [1e8 + i for i in range(n)]
    good["sinr_db"] = [30.0 * (i % 20 < 10) for i in range(n)]
    arrays = {name: pa.array(values) for name, values in good.items()}
    for name in draw(st.lists(st.sampled_from(COLUMNS), max_size=2)):
        kind = draw(st.sampled_from(["one", "text", "list", "null", "int", "bool", "drop", "binary", "all"]))
        odd = draw(st.floats() | st.sampled_from([-1.0, 1e308, float("nan")]))
        columns = {
            "one": good[name][:-1] + [odd] * min(1, n),
            "all": [odd] * n,
            "text": ["x"] * n,
            "list": [[1.0]] * n,
            "null": [None] * n,
            "int": [draw(st.integers(-(2**63), 2**63 - 1))] * n,
            "bool": [True] * n,
            "binary": [b"\xff"] * n,
        }
        if kind == "drop":
            arrays.pop(name, None)
        elif name in arrays:
            arrays[name] = pa.array(columns[kind])
    meta = draw(
        json_files(META) | st.sampled_from([b"{", b"[]", b"null", b"\xff\x00", b"1", b"[" * 3000, b'{"format": 1}'])
    )
    table = pa.table(arrays).replace_schema_metadata(draw(st.sampled_from([{b"mmwemu": meta}] * 5 + [{}])))
    sink = io.BytesIO()
    pq.write_table(table, sink)
    content = sink.getvalue()
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.binary(max_size=4)) + content[at + draw(st.integers(0, 4)) :]
    return content


@st.composite
def folders(draw, saved: bool) -> dict[str, object]:
    """Make the files of a site with an index, or of one saved from a browser."""
    page, style = (PAGE.encode(), STYLE.encode()) if not saved else (draw(tampered(PAGE)), draw(tampered(STYLE)))
    files: dict[str, object] = {"index.html": page, "s.css": style, "b.png": b"\x89PNG"}
    if not saved:
        files["site.json"] = draw(json_files(SITE) | json_files(SITE | {"origin": "made"}))
    for name in draw(
        st.lists(
            st.sampled_from(["e", "a.js", "b.html", "x\x1b[1m.css", "\udcff.css", "d/e.html", "q.css?v=3"]),
            max_size=2,
            unique=True,
        )
    ):
        targets = ["/etc", "/etc/passwd", "..", ".", "e", "index.html", "/", "nowhere"]
        files[name] = draw(st.sampled_from([b"x", None]) | st.sampled_from(targets).map(Link))
    for name in draw(st.lists(st.sampled_from(["index.html", "s.css"]), max_size=1)):
        if draw(st.booleans()):
            del files[name]
    return files


@st.composite
def rx_packets(draw) -> bytes:
    """Write a table of the module, tampered with; sometimes with other ends of lines, gzipped, or cut in two."""
    content = draw(tampered(RX_PACKETS))
    if draw(st.sampled_from([False] * 3 + [True])):
        content = content.replace(b"\n", b"\r\n")
    if draw(st.sampled_from([False] * 2 + [True])):
        content = gzip.compress(content)
        content = content[: draw(st.sampled_from([len(content), len(content) // 2, 12, 3]))]
    return content


@functools.cache
def of_kind(kind: str) -> st.SearchStrategy[dict[str, object]]:
    """Return a strategy of the files of a kind, by name below the one that the command is given."""
    if kind in ("pattern", "exchanged"):  # exchanged: as often in one format as in another
        goods = [PATTERN] * (3 * len(FORMATS) * (kind == "pattern")) + list(FORMATS.values())
        return st.sampled_from(goods).flatmap(tampered).map(lambda content: {"": content})
    texts_of = {"scenario": SCENARIO, "profile": PROFILE}
    if kind in texts_of:
        return tampered(texts_of[kind]).map(lambda content: {"": content})
    if kind == "trace":
        return traces().map(lambda content: {"": content})
    if kind == "packets":
        return rx_packets().map(lambda content: {"": content})
    if kind == "deliveries":
        return tampered(DELIVERIES).map(lambda content: {"": content})
    if kind == "site":
        return folders(saved=False) | folders(saved=True)
    return st.binary(max_size=100).map(lambda content: {"": content})


ENDINGS = {
    "pattern": ".csv",
    "exchanged": "",
    "scenario": ".toml",
    "profile": ".toml",
    "trace": ".parquet",
    "packets": ".txt",
    "deliveries": ".txt",
    "film": ".mp4",
    "flows": ".flows",
    "site": "",
}


def below(name: str, files: dict[str, object]) -> dict[str, object]:
    """Return files by their path below a name."""
    return {str(Path(name) / inner) if inner else name: content for inner, content in files.items()}
