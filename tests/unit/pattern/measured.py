"""Measured traces that nobody here wrote; they are read where they lie."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("MMWEMU_MEASURED_TRACES", Path(__file__).parents[4] / "shared" / "data"))


def measured(pattern):
    """Return the measured files of a glob, or skip the test."""
    files = sorted(FOLDER.glob(pattern))
    if not files:
        pytest.skip("no measured traces here; MMWEMU_MEASURED_TRACES names their folder")
    return files


def sent_bytes(pattern, direction):
    """Return the integral of a direction's rate over the pattern, bytes."""
    lengths = [*pattern.time_s[1:], pattern.duration_s] - pattern.time_s
    return float((getattr(pattern, direction).rate_bps * lengths).sum() / 8)
