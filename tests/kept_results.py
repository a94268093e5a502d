"""Results folders for tests."""

import pandas as pd

from mmwemu.results import store
from tests.records import download

TELEMETRY = pd.DataFrame({"time_s": [0.0, 0.01], "direction": "downlink", "delivered_bytes": [10, 20]})


def make_results(path, *goodputs, **changes):
    """Make a results folder of downloads with these goodputs, bit/s."""
    with store.create(store.Experiment("download", ["mmwemu", "run", "a b"], {"sizes": [3]}), path) as writer:
        for number, goodput_bps in enumerate(goodputs, 1):
            writer.add(download(number, goodput_bps=goodput_bps, **changes), TELEMETRY)
    return path
