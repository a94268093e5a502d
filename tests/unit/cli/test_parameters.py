"""Every option and argument of every verb has a type whose values are bounded and can be shown."""

import math

import click
import pytest

from mmwemu.apps import option_types
from mmwemu.apps.option_types import DrawnLength, FileOrName, FilePath, Number, Rate, Seconds, Size, Span, Text, Whole
from mmwemu.cli.main import _code
from mmwemu.cli.verbs import cli
from mmwemu.core.errors import InputError


def parameters(command=cli, words="mmwemu"):
    """Return name and parameter of all verbs, the applications' options in --app among them."""
    found = [(f"{words} {param.name}", param) for param in command.params]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found += parameters(command.get_command(context, name), f"{words} {name}")
    return found


OURS = tuple(
    kind for kind in vars(option_types).values() if isinstance(kind, type) and issubclass(kind, click.ParamType)
)
# The command of `mmwemu link` may have any bytes; --app has the options of the verbs, --share two whole numbers.
OTHERS = {
    "mmwemu link argv": "UnprocessedParamType",
    "mmwemu run mix parts": "_Application",
    "mmwemu study run share": "_Share",
}


@pytest.mark.parametrize(("name", "param"), parameters(), ids=lambda one: one if isinstance(one, str) else "")
def test_a_parameter_has_a_bounded_type(name, param):
    if name in OTHERS:
        assert type(param.type).__name__ == OTHERS[name]
        return
    assert isinstance(param.type, (click.Choice, click.types.BoolParamType, *OURS)), param.type
    if isinstance(param.type, (Number, Whole)):
        low = param.type.least if getattr(param.type, "above", None) is None else param.type.above
        assert math.isfinite(low) and math.isfinite(param.type.most) and low < param.type.most
        has_no_unit = param.name.endswith(("bdp", "loss", "factor", "remaining", "quantile", "share"))
        assert param.type.unit or isinstance(param.type, Whole) or has_no_unit


def test_there_are_parameters_of_all_kinds():
    kinds = {type(param.type) for _, param in parameters()}
    assert {Number, Seconds, Whole, Size, Rate, Span, FilePath, FileOrName, Text} <= kinds


NEVER = [
    "",
    "nan",
    "-nan",
    "1e308",
    "-1e308",
    "1e400",
    "9" * 400,
    "9" * 5000,
    "1_0",
    "0x10",
    "\u0661",
    "1,5",
    "x",
    "--",
    "\udcff",
]


@pytest.mark.parametrize("text", NEVER)
@pytest.mark.parametrize(
    "kind",
    [
        Number("s", most=10),
        Seconds(above=0),
        Whole("bytes", least=0, most=10**12),
        Size(),
        Rate(),
        Span(),
        DrawnLength(),
    ],
    ids=lambda kind: type(kind).__name__,
)
def test_what_is_no_number_is_refused_in_one_line(kind, text):
    with pytest.raises((click.BadParameter, InputError)) as caught:
        kind.convert(text, None, None)
    message = caught.value.message if isinstance(caught.value, click.BadParameter) else str(caught.value)
    assert len(message) < 300 and "\n" not in message


def test_the_bounds_are_inclusive_but_for_above():
    kind = Number("ms", least=1, most=3600, or_inf=True)
    assert [kind.convert(text, None, None) for text in ("1", "3.6e3", " 1.5", "inf", 2)] == [1, 3600, 1.5, math.inf, 2]
    with pytest.raises(click.BadParameter, match=r"'3600\.1' is not a number from 1 to 3600 ms, or inf"):
        kind.convert("3600.1", None, None)
    with pytest.raises(click.BadParameter, match="'0' is not a number above 0, up to 2592000 s"):
        Seconds(above=0).convert("0", None, None)
    with pytest.raises(click.BadParameter, match="'inf' is not a number"):
        Seconds().convert("inf", None, None)
    with pytest.raises(click.BadParameter, match="'11' is not a whole number from 1 to 10 packets"):
        Whole("packets", least=1, most=10).convert("11", None, None)


@pytest.mark.parametrize("text", ["x" * 300, "a/" * 3000, ""])
@pytest.mark.parametrize("kind", [FilePath(), FileOrName()])
def test_a_path_that_no_system_takes_is_refused(kind, text):
    with pytest.raises(click.BadParameter):
        kind.convert(text, None, None)


def test_a_text_is_in_unicode():
    assert Text().convert("ä\n", None, None) == "ä\n"
    with pytest.raises(click.BadParameter, match="is not a text in UTF-8"):
        Text().convert("a\udcff", None, None)


def test_an_open_quote_is_one_line(capsys, monkeypatch, tmp_path):
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):  # no warning of a calibration, or of a study that runs
        monkeypatch.setenv(name, str(tmp_path))
    assert _code(["link", "--pattern", "s1-long-nlos.mmwave", "--serve", '"', "--", "true"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
