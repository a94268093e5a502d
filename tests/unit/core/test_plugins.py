"""Of what all kinds of plug-ins share; what one kind adds is tested with its registry."""

from types import SimpleNamespace

import pytest

from mmwemu.core import plugins
from mmwemu.core.errors import InputError


class Tool:
    interface = 1


class NewerTool(Tool):
    interface = 3


class Point:
    def __init__(self, name, value, package="pack"):
        self.name, self.value = name, str(value)
        self.dist = SimpleNamespace(name=package) if package else None
        self.load = lambda: value


@pytest.fixture
def tools(monkeypatch):
    """Give the plug-ins of a kind, of which some are registered."""

    def make(*points):
        def entry_points(*, group, name=None):
            assert group == "some.tools"
            return [point for point in points if name in (None, point.name)]

        monkeypatch.setattr(plugins, "entry_points", entry_points)
        return plugins.PlugIns("tool", "some.tools", Tool, 2, ("saw", "axe"))

    return make


def test_ours_come_first_in_their_order_then_others_by_name(tools):
    found = tools(*(Point(name, Tool()) for name in ("zap", "axe", "file", "saw")))
    assert found.names() == ["saw", "axe", "file", "zap"]


def test_one_of_an_older_interface_is_loaded(tools):
    tool = Tool()
    assert tools(Point("saw", tool)).load("saw") is tool


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([Point("axe", Tool())], "tool saw: is not registered; there are: axe"),
        (
            [Point("saw", Tool(), "b"), Point("saw", Tool(), "a")],
            "tool saw: is registered by a and b; uninstall one of them",
        ),
        ([Point("saw", 5)], "tool saw, of pack: is no Tool but int; mend or uninstall it"),
        ([Point("saw", 5, None)], "tool saw, of 5: is no Tool but int; mend or uninstall it"),
        (
            [Point("saw", NewerTool())],
            "tool saw, of pack: needs tool interface 3; this mmwemu has 2: install a newer mmwemu",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_used_says_why(tools, points, message):
    with pytest.raises(InputError) as caught:
        tools(*points).load("saw")
    assert str(caught.value) == message
