"""Results folders with what the report page draws: runs of several kinds, telemetry, kept frames."""

import json

import numpy as np
import pandas as pd

from mmwemu.apps.stream.record import StreamRun
from mmwemu.apps.web.film import write_times
from mmwemu.apps.web.record import WebRun
from mmwemu.apps.web.result import Frame
from mmwemu.apps.web.sites.pictures import jpeg
from mmwemu.core.files import sha256
from mmwemu.pattern import library
from mmwemu.results import store
from tests.records import common, download

PATTERNS = ("s1-long-nlos.mmwave", "s1-long-nlos.lte")
HOSTILE = "<script>alert(1)</script>\"'&</style>"


def pattern_columns(name):
    """Return the columns of a run that name a shipped pattern."""
    return {"pattern": name, "pattern_sha256": sha256(library.shipped()[name]), "rat": name.rpartition(".")[2]}


def telemetry(duration_s=1.0, rate_bps=80e6):
    """Return link.parquet of one run: 10 ms bins, both directions, a queue that comes and goes."""
    n = max(1, round(duration_s / 0.01))
    time_s = np.arange(n) * 0.01
    full = np.full(n, rate_bps * 0.01 / 8)
    frames = [
        pd.DataFrame(
            {"link": 1, "time_s": time_s, "direction": direction, "capacity_bytes": full,
             "delivered_bytes": (full * 0.9).astype(int),
             "queue_max_bytes": (1e6 * np.abs(np.sin(time_s))).astype(int)}
        )
        for direction in ("downlink", "uplink")
    ]  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def downloads(repetitions=6, patterns=PATTERNS, sizes=(2_000_000, 20_000_000), starts=(0.0,), **changes):
    """Return downloads, mmWave about four times as fast as LTE, with some scatter."""
    random = np.random.default_rng(1)
    runs = []
    for repetition in range(1, repetitions + 1):
        for start_s in starts:
            for name in patterns:
                for size in sizes:
                    rate = (200e6 if "mmwave" in name else 50e6) * random.uniform(0.9, 1.1)
                    where = pattern_columns(name) if name in library.shipped() else {"pattern": name}
                    row = {"repetition": repetition, "start_at_s": start_s, "size_bytes": size, "goodput_bps": rate,
                           "duration_s": size * 8 / rate, **where}  # fmt: skip
                    runs.append(download(len(runs) + 1, **(row | changes)))
    return runs


def write(path, runs, name="download", tables=None, command=("mmwemu", "run", "download")):
    """Make a results folder of runs; ``tables`` gives the further ones of each run."""
    asked = {"patterns": sorted({run.pattern for run in runs}), "note": HOSTILE}
    with store.create(store.Experiment(name, list(command), asked), path) as writer:
        for run in runs:
            writer.add(run, telemetry(min(run.duration_s, 3.0)), tables(run) if tables else None)
    return path


def page_loads(path, sites=("google", "cnn"), repetitions=2):
    """Make a folder of page loads over both patterns, the first with frames and requests kept."""
    runs = []
    for repetition in range(1, repetitions + 1):
        for site in sites:
            for name in PATTERNS:
                times = 1.0 + 0.1 * repetition + (0.5 if "lte" in name else 0.0)
                own = dict.fromkeys(WebRun.__dataclass_fields__) | {
                    "site": site, "objects": 3, "site_bytes": 1000, "protocol": "h2", "device": "iPhone X",
                    "browser": "b", "visual_note": "", "protocols": "h2", "control_age_s": 0.0, "ttfb_s": 0.1,
                    "first_paint_s": 0.4 * times, "fcp_s": 0.4 * times, "lcp_s": 0.6 * times, "on_load_s": times,
                    "speed_index_s": 0.8 * times, "failed_requests": 0,
                }  # fmt: skip
                shared = common(len(runs) + 1, application="web", duration_s=times, repetition=repetition)
                runs.append(WebRun(**(own | shared | pattern_columns(name))))
    write(path, runs, "web")
    kept = path / "pages" / "00001"
    (kept / "film").mkdir(parents=True)
    for number in range(3):
        (kept / "film" / f"{number:04}.jpg").write_bytes(jpeg(9_000, np.random.default_rng(number)))
    write_times([Frame(0.3 * number, f"{number:04}.jpg") for number in range(3)], kept)
    entries = [
        {"startedDateTime": f"2026-01-01T00:00:00.{100 * i:03}Z", "time": 300.0,
         "request": {"url": f"https://www.google.test/{i}{HOSTILE}"}, "response": {"status": 200}}
        for i in range(4)
    ]  # fmt: skip
    har = {"log": {"pages": [{"startedDateTime": "2026-01-01T00:00:00.000Z"}], "entries": entries}}
    (kept / "page.har").write_text(json.dumps(har))
    return path


def films(path, repetitions=1):
    """Make a folder of playback over both patterns, with a stall over LTE."""
    runs = []
    for repetition in range(1, repetitions + 1):
        for name in PATTERNS:
            own = dict.fromkeys(StreamRun.__dataclass_fields__) | {
                "film": "sized", "ladder": "8k", "player": "headless", "abr": "dynamic", "software": "s",
                "top_bps": 9e6, "startup_s": 0.3, "played_s": 3.0, "stalls": int("lte" in name),
                "stall_s": 0.5 * ("lte" in name),
                "cpu_stalls": 0, "cpu_stall_s": 0.0, "bitrate_mean_bps": 9e6 if "mmwave" in name else 3e6,
                "switches_up": 1, "switches_down": 0, "abandoned_segments": 0, "failed_segments": 0,
                "buffer_mean_s": 2.0, "qoe_bps": 1e6,
            }  # fmt: skip
            shared = common(len(runs) + 1, application="stream", duration_s=3.0, repetition=repetition)
            runs.append(StreamRun(**(own | shared | pattern_columns(name))))
    return write(path, runs, "stream", _film_tables)


def _film_tables(run):
    time_s = np.arange(0.0, 3.0, 0.1)
    buffer = pd.DataFrame({"time_s": time_s, "buffer_s": 2 + np.sin(time_s), "rate_bps": 3e6, "throughput_bps": 4e6})
    segments = pd.DataFrame(
        [{"track": "video", "number": i, "rate_bps": 3e6, "requested_s": i * 0.7, "ended_s": i * 0.7 + 0.5,
          "outcome": "ok"} for i in range(4)]
    )  # fmt: skip
    stalls = pd.DataFrame(
        [{"start_s": 1.0, "duration_s": 0.5, "position_s": 0.9, "cause": "network"}] * run.stalls,
        columns=["start_s", "duration_s", "position_s", "cause"],
    )
    return {"buffer": buffer, "segments": segments, "stalls": stalls}
