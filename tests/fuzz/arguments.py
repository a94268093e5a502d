"""Command lines for every verb, made from click's own parameters, so that a new verb or option is covered at once."""

import click
from hypothesis import strategies as st

from mmwemu.apps import option_types
from mmwemu.cli.main import cli
from tests.fuzz import files
from tests.fuzz.running import Case, Link

# Kinds of the files that parameters name.
_READ = {
    "pattern": "pattern",
    "patterns": "pattern",
    "scenario": "scenario",
    "scenarios": "scenario",
    "trace": "trace",
    "source": "columns",
    "profile_name": "profile",
    "folder": "site",
    "sites": "site",
    "film": "film",
    "flows": "flows",
}
_SHIPPED = {
    "pattern": ("s1-long-nlos.mmwave", "s4-outage.lte", "nosuch"),
    "scenario": ("s1", "s2-crossings", "nosuch"),
    "profile": ("hurtig2019", "nosuch"),
    "site": ("google", "nosuch"),
    "film": ("synthetic", "bunny"),
}
# These change networks of the real machine, or wait for another.
_NEVER = ("outside", "outside_by", "client_login", "server_login", "live", "verbose", "wants_calibration")
# What really runs, runs shortly; click takes the last value.
_SHORT = {
    "download": ["-n", "1", "--limit-s", "0.5", "--size", "10kB"],
    "flow": ["-n", "1", "--duration-s", "0.3"],
    "stream": ["-n", "1", "--duration-s", "1"],
    "web": ["-n", "1", "--limit-s", "1"],
    "command": ["-n", "1", "--limit-s", "1"],
    "mix": ["-n", "1"],
    "link": ["--limit-s", "1"],
    "demo": ["-n", "1", "--limit-s", "0.3", "--size", "10kB"],
}
_TEXTS = {
    "serve": ("true", "sleep 9", "nosuch", '"', "", "sh -c 'exit 3'", "\\"),
    "serve_edge": ("true", "sleep 9", "nosuch", '"', ""),
    "congestion_control": ("cubic", "reno", "nosuch", "", "x" * 300, "../x"),
    "name": ("mine", "a/b", "", "x" * 300, "Ä", "\x1b[1m", "-"),
    "url": ("http://x.test/", "http://[", "ftp://x", "x", ""),
    "preset": ("google", "cnn", "nosuch"),
    "parts": (
        "download --size 1kB --limit-s 0.3",
        "command -- true",
        "nosuch",
        "",
        '"',
        "download --size",
        "flow --at nan",
        "download --at 1e308",
        "command",
        "web --site nosuch",
        "download -h",
    ),
}
_OUTPUTS = (
    "out.csv",
    "out.png",
    "out.pdf",
    "out.svg",
    "out.parquet",
    "out.pcapng",
    "out",
    "x/y/out",
    "",
    ".",
    "..",
    "/",
    "x" * 300,
    "y/" * 3000 + "z",
    "/dev/null",
    "/dev/full",
    "/dev/null/x.png",
    "nodir/x.png",
    "\udcff.png",
    "é.svg",
    "a\x1b[31m.png",
    "taken",
    "taken.png",
    "gone",
    "-o",
)
_COMMANDS = (["true"], ["sh", "-c", "exit 3"], ["nosuch"], [""], ["sleep", "9"], ["\udcff"])
_SIZES = ("1kB", "10kB", "0", "-1", "9" * 400, "1e308", "1 XB", "", "nan", "2000TB", "1.5", "\u0661kB")
_RATES = (
    "1Mbit/s",
    "1e6",
    "0",
    "-1",
    "inf",
    "nan",
    "9" * 400,
    "1e400",
    "2Tbit/s",
    "1e12",
    "1e13",
    "",
    "...",
    "5 parsec",
)
_SPANS = ("0-1", "1-0", "0-1e9", "9-99999999999", "nan-1", "", "-", "0-0")
_NUMBERS = (
    "",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1",
    "0",
    "9" * 400,
    "9" * 5000,
    "1e-320",
    "1_0",
    "0x10",
    "\u0661",
    " 1",
    "1e400",
    "--",
    "1.5",
    "1,5",
    "x",
)


