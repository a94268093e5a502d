"""Experiments in a folder of a test, and programs put before the browser."""

import os
from pathlib import Path
from typing import Any, Literal

import pytest

from mmwemu.apps.shared.browser.modules import find_browser
from mmwemu.pattern.formats import native
from mmwemu.pattern.model import Pattern
from mmwemu.results import store
from mmwemu.study.experiment import run_application
from mmwemu.study.plan import ReplayPlan
from tests.patterns import make_pattern


def run(folder: Path, patterns: Any, application: Any, **plan: Any) -> Any:
    """Run an application under a pattern, or under several by name, each a pattern or what a user would call it.

    The results are in ``folder / "r"``, patterns beside it by their names, ``p.csv`` for one without.
    """
    named = {"p": patterns} if isinstance(patterns, Pattern) else patterns
    files = [
        saved(folder, pattern, name) if isinstance(pattern, Pattern) else pattern for name, pattern in named.items()
    ]
    with store.create(store.Experiment("t", [], {}), folder / "r") as writer:
        return run_application(files, ReplayPlan(**plan), application, writer)


def saved(folder: Path, pattern: Pattern, name: str = "p") -> Path:
    """Save a pattern and give its file."""
    native.save(pattern, folder / f"{name}.csv")
    return folder / f"{name}.csv"


def steps(
    rates_bps: Any, times_s: Any, *, duration_s: float = 60.0, outage: Literal["hold", "drop"] = "hold"
) -> Pattern:
    """Make a pattern of rates, the same in both directions."""
    return make_pattern(rates_bps, times_s=[*times_s, duration_s], outage=outage)


def put_before_browser(folder: Path, patch: pytest.MonkeyPatch, text: str) -> None:
    """Put a script before the browser in PATH, which then becomes the browser; $N in it counts its calls."""
    place = folder / "bin"
    place.mkdir()
    script = place / "chromium-headless-shell"
    count = f"echo x >> {place}/calls\nN=$(wc -l < {place}/calls)\n"
    script.write_text(f'#!/bin/sh\n{count}{text}\nexec {find_browser()} "$@"\n')
    script.chmod(0o755)
    patch.setenv("PATH", f"{place}:{os.environ['PATH']}")


# Waits, in the client's network, for a connection over TLS, and then for some of the page.
LOADING = "until grep -q ':01BB 01 ' /proc/net/tcp; do sleep 0.05; done; sleep 0.7"
