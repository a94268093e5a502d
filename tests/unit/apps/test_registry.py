from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from mmwemu.apps import registry
from mmwemu.apps.application import INTERFACE, ApplicationType
from mmwemu.cli.main import _code
from mmwemu.core import plugins
from mmwemu.core.errors import InputError

OURS = ["download", "users", "flow", "stream", "web", "command"]


def create(**_):
    raise AssertionError("must not be reached")


CHAT = ApplicationType("Chat with a server.", (), create)
NEWER = ApplicationType("Chat with a server.", (), create, interface=INTERFACE + 1)
NO_TYPE = {"help": "Chat with a server."}


class Point(EntryPoint):
    """An entry point of a package."""

    def load(self):
        if self.value == "broken":
            raise ImportError("no module named 'chat'")
        return globals()[self.value]

    @property
    def dist(self):
        name = self.extras_of[self.name, self.value]
        return None if name is None else SimpleNamespace(name=name)

    extras_of = {}  # noqa: RUF012


@pytest.fixture
def plug_in(monkeypatch):
    """Give a function that adds an entry point to those that are installed."""
    real, added = plugins.entry_points, []

    def entry_points(*, group, **options):
        assert group == "mmwemu.applications"
        wanted = options.get("name")
        return [*real(group=group, **options), *(p for p in added if wanted is None or p.name == wanted)]

    def add(name, value, package):
        point = Point(name, value, "mmwemu.applications")
        monkeypatch.setitem(Point.extras_of, (name, value), package)
        added.append(point)

    monkeypatch.setattr(plugins, "entry_points", entry_points)
    return add


def refusal(name):
    with pytest.raises(InputError) as caught:
        registry.load(name)
    return str(caught.value)


BROKEN = {
    "broken": ("broken", "application chat, of chatty: cannot be loaded: ImportError: no module named 'chat'"),
    "no type": ("NO_TYPE", "application chat, of chatty: is no ApplicationType but dict; mend or uninstall it"),
    "newer": (
        "NEWER",
        f"application chat, of chatty: needs application interface {INTERFACE + 1}; this mmwemu has {INTERFACE}:"
        " install a newer mmwemu",
    ),
}


def test_ours_are_registered_and_load():
    assert registry.names() == OURS
    for name in OURS:
        assert registry.load(name).interface == INTERFACE


def test_others_follow_ours(plug_in):
    plug_in("zoom", "CHAT", "chatty")
    plug_in("chat", "CHAT", "chatty")
    assert registry.names() == [*OURS, "chat", "zoom"]
    assert registry.load("chat") is CHAT


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_plug_in_is_one_line_that_names_it(plug_in, case):
    value, message = BROKEN[case]
    plug_in("chat", value, "chatty")
    assert refusal("chat") == message


@pytest.mark.parametrize("name", ["../chat", "a chat", "\x1b[1m", "c" * 65])
def test_a_plug_in_whose_name_cannot_be_that_of_a_folder_is_refused(plug_in, capsys, name):
    plug_in(name, "CHAT", "chatty")
    assert "must be at most 64 letters of ASCII" in refusal(name)
    assert _code(["run", "--help"]) == 0  # the others work all the same
    out = capsys.readouterr().out
    assert "cannot be used" in out and "\x1b" not in out
    assert _code(["run", name]) == 2


def test_a_plug_in_without_a_package_is_named_by_its_value(plug_in):
    plug_in("chat", "broken", None)
    assert refusal("chat") == "application chat, of broken: cannot be loaded: ImportError: no module named 'chat'"


def test_a_name_that_is_taken_names_both_packages(plug_in):
    plug_in("chat", "CHAT", "talky")
    plug_in("chat", "broken", "chatty")
    assert refusal("chat") == "application chat: is registered by chatty and talky; uninstall one of them"
    plug_in("web", "CHAT", "chatty")
    assert refusal("web") == "application web: is registered by chatty and mmwemu; uninstall one of them"
    assert registry.names() == [*OURS, "chat"]


def test_an_unknown_name_names_those_that_are_there():
    assert refusal("nosuch") == f"application nosuch: is not registered; there are: {', '.join(OURS)}"


@pytest.mark.parametrize("case", BROKEN)
def test_the_help_says_why_and_all_other_verbs_work(plug_in, capsys, case):
    value, message = BROKEN[case]
    plug_in("chat", value, "chatty")
    problem = message.removeprefix("application chat, of chatty: ")
    assert _code(["run", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f" chat cannot be used: {problem}" in out
    assert " download Download files over patterns" in out and " mix Run several applications at once" in out
    for argv in (["run", "download", "--help"], ["run", "mix", "--help"], ["scenario", "list"], ["--help"]):
        assert _code(argv) == 0
    capsys.readouterr()
    for argv in (["run", "chat"], ["run", "chat", "--help"], ["run", "mix", "--pattern", "x", "--app", "chat"]):
        assert _code(argv) == 2
        assert capsys.readouterr().err == f"mmwemu: {message}\n"


def test_a_good_plug_in_is_a_verb(plug_in, capsys):
    plug_in("chat", "CHAT", "chatty")
    assert _code(["run", "--help"]) == 0
    assert " chat Chat with a server." in " ".join(capsys.readouterr().out.split())
    assert _code(["run", "chat", "--help"]) == 0
    out = capsys.readouterr().out
    assert out.index("Chat with a server.") < out.index("Replays and results") < out.index("Link")