def verbs(command=cli, words=()):
    """Return the words and parameters of all verbs."""
    context = click.Context(command, info_name="mmwemu")
    found = [(words, command)]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found += verbs(command.get_command(context, name), (*words, name))
    return found


@st.composite
def _value(draw, kind, param, made, verb):
    """Draw a word for a parameter; files that it names go to ``made``."""
    if isinstance(kind, click.Choice):
        return draw(st.sampled_from([*kind.choices] * 3 + ["nosuch", ""]))
    if isinstance(kind, option_types.Number):
        low = kind.least if kind.above is None else kind.above
        edges = [repr(low), repr(kind.most), repr(kind.most * 1.0001), "0.05", "0.3", "1"]
        return draw(st.sampled_from(edges * 2 + list(_NUMBERS)) | st.floats().map(repr))
    if isinstance(kind, option_types.Whole):
        # No more clients than make sense in 20 s.
        edges = ["1", "2", str(kind.least), str(kind.least - 1), str(kind.most + 1)]
        return draw(st.sampled_from(edges * 2 + list(_NUMBERS)) | st.integers(max_value=3).map(str))
    for special, words in ((option_types.Size, _SIZES), (option_types.Rate, _RATES), (option_types.Span, _SPANS)):
        if isinstance(kind, special):
            return draw(st.sampled_from(words))
    if param.name in _READ:
        return draw(_named(_READ[param.name], made, verb))
    if param.name == "roots":
        return draw(st.sampled_from(["results", ".", "nosuch", "", "x" * 300]))
    if isinstance(kind, (option_types.FilePath, option_types.FileOrName)):
        return draw(st.sampled_from(_OUTPUTS))
    word = draw(st.sampled_from(_TEXTS[param.name]) if param.name in _TEXTS else files.texts)
    return word.replace("\0", "")


@st.composite
def _named(draw, kind, made, verb):
    """Draw the name of a file or of something shipped."""
    shipped = () if verb in (("simulate",), ("demo",)) else _SHIPPED.get(kind, ())
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from((*shipped, *_OUTPUTS)))
    if shipped and draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(shipped))
    name = draw(st.sampled_from(["in"] * 9 + ["a b", "\x1b[1m", "é", "-in", ".in", "x" * 100])) + files.ENDINGS[kind]
    made.update(files.below(name, draw(files.of_kind(kind))))
    return name


@st.composite
def cases(draw, verb, command):
    """Draw a command line for a verb and the files that it names."""
    made: dict[str, object] = {"taken": b"", "taken.png": None, "gone": Link("nowhere")}
    words = list(verb)
    params = [param for param in command.params if param.name not in _NEVER]
    behind = []
    for param in params:
        if param.name in ("help", "argv"):
            continue
        # A shipped scenario takes longer to simulate than a case may last.
        needed = param.required or (verb == ("demo",) and param.name == "scenario")
        if not needed and draw(st.integers(0, 3)):
            continue
        for _ in range(draw(st.sampled_from([1, 1, 1, 2])) if param.multiple or param.nargs == -1 else 1):
            if isinstance(param, click.Option) and param.is_flag:
                words.append(draw(st.sampled_from([*param.opts, *param.secondary_opts])))
                continue
            word = draw(_value(param.type, param, made, verb))
            if isinstance(param, click.Argument):
                behind.append(word)
            else:
                words += [draw(st.sampled_from(param.opts)), word]
    if draw(st.integers(0, 30)) == 0:
        words.append(draw(st.sampled_from(["--nosuch", "--help", "x", "", "\udcff", "\x1b[31m"])))
    if isinstance(command, click.Group):
        words += draw(st.sampled_from([[], ["nosuch"], ["--help"], ["\x1b[31m"]]))
    words += _SHORT.get(verb[-1] if verb else "", [])
    if any(param.name == "argv" for param in params):
        words += [
            "--",
            *draw(st.sampled_from([["true"], ["sh", "-c", "exit 3"], ["nosuch"], [""], ["sleep", "9"], ["\udcff"]])),
        ]
    home = draw(st.sampled_from([""] * 9 + ["/dev/null", "/nosuch"]))
    return Case([*words, *behind], made, home)
