"""action.yml and ci/gitlab.yml on the example project, their steps run as GitHub's and GitLab's runners would."""

import os
import shutil
from xml.etree import ElementTree

import pytest

from mmwemu.results import store
from tests.ci import gitlab
from tests.ci.action import ROOT, Job

pytestmark = [pytest.mark.apps, pytest.mark.long, pytest.mark.usefixtures("needs_link")]

EXAMPLE = ROOT / "examples" / "check"
SAME, SLOWER = "./feed.py load", "./feed.py load --new-connections"
NO_NETWORK = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--user", "--map-root-user", "--net")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Give a folder that outlives jobs; the first job in it builds mmwemu, which is what is long here."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def project(tmp_path):
    return shutil.copytree(EXAMPLE, tmp_path / "project")


def test_equal_versions_pass(home, project):
    """Long: it builds mmwemu."""
    job = Job(project, home, {"study": "check.toml", "base": SAME, "head": SAME, "budget": "3m"}).run()
    assert job.exit_code == 0, job.log
    assert job.outputs == {"verdict": "pass", "exit-code": "0", "results": str(project / "mmwemu-results")}
    assert job.summary.startswith("## mmwemu check feed: pass")
    assert len(store.load(project / "mmwemu-results")) >= 4
    assert ElementTree.parse(project / "mmwemu-results.xml").getroot().find(".//failure") is None
    assert job.used == ["actions/setup-python@v5", "actions/cache@v4", "actions/upload-artifact@v4"]


def test_a_slower_version_fails(home, project):
    """Long: it may build mmwemu."""
    job = Job(project, home, {"study": "check.toml", "base": SAME, "head": SLOWER, "artifact": ""}).run()
    assert job.exit_code == 1, job.log
    assert job.outputs["verdict"] == "fail"
    assert "::error title=mmwemu check, fail::" in job.log
    assert "## mmwemu check feed: fail" in job.summary
    assert ElementTree.parse(project / "mmwemu-results.xml").getroot().find(".//failure") is not None
    assert "actions/upload-artifact@v4" not in job.used


def test_two_checkouts_and_a_baseline_of_the_project(home, project):
    """Long: it may build mmwemu."""
    shutil.copytree(EXAMPLE, project / "base")
    inputs = {"study": "check.toml", "base-dir": "base", "budget": "3m"}
    job = Job(project, home, inputs).run()
    assert job.outputs["verdict"] == "pass", job.log
    inputs = {"study": "check.toml", "baseline": "b.parquet", "update": "true", "budget": "2m", "output": "u"}
    job = Job(project, home, inputs).run()
    assert job.exit_code == 0, job.log
    assert (project / "b.parquet").stat().st_size < 20_000
    # That of the project is of another machine, which may leave it undecided; it must not be refused.
    inputs = {"study": "check.toml", "baseline": "baseline.parquet", "budget": "20s", "output": "o"}
    job = Job(project, home, inputs).run()
    assert job.exit_code in (0, 4), f"{job.log}\nmake it anew, as examples/check/README.md says"


def test_a_wrong_study_is_an_error_in_one_line(home, project):
    """Long: it may build mmwemu."""
    (project / "check.toml").write_text((project / "check.toml").read_text().replace("p50 <= 3", "p50 < 3"))
    job = Job(project, home, {"study": "check.toml", "base": SAME, "expect": "\nfeed_s <= 9\n"}).run()
    assert job.exit_code == 2
    assert job.outputs["verdict"] == "error"
    assert "## mmwemu check" in job.summary
    (line,) = [line for line in job.log.splitlines() if line.startswith("::error")]
    assert "check.toml: expect[1]: is 'feed_s p50 < 3'" in line
    job = Job(project, home, {"study": "check.toml", "budget": "soon", "output": "o"}).run()
    assert (job.exit_code, job.outputs["verdict"]) == (2, "error")
    assert "the log says why" in job.summary


def test_a_cancelled_job_keeps_its_runs(home, project):
    """Long: it may build mmwemu."""
    parts = project / "mmwemu-results.in-progress" / "parts"
    inputs = {"study": "check.toml", "base": SAME, "expect": "feed_s <= 0.0001 of baseline"}
    job = Job(project, home, inputs).run(cancel=lambda: len(list(parts.glob("run-*.json"))) >= 2)
    assert job.exit_code == 143, job.log
    assert "complete runs are kept" in job.summary
    assert job.outputs["results"] == str(project / "mmwemu-results.in-progress")
    assert len(store.load(project / "mmwemu-results.in-progress")) >= 2
    assert "actions/upload-artifact@v4" in job.used


@pytest.mark.parametrize("install", ["", "mmwemu==0.1.0"])
def test_without_a_network_the_line_says_so(tmp_path, project, install):
    """Long: it waits for answers that do not come."""
    inputs = {"study": "check.toml", "install": install, "packages": ""}
    variables = {"PIP_FIND_LINKS": "", "PIP_DEFAULT_TIMEOUT": "5"}
    job = Job(project, tmp_path / "home", inputs, prefix=NO_NETWORK, variables=variables).run()
    assert job.exit_code == 3
    (line,) = [line for line in job.log.splitlines() if line.startswith("::error")]
    assert "mmwemu could not be built or fetched" in line and "without a network" in line
    assert "without a network" in job.summary
    assert "actions/upload-artifact@v4" not in job.used


def test_gitlab_has_the_same_verdicts(home, project):
    """Long: it may build mmwemu."""
    Job(project, home, {"study": "none.toml"}).run()  # which makes the wheels, should it be the first
    wheels = home / ".cache" / "mmwemu-action"
    (wheel,) = wheels.glob("mmwemu-*.whl")
    found = gitlab.job(EXAMPLE / ".gitlab-ci.yml", "mobile-link")
    assert found["artifacts"]["when"] == "always"
    variables = {"HOME": str(home), "MMWEMU_INSTALL": str(wheel), "MMWEMU_PACKAGES": "", "PIP_NO_INDEX": "1",
                 "PIP_FIND_LINKS": str(wheels)}  # fmt: skip
    # The baseline is of another machine: what is undecided soon stays so.
    options = found["variables"]["MMWEMU_OPTIONS"].replace("5m", "30s")
    code, log = gitlab.run(found, project, variables | {"MMWEMU_OPTIONS": options})
    assert code in (0, found["allow_failure"]["exit_codes"]), log
    for base, head, expected in ((SAME, SLOWER, 1), ("'", SAME, 2)):
        for path in project.glob("mmwemu-results*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        options = f'--base "{base}" --head "{head}" --budget 3m'
        code, log = gitlab.run(found, project, variables | {"MMWEMU_OPTIONS": options})
        assert code == expected, log
    code, log = gitlab.run(found, project, {**variables, "MMWEMU_INSTALL": "nosuchwheel.whl"})
    assert code == 3
    assert "nosuchwheel.whl could not be built or fetched" in log
