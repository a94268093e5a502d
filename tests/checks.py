"""Groups, values and turns for tests of checks."""

from dataclasses import replace

from mmwemu.apps.command.application import Command
from mmwemu.apps.command.record import CommandRun
from mmwemu.check.samples import Group
from mmwemu.check.turns import Place, turns
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment
from tests.records import common


def group(name="g", record=CommandRun):
    return Group(Place(1, name, 0, 0, 0.0, name), 0, record, name)


def values(numbers, metric="took_s"):
    """Give values by repetition; None is a run without one."""
    return {i: {} if number is None else {metric: float(number)} for i, number in enumerate(numbers, 1)}


def experiment(patterns, repetitions=896, script="true", **plan):
    part = Part(Command(("sh", "-c", script)))
    return PlannedExperiment((part,), tuple(patterns), ReplayPlan(repetitions=repetitions, **plan))


def pairs_of(patterns, repetitions=896):
    """Give the turns of base and head over patterns."""
    head = experiment(patterns, repetitions)
    return turns([head], [replace(head, parts=(Part(Command(("sh", "-c", "sleep 0"))),))])


def run_of(turn, **changes):
    """Give the run of a turn, a command with metrics."""
    own = {"command": "x", "exit_code": 0, "metrics": {}}
    return CommandRun(**(common(turn.replay.first_run) | own | {"pattern": turn.place.pattern} | changes))
