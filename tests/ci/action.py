"""Runs a composite action as GitHub's runner does, its steps with ``run`` alone; those with ``uses`` are listed."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.ci.expressions import evaluate, fill, outputs

ROOT = Path(__file__).parents[2]
_SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
# The runner asks, asks again, and kills (GitHub's workflow cancellation reference).
_ASKED_S, _ASKED_AGAIN_S = 7.5, 2.5


@dataclass
class Job:
    """A job of one use of an action.

    Attributes
    ----------
    workspace
        The checkout that the job has.
    home
        What outlives jobs where caches are kept, and the runner's own folder for temporary files.
    inputs
        As given with ``with``; the others have their defaults.
    prefix
        Words before each shell, such as those of a network without a way out.
    """

    workspace: Path
    home: Path
    inputs: Mapping[str, str]
    action: Path = ROOT / "action.yml"
    prefix: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    took_s: dict[str, float] = field(default_factory=dict)
    log: str = ""
    exit_code: int = 0

    def __post_init__(self):
        self.description = yaml.safe_load(self.action.read_text())
        known = self.description["inputs"]
        assert set(self.inputs) <= set(known), set(self.inputs) - set(known)
        assert all(name in self.inputs for name, one in known.items() if one.get("required"))
        self.temporary = self.home / "temporary"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.files = {name: self.temporary / f"{name}.txt" for name in ("output", "env", "path", "step_summary")}
        given = {name: one.get("default", "") for name, one in known.items()} | dict(self.inputs)
        steps = {step["id"]: {"outputs": outputs({})} for step in self._steps if "id" in step}
        self.contexts = {"inputs": given, "steps": steps}

    @property
    def _steps(self):
        return self.description["runs"]["steps"]

    @property
    def summary(self) -> str:
        """What the steps wrote into the summary."""
        return self.files["step_summary"].read_text()

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the action."""
        values = {name: one["value"] for name, one in self.description["outputs"].items()}
        return {name: fill(value, self.contexts, self._functions) for name, value in values.items()}

    @property
    def _functions(self):
        return {"always": lambda: True, "success": lambda: not self.exit_code, "failure": lambda: bool(self.exit_code)}

    def run(self, cancel=None):
        """Run the steps; ``cancel`` is called with what step runs until it says that the job is to be cancelled."""
        for file in self.files.values():
            file.write_text("")
        env = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "RUNNER_"))}
        env |= {"HOME": str(self.home), "GITHUB_WORKSPACE": str(self.workspace), "RUNNER_TEMP": str(self.temporary)}
        env["GITHUB_ACTION_PATH"] = str(self.action.parent)
        env |= {f"GITHUB_{name.upper()}": str(file) for name, file in self.files.items()} | dict(self.variables)
        env.pop("XDG_CACHE_HOME", None)
        for step in self._steps:
            condition = str(step.get("if", "success()"))
            if "()" not in condition:
                condition = f"success() && ({condition})"
            if not evaluate(condition, self.contexts, self._functions):
                continue
            if "uses" in step:
                for value in step.get("with", {}).values():
                    fill(str(value), self.contexts, self._functions)
                self.used.append(step["uses"])
                continue
            own = {name: fill(str(value), self.contexts, self._functions) for name, value in step["env"].items()}
            assert step["shell"] == "bash" and "${{" not in step["run"], "inputs reach a script by env alone"
            self._run(step, env | own, cancel)
            env["PATH"] = ":".join([*reversed(self.files["path"].read_text().split()), os.environ["PATH"]])
        return self

    def _run(self, step, env, cancel):
        script = self.temporary / "step.sh"
        script.write_text(step["run"])
        self.files["output"].write_text("")
        begin_s = time.monotonic()
        argv = [*self.prefix, *_SHELL, str(script)]
        with subprocess.Popen(
            argv, cwd=self.workspace, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        ) as shell:  # fmt: skip
            if cancel is not None and step["name"] == "Check":
                while not cancel() and shell.poll() is None:
                    time.sleep(0.05)
                self._cancel(shell)
            log, _ = shell.communicate(timeout=600)
        self.took_s[step["name"]] = time.monotonic() - begin_s
        self.log += log
        if shell.returncode and not self.exit_code:
            self.exit_code = shell.returncode
        if "id" in step:
            self.contexts["steps"][step["id"]]["outputs"] = outputs(_assignments(self.files["output"].read_text()))

    def _cancel(self, shell):
        """Signal the shell, and nothing below it."""
        for number, limit_s in ((signal.SIGINT, _ASKED_S), (signal.SIGTERM, _ASKED_AGAIN_S)):
            shell.send_signal(number)
            try:
                shell.wait(limit_s)
                return
            except subprocess.TimeoutExpired:
                pass
        os.killpg(shell.pid, signal.SIGKILL)
        raise AssertionError("the step did not end when the job was cancelled")


def _assignments(text):
    pairs = [line.partition("=") for line in text.splitlines()]
    assert all(name and sign for name, sign, _ in pairs), text
    return {name: value for name, _, value in pairs}
