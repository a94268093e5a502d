import subprocess
import sys

import pytest

from tests import report_folders


def test_a_page_and_its_figures_are_written(mmwemu, tmp_path):
    report_folders.write(tmp_path / "r", report_folders.downloads(1, sizes=(2_000_000,)))
    code, out, _ = mmwemu("report", "r", "-o", "r.html", "--figures", "f", "--title", "A & B")
    assert (code, out.split()) == (0, ["f", "r.html"])
    assert "<title>A &amp; B</title>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert {path.suffix for path in (tmp_path / "f").iterdir()} == {".png", ".pdf", ".svg", ".csv"}
    assert (tmp_path / "f" / "run-1.pdf").exists()


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["x"], "x: is not a results folder"),
        (["r.in-progress"], "is unfinished"),
        (["r", "r"], "have a folder twice"),
        (["r", "--figures", "r"], "exists already"),
        (["r", "-o", "no/such.html"], "its folder does not exist"),
    ],
)
def test_what_cannot_be_reported_is_said_in_one_line(mmwemu, tmp_path, argv, told):
    report_folders.write(tmp_path / "r", report_folders.downloads(1, sizes=(2_000_000,)))
    (tmp_path / "r.in-progress").mkdir()
    (tmp_path / "x").mkdir()
    output = [] if "-o" in argv else ["-o", "r.html"]
    code, _, err = mmwemu("report", *argv, *output)
    assert code == 2
    assert told in err
    assert len([line for line in err.splitlines() if not line.endswith("...")]) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"r", "r.in-progress", "x"}


def test_no_other_verb_loads_what_draws_the_page():
    code = (
        "import sys; from mmwemu.cli.main import _code; "
        "[_code([verb, '--help']) for verb in ('results', 'run', 'demo', 'report')]; "
        "print(*sys.modules, file=sys.stderr)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr.split()
    assert not {"altair", "vl_convert", "jinja2", "narwhals"} & set(loaded)
