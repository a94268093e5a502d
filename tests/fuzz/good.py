"""Good files of every format that mmwemu reads."""

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
BASELINE_HEAD = {
    "format": 1, "study": "mine", "study_sha256": "00", "mmwemu": "0.1.0", "machine": "a processor, 2 cores",
    "made": "2026-01-31T12:00:00+00:00", "processor_s": 0.01,
}  # fmt: skip
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
