from contextlib import contextmanager

import pytest

from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.study import rooms
from tests.fakes import fake_testbed


@pytest.fixture
def testbeds(monkeypatch):
    """Put fake testbeds in the place of real ones; gives those that were made."""
    made = []

    @contextmanager
    def open_testbed(setup, _):
        made.append(fake_testbed(setup))
        yield made[-1]

    monkeypatch.setattr(rooms, "open_testbed", open_testbed)
    return made


@pytest.fixture
def patterns(tmp_path):
    """Give the files of two patterns, a and b."""
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file in files:
        native.save(constant(1e6, 10), file)
    return files
