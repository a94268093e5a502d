"""Versions of a study: another command, another folder."""

from dataclasses import replace
from pathlib import Path

import pytest

from mmwemu.apps.command.application import Command
from mmwemu.apps.web.application import Pages
from mmwemu.check.request import identity, in_folder, with_command, with_repetitions
from mmwemu.core.errors import InputError
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment
from mmwemu.study.studies import Study

PATTERN = "s1-long-nlos.mmwave"


def study(*applications):
    return Study("s", tuple(PlannedExperiment((Part(one),), (PATTERN,), ReplayPlan()) for one in applications))


def applications(found):
    return [each.parts[0].application for each in found.experiments]


def test_a_command_is_replaced_if_it_is_clear_which():
    changed = with_command(study(Command(("a",), serve="b"), Pages()), "c 'd e'", "head")
    assert applications(changed) == [Command(("c", "d e"), serve="b"), Pages()]
    for one, words in ((study(Pages()), "has none"), (study(Command(("a",)), Command(("b",))), "has several")):
        with pytest.raises(InputError, match=words):
            with_command(one, "c", "head")


def test_a_folder_has_the_sites_and_runs_the_commands_and_patterns_stay(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / PATTERN).write_text("no pattern")
    changed = in_folder(study(Command(("a",)), Pages(("site", "google"))), tmp_path, "base-dir")
    assert applications(changed) == [Command(("a",), folder=str(tmp_path)), Pages((str(tmp_path / "site"), "google"))]
    assert {each.patterns for each in changed.experiments} == {(PATTERN,)}
    with pytest.raises(InputError, match="is not a folder"):
        in_folder(study(Pages()), Path("none"), "base-dir")


def test_the_identity_of_a_study_is_that_of_any_number_of_repetitions():
    one = study(Command(("a",)))
    assert identity(one) == identity(with_repetitions(one, [7])) != identity(study(Command(("b",))))
    assert identity(one) != identity(replace(one, experiments=(replace(one.experiments[0], plan=ReplayPlan(seed=2)),)))
