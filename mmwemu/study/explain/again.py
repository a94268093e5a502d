"""What a results folder says of a run is made ready to be run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from mmwemu.apps.explained import Explained
from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.link import queue
from mmwemu.link.profile import LinkProfile
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import library
from mmwemu.pattern.model import Pattern
from mmwemu.results.collection import Finished
from mmwemu.study.plan import ReplayPlan

_LACKING = "manifest.json: asked"

Value = TypeVar("Value")


@dataclass(frozen=True)
class Again:
    """What repeats a run: the application with its case, the pattern and its file, the plan of one replay."""

    application: Any
    file: Path
    pattern: Pattern
    plan: ReplayPlan


def again_of(folder: Finished, run: Mapping[str, Any], explained: Explained) -> Again:
    """Return what repeats a run with the same seed and phase.

    Parameters
    ----------
    folder, run
        Where it was kept, and its row of runs.parquet.
    explained
        How its application is explained.

    Raises
    ------
    InputError
        If other clients shared its link, its pattern is gone or has changed, or its settings are not known.
    """
    try:
        return _again(folder, run, explained)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"does not say what repeats run {run['run']} ({type(error).__name__}: {error}); was it edited?"
        raise InputError(str(folder.path), problem) from None


def _again(folder: Finished, run: Mapping[str, Any], explained: Explained) -> Again:
    if int(run["clients"]) > 1:
        raise InputError(f"run {run['run']}", "shared its link with other clients; a run alone on it can be replayed")
    found: list[Any] = []
    problem = InputError(_LACKING, f"does not say how {run['application']} was run; was the folder merged?")
    for asked in _asked(folder, run):
        try:
            application = explained.again(asked, run)
        except InputError as error:
            problem = error
            continue
        if application not in found:
            found.append(application)
    if not found:
        raise problem
    if len(found) > 1:
        raise InputError(_LACKING, f"has several experiments that run {run['run']} may be of")
    file = _pattern_of(folder, run)
    pattern = library.load(str(file))
    return Again(found[0], file, pattern, _plan(run, LinkSettings(pattern, **_profile(run))))


def _asked(folder: Finished, run: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the settings of the application that the run may have had: of a study, those of each experiment."""
    if "experiments" not in folder.asked:
        if "merged" not in folder.asked:
            yield folder.asked
        return
    for experiment in folder.asked["experiments"]:
        parts = experiment["applications"]
        if len(parts) == 1 and parts[0]["name"] == run["application"]:
            yield parts[0]


def _pattern_of(folder: Finished, run: Mapping[str, Any]) -> Path:
    """Return the file of the run's pattern, which must not have changed."""
    experiments = folder.asked.get("experiments", [folder.asked])
    for name in dict.fromkeys(str(name) for each in experiments for name in each.get("patterns", ())):
        try:
            file = library.find(name)
        except InputError:
            continue
        if file.stem == run["pattern"] and sha256(file) == run["pattern_sha256"]:
            return file
    problem = "is not where it was, or has changed since; put it back to replay the run"
    raise InputError(f"pattern {run['pattern']}", problem)


def _profile(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the link profile of a run; what a table without whole numbers made of its sizes is made whole again."""
    values: dict[str, Any] = {}
    for field in fields(LinkProfile):
        value = run[field.name]
        values[field.name] = _known(value, int if str(field.type).startswith("int") else type(value))
    return values


def _known(value: Any, kind: Callable[[Any], Value]) -> Value | None:
    """Return a value of a table, None where there is none."""
    return None if value is None or value != value else kind(value)


def _plan(run: Mapping[str, Any], settings: LinkSettings) -> ReplayPlan:
    """Return the plan of one replay like that of the run; sizes of queues that follow from the rate become bytes."""
    plan = ReplayPlan(
        **settings.profile(),
        starts_at_s=(float(run["start_at_s"]),),
        congestion_control=str(run["congestion_control"]),
        initial_window=_known(run["initial_window"], int),
        pacing=_known(run["pacing_bps"], float),
        window_bytes=_known(run["window_bytes"], int),
        seed=int(run["seed"]),
        backend=run["backend"],
        tc_mode=run["tc_mode"],
        scheduler=run["scheduler"],
        packets=("parquet",),
    )
    down, up = queue.resolve(settings, "downlink"), queue.resolve(settings, "uplink")
    if down.size_bytes and up.size_bytes:
        return plan.override(queue_bytes=down.size_bytes, uplink_queue_bytes=up.size_bytes)
    return plan
