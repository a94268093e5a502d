"""Files of every format that mmwemu reads: good ones, and good ones that were tampered with."""

import functools
import gzip
import io
import json
import math
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from mmwemu.trace.model import COLUMNS, OPTIONAL
from tests.fuzz.running import Link
from tests.records import download

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
PACKETS = "time_s,size_bytes,direction\n0.001,1500,downlink\n0.004,40,uplink\n0.25,900,downlink\n,900,downlink\n"
TC = "#!/bin/sh\ntc qdisc add dev eth0 root netem rate 1000000bit\n"
CELLREPLAY = """0 18 0 1 2 4
100 16 0 0 3
150 23 0
400 18 0 9
"""
THEATERQ = """KEEP,LATENCY,JITTER,RATE,LOSS,LIMIT,DUP_PROB,DUP_DELAY,ROUTE_ID,QUEUE_ID
10000,11000000,0,1021022118,0,1000,0,0,1,0
# an outage, then without a limit
5000,12000000,1000000,0,4294967295,1000,0,0,1,0
20000,10000000,0,-1,42949672,500,429496729,7,1,1
"""
# A good file of each pattern format, by its name.
FORMATS = {
    "mmwemu": PATTERN,
    "columns": COLUMNS_FILE,
    "mahimahi": MAHIMAHI,
    "gnettrack": GNETTRACK,
    "rattan": RATTAN,
    "kaunet": KAUNET,
    "tc": TC,
    "cellreplay": CELLREPLAY,
    "theaterq": THEATERQ,
    "packets": PACKETS,
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
[random_boxes]
count = 2
x_m = [10.0, 60.0]
y_m = [-20, 20.0]
width_m = [1.0, 3.0]
depth_m = [1.0, 3.0]
height_m = [2.0, 9.0]
[radio.mmwave]
carrier_hz = 28e9
gnb_array = [8, 8]
beam = "codebook"
evolution = "consistent"
los_change = "diffraction"
shadowing = true
[radio.mmwave.rlc]
reordering_s = 0.002
[radio.mmwave.beam_search]
period_s = 0.02
sweep_s = 0.005
[radio.lte]
resource_blocks = 100
path_loss = "uma"
[traffic]
rate_bps = 1001e6
[core]
delay_s = 0.010
[outage]
below_bps = 10
packets = "drop"
"""

_ROUTE = SCENARIO[SCENARIO.index("[[route]]") : SCENARIO.index("[[boxes]]")]
SEVERAL_UES = [
    SCENARIO.replace(_ROUTE, "[[ues]]\nrate_bps = 1e9\nstart_s = 0.01\n" + _ROUTE.replace("route", "ues.route") + """\
[[ues]]
rate_bps = 0
route = [{ time_s = 0.0, position_m = [60.0, 30.0, 1.5] }]
""").replace("gnb_array", "tti = \"flexible\"\ngnb_array"),
    SCENARIO.replace(_ROUTE, """[ue_disc]
count = 5
radius_m = 60.0
height_m = 1.5
seed = 2
""").replace("[radio.lte]", """[radio.mmwave.uplink]
share = 0.2
power_dbm = 23
[radio.lte]"""),
]  # fmt: skip
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
STUDY = """format = 1
name = "mine"
pattern = ["s1-long-nlos.mmwave", "s4-outage.lte"]
repetitions = 3
seed = 2
retries = 1
cc = ["cubic", "bbr"]
queue-ms = 50.5
[[run]]
application = "download"
size = ["2MB", "20MB"]
start-at = [0, 1.5]
[[run]]
application = "web"
site = "google"
keep = true
start-random = "0-20"
clients = 2
[[run]]
application = "mix"
app = ["download --size 1MB", "command -- true"]
"""
STUDY_RECORD = {
    "format": 1, "name": "mine", "retries": 1, "share": "1/2", "sha256": "00", "text_sha256": "00",
    "patterns": {"p": "00"}, "command": ["mmwemu", "study"], "started": "2026-01-31T12:00:00+00:00", "base": "/",
    "experiments": [{"application": "download", "cases": 1, "patterns": 1, "repetitions": 2, "replays": 2, "runs": 2,
                     "expected_s": 1.5}],
}  # fmt: skip
PAGE = """<!doctype html><html><head><base href="/"><link rel="stylesheet" href="s.css">
<script src="a.js"></script></head><body background='b.png'>
<img src="b.png" srcset="b.png 1x, //other.test/c.png 2x"><style>p{background:url(b.png)}</style>
<a href="#x">x</a><!-- <img src="no.png"> --></body></html>"""
STYLE = '@import "t.css"; /* c */ p { background: url("b.png") }'
MANIFEST = {
    "format": 1, "name": "download", "command": ["mmwemu", "run"], "asked": {"sizes": [3]}, "runs": 2,
    "started": "2026-01-31T12:00:00+00:00", "ended": "2026-01-31T12:01:00+00:00", "system": {"cores": 2},
    "invalid_runs": 0,
}  # fmt: skip
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
EIGHT_LINES = """2
100,150.5,
-110,-120,
1,2,
-1,-2,
30,40,
1,2,
-150,-140,
0







2
103,150.5,
-110.3,-120,
1,2,
-1,-2,
30,40,
1,2,
-150,-140,
"""
ROUTE = """time_s,x_m,y_m,z_m
0,45,90,1.5
0.5,45,60,1.5
2,40,50,1.5
"""
RAYS_META = {
    "format": 1,
    "kind": "rays",
    "base_station_m": [0.0, 0.0, 3.0],
    "carrier_hz": 28e9,
    "source": "made",
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
    optional = draw(st.lists(st.sampled_from(list(OPTIONAL)), max_size=3, unique=True))
    good = {name: [1.0] * n for name in (*COLUMNS, *optional)} | {"time_s": [i / 1000 for i in range(n)]}
    good["throughput_bps"] = good["phy_rate_bps"] = [1e8 + i for i in range(n)]
    good["sinr_db"] = [30.0 * (i % 20 < 10) for i in range(n)]
    arrays = {name: pa.array(values) for name, values in good.items()}
    for name in draw(st.lists(st.sampled_from([*COLUMNS, *optional]), max_size=2)):
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
    return draw(_parquet(pa.table(arrays), meta))


@st.composite
def rays(draw) -> bytes:
    """Write rays along the route of `SCENARIO` as Parquet with columns and metadata that may be anything."""
    n = draw(st.sampled_from([2, 3, 5, 40, 0, 1]))
    shares = [i / max(1, n - 1) for i in range(n)]
    points = {
        "along_m": [math.hypot(5, 5.2) * share for share in shares],
        "x_m": [75 - 5 * share for share in shares],
        "y_m": [-0.2 + 5.2 * share for share in shares],
        "z_m": [1.0] * n,
    }
    counts = [draw(st.sampled_from([1, 2, 0])) for _ in range(n)]
    good = {"delay_s": 2.5e-7, "gain_db": -100.0, "phase_rad": 1.0, "departure_azimuth_deg": 3.0, "direct": 1.0,
            "departure_elevation_deg": -1.0, "arrival_azimuth_deg": 183.0, "arrival_elevation_deg": 1.0}  # fmt: skip
    arrays = {name: pa.array(values) for name, values in points.items()}
    arrays |= {name: pa.array([[value] * c for c in counts], pa.list_(pa.float64())) for name, value in good.items()}
    for name in draw(st.lists(st.sampled_from(sorted(arrays)), max_size=2)):
        odd = draw(st.floats() | st.sampled_from([-1.0, 1e308, float("nan"), 0.5]))
        columns = {
            "number": pa.array([odd] * n),
            "lists": pa.array([[odd] * c for c in counts], pa.list_(pa.float64())),
            "longer": pa.array([[odd] * (c + 1) for c in counts], pa.list_(pa.float64())),
            "text": pa.array(["x"] * n),
            "null": pa.array([None] * n, pa.list_(pa.float64())),
            "nulls": pa.array([[None] * c for c in counts], pa.list_(pa.float64())),
            "nested": pa.array([[[odd]] * c for c in counts], pa.list_(pa.list_(pa.float64()))),
        }
        arrays[name] = columns[draw(st.sampled_from(sorted(columns)))]
    meta = draw(json_files(RAYS_META) | st.sampled_from([b"{", b"[]", b"null", b"\xff\x00", b'{"format": 1}']))
    return draw(_parquet(pa.table(arrays), meta))


@st.composite
def _parquet(draw, table: pa.Table, meta: bytes) -> bytes:
    """Write a table as Parquet, with metadata or without, whole or not."""
    table = table.replace_schema_metadata(draw(st.sampled_from([{b"mmwemu": meta}] * 5 + [{}])))
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
def results(draw) -> dict[str, object]:
    """Make a results folder of two downloads that somebody may have edited."""
    runs = pd.DataFrame([download(number).row() for number in (1, 2)])
    for name in draw(st.lists(st.sampled_from(list(runs.columns)), max_size=2)):
        odd = draw(st.sampled_from([["x", "y"], [None, None], [1.5, -1e308], [True, False], "drop"]))
        runs = runs.drop(columns=name, errors="ignore") if odd == "drop" else runs.assign(**{name: odd})
    content = runs.to_parquet(index=False)
    if draw(st.integers(0, 9)) == 0:
        content = content[: draw(st.integers(0, len(content)))]
    of_study = {"study.json": draw(json_files(STUDY_RECORD))} if draw(st.booleans()) else {}
    return {"manifest.json": draw(json_files(MANIFEST)), "runs.parquet": content, **of_study}


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
    texts_of = {
        "scenario": [SCENARIO, *SEVERAL_UES],
        "profile": [PROFILE],
        "study": [STUDY],
        "eight lines": [EIGHT_LINES],
        "route": [ROUTE],
    }
    if kind in texts_of:
        return st.sampled_from(texts_of[kind]).flatmap(tampered).map(lambda content: {"": content})
    if kind == "trace":
        return traces().map(lambda content: {"": content})
    if kind == "results":
        return results()
    if kind == "packets":
        return rx_packets().map(lambda content: {"": content})
    if kind == "deliveries":
        return tampered(DELIVERIES).map(lambda content: {"": content})
    if kind == "rays":
        return rays().map(lambda content: {"": content})
    if kind == "site":
        return folders(saved=False) | folders(saved=True)
    return st.binary(max_size=100).map(lambda content: {"": content})


ENDINGS = {
    "pattern": ".csv",
    "exchanged": "",
    "scenario": ".toml",
    "profile": ".toml",
    "study": ".toml",
    "trace": ".parquet",
    "packets": ".txt",
    "deliveries": ".txt",
    "rays": ".parquet",
    "eight lines": ".txt",
    "route": ".csv",
    "film": ".mp4",
    "flows": ".flows",
    "site": "",
    "results": "",
}


def below(name: str, files: dict[str, object]) -> dict[str, object]:
    """Return files by their path below a name."""
    return {str(Path(name) / inner) if inner else name: content for inner, content in files.items()}
