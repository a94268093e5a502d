"""The evaluator of expressions that runs action.yml, and what can be said of action.yml without running it."""

import re
import tomllib

import pytest
import yaml

from tests.ci.action import ROOT
from tests.ci.expressions import evaluate, fill, outputs

CONTEXTS = {"inputs": {"a": "x", "b": ""}, "steps": {"one": {"outputs": outputs({"code": "3"})}}}
FUNCTIONS = {"always": lambda: True, "success": lambda: False, "failure": lambda: True}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.a", "x"),
        ("'it''s'", "it's"),
        ("inputs.a == 'x' && inputs.b != ''", False),
        ("always() && (inputs.b == '' || success())", True),
        ("!success() && steps.one.outputs.code == '3'", True),
        ("steps.one.outputs.none", ""),
    ],
)
def test_what_is_known_is_evaluated(text, value):
    assert evaluate(text, CONTEXTS, FUNCTIONS) == value


@pytest.mark.parametrize(
    "text", ["", "inputs.c", "secrets.a", "steps.two.outputs.a", "1 + 1", "inputs.a inputs.b", "hashFiles('a')",
             "(inputs.a", "inputs.a ==", "cancelled()", "'open"]
)  # fmt: skip
def test_all_else_is_refused(text):
    with pytest.raises(ValueError):
        evaluate(text, CONTEXTS, FUNCTIONS)


def test_a_text_is_filled():
    assert fill("a ${{ inputs.a }}, ${{steps.one.outputs.code}}", CONTEXTS, FUNCTIONS) == "a x, 3"


def test_the_workflow_of_the_example_gives_what_the_action_takes():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    workflow = yaml.safe_load((ROOT / "examples/check/.github/workflows/mobile-link.yml").read_text())
    (use,) = [step for step in workflow["jobs"]["check"]["steps"] if "mmwemu@" in step["uses"]]
    assert set(use["with"]) <= set(action["inputs"])
    assert all(one["description"] for one in [*action["inputs"].values(), *action["outputs"].values()])
    needed = {name for name, one in action["inputs"].items() if one.get("required")}
    assert needed <= set(use["with"])
    assert all((ROOT / "examples/check" / use["with"][name]).is_file() for name in needed)


def test_the_page_has_the_study_of_the_example():
    page = (ROOT / "docs/how-to/check-in-ci.md").read_text()
    (study,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert tomllib.loads(study) == tomllib.loads((ROOT / "examples/check/check.toml").read_text())
