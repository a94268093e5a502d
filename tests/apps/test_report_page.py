"""The report page in a real browser: figures draw, filters work, nothing is asked of the network."""

import json
import subprocess
from pathlib import Path

import pytest

from mmwemu.apps.shared.browser.modules import Tools, find_tools
from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.report.page.render import render
from mmwemu.results.collection import open_folder
from mmwemu.study.reporting.page import make_page
from tests import report_folders

pytestmark = pytest.mark.apps
_LIMIT_S = 180


@pytest.fixture(scope="module")
def tools() -> Tools:
    """Give Node, the browser and the modules, or skip with the reason."""
    try:
        return find_tools()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Give a page of all kinds of runs, hostile names among them."""
    folder = tmp_path_factory.mktemp("report")
    odd = report_folders.downloads(2, (report_folders.HOSTILE,), rat="", error=report_folders.HOSTILE)
    many = report_folders.downloads(8) + odd
    found = [
        report_folders.write(folder / "d", [_numbered(run, number) for number, run in enumerate(many, 1)]),
        report_folders.page_loads(folder / "w"),
        report_folders.films(folder / "s"),
    ]
    made = folder / "report.html"
    made.write_text(render(make_page([open_folder(path) for path in found], ["mmwemu", "report"])), encoding="utf-8")
    return made


def _numbered(run, number):
    from dataclasses import replace

    return replace(run, run=number, replay=number)


def opened(tools: Tools, page: Path, width: int = 800, theme: str = "light") -> dict:
    """Open a page in the browser and return what tests/apps/report_page.mjs finds there."""
    script = Path(__file__).with_name("report_page.mjs")
    loader = paths.part("apps/shared/browser/driver/modules.mjs", "the loader")
    words = [tools.node, str(script), str(loader), str(tools.modules), tools.browser, str(page), str(width), theme]
    done = subprocess.run(words, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (800, "light"), (1400, "dark")])
def test_the_page_works_without_network_at_every_width(tools, page, width, theme):
    found = opened(tools, page, width, theme)
    assert found["messages"] == []
    assert found["requests"] == [f"file://{page}"]
    assert found["wide"] == 0
    assert found["sections"] == ["Summary", "Downloads", "Page loads", "Films", "Patterns and scenarios",
                                 "One run over time", "All runs", "Provenance"]  # fmt: skip
    names = [figure["name"] for figure in found["figures"]]
    assert names[:3] == ["download-goodput_bps", "web-speed_index_s", "stream-bitrate_mean_bps"]
    assert {"place-1", "place-1-map"} < set(names)
    for figure in found["figures"]:
        assert 0.85 * figure["room"] < figure["width"] <= figure["room"] + 1, figure
        assert figure["label"]
    assert found["chosen"] == ["download-duration_s", "download-duration_s-ecdf"]
    assert found["runs"]["all"] == "46 of 46 runs"
    assert found["runs"]["filters"] == ["filter-application", "filter-pattern", "filter-case"]
    assert found["runs"]["one_case"] == "18 of 46 runs"
    assert (found["runs"]["sorted"], found["runs"]["none"]) == ("descending", "0 of 46 runs")
    assert found["runs"]["shown"] == 46
    took = [float(row[-2]) for row in found["runs"]["first"]]
    assert took == sorted(took, reverse=True) and took[0] > 3
    assert found["course"]["wanted"] == found["course"]["shown"]
    assert found["films"] == 1
    kinds = sorted(text[:4] for text in found["saved"])
    assert kinds[0] == "<svg" and kinds[1] == "case" and kinds[2].endswith("PNG")
    assert found["printed"] == ["section-1", "download-duration_s-ecdf"]
    assert found["pdf"] > 5_000 and found["unprinted"] == 0
    assert found["paper"] == "rgb(255, 255, 255)"
    dark, light = "rgb(27, 32, 39)", "rgb(255, 255, 255)"
    assert (found["background"], found["switched"]) == ((dark, light) if theme == "dark" else (light, dark))
