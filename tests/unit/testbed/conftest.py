import pytest

from tests import patterns


@pytest.fixture
def make_pattern():
    """Give a maker of patterns with the same two directions."""
    return patterns.make_pattern
