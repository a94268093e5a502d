import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.report import figures
from mmwemu.report.statistics import goodput_table
from mmwemu.results.store import to_frame
from tests.unit.results.test_store import run


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5_000


def test_trace(tmp_path, make_trace):
    figures.plot_trace(make_trace([1] * 300 + [0] * 300 + [1] * 300), tmp_path / "t.png", "title")
    assert is_png(tmp_path / "t.png")


def test_patterns(tmp_path):
    figures.plot_patterns({"mmwave": constant(1e9, 4), "lte": constant(7e7, 4)}, tmp_path / "p.png")
    assert is_png(tmp_path / "p.png")


def test_goodput_with_every_run_failed(tmp_path):
    runs = [run(1), run(2), run(3, pattern="q", rat="mmwave", goodput_bps=None, status="failed")]
    figures.plot_goodput(goodput_table(to_frame(runs)), tmp_path / "g.png")
    assert is_png(tmp_path / "g.png")


def test_an_unknown_kind_of_picture(tmp_path):
    with pytest.raises(InputError, match=r"is not a picture file; the name must end in \.png, \.pdf, \.svg"):
        figures.plot_patterns({"lte": constant(7e7, 4)}, tmp_path / "p.gif")


def test_rebin_keeps_the_mean():
    values = np.arange(1000.0)
    time_s, means = figures.rebin(np.arange(1000) * 1e-3, values, 1e-3)
    assert len(means) == 10
    assert means.mean() == values.mean()
    assert time_s[0] == pytest.approx(0.05)
