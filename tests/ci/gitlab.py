"""Runs a job of GitLab CI as a shell does that GitLab's runner starts."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
_KEYS = {"image", "timeout", "variables", "cache", "before_script", "script", "allow_failure", "artifacts"}


def job(file: Path, name: str) -> dict:
    """Return a job with what it extends; what this reader does not know is refused."""
    description = yaml.safe_load(file.read_text())
    for each in description.pop("include", []):
        # An address; the file of that name is ours.
        description |= yaml.safe_load((ROOT / "ci" / Path(each["remote"]).name).read_text())
    own = dict(description[name])
    base = description[own.pop("extends")]
    found = base | own | {"variables": base["variables"] | own.get("variables", {})}
    assert set(found) <= _KEYS, set(found) - _KEYS
    return found


def run(found: Mapping, folder: Path, variables: Mapping[str, str]) -> tuple[int, str]:
    """Run the scripts of a job in a checkout; return exit code and log."""
    texts = {name: str(value) for name, value in found["variables"].items()} | dict(variables)
    script = "set -eo pipefail\n" + "\n".join([*found["before_script"], *found["script"]])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", script], cwd=folder, env=os.environ | texts, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr
