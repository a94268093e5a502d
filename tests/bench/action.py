"""What the GitHub Action takes beside its check: with an empty cache, and with the wheels of an earlier job."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ci.action import ROOT, Job

_INPUTS = {"study": "check.toml", "base": "./feed.py load", "head": "./feed.py load", "budget": "3m"}


def main() -> None:
    """Run a check of equal versions twice, and print the time of each step."""
    print(f"{'cache':<8} {'prepare':>8} {'install':>8} {'check':>8}  [s]")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        for cache in ("empty", "warm"):
            project = Path(folder, cache)
            shutil.copytree(ROOT / "examples" / "check", project)
            shutil.rmtree(home / "temporary", ignore_errors=True)  # as each job has its own
            job = Job(project, home, _INPUTS).run()
            print(f"{cache:<8}", *(f"{took_s:8.1f}" for took_s in job.took_s.values()), f" exit code {job.exit_code}")


if __name__ == "__main__":
    main()
