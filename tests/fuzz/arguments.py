"""Command lines for every verb, made from click's own parameters, so that a new verb or option is covered at once."""

import copy

import click
from hypothesis import strategies as st

from mmwemu.apps import option_types
from mmwemu.cli.verbs import cli
from tests.fuzz import files, tampering
from tests.fuzz.running import Case, Link

# Kinds of the files that parameters name.
_READ = {
    "pattern": "pattern",
    "patterns": "pattern",
    "scenario": "scenario",
    "scenarios": "scenario",
    "trace": "trace",
    "second": "trace",
    "packets": "packets",
    "deliveries": "deliveries",
    "uplink_deliveries": "deliveries",
    "traces": "trace",
    "other": "pattern",
    "reference": "pattern",
    "others": "pattern",
    "sources": "pattern",
    "source": "exchanged",
    "uplink": "exchanged",
    "profile_name": "profile",
    "study": "study",
    "baseline": "baseline",
    "folder": "site",
    "kept": "results",
    "before": "results",
    "after": "results",
    "sites": "site",
    "film": "film",
    "flows": "flows",
    "rays": "rays",
    "ray_lines": "eight lines",
    "route": "route",
}
_SHIPPED = {
    "pattern": ("s1-long-nlos.mmwave", "s4-outage.lte", "nosuch", "-"),
    "scenario": ("s1", "s2-crossings", "nosuch"),
    "profile": ("hurtig2019", "nosuch"),
    "site": ("google", "nosuch"),
    "film": ("synthetic", "bunny"),
}
# These change networks of the real machine, or wait for another.
_NEVER = ("outside", "outside_by", "client_login", "server_login", "live", "verbose", "wants_calibration")
# Without these, most command lines say too little.
_LIKELY = ("traces", "objects", "size_bytes", "url", "rate_bps")
# What really runs, runs shortly; click takes the last value.
_SHORT = {
    "download": ["-n", "1", "--limit-s", "0.5", "--size", "10kB"],
    "flow": ["-n", "1", "--duration-s", "1"],
    "stream": ["-n", "1", "--duration-s", "1"],
    "web": ["-n", "1", "--limit-s", "1"],
    "command": ["-n", "1", "--limit-s", "1"],
    "mix": ["-n", "1"],
    "run": ["--dry-run"],
    "check": ["--budget", "1s"],
    "budget": ["--budget", "1s"],
    "link": ["--limit-s", "1"],
    "demo": ["-n", "1", "--limit-s", "0.3", "--size", "10kB"],
}
_LENGTHS = ("0.5", "exponential:0.1", "uniform:0.1-0.2", "lognormal:1,1", "fixed:1e-7", "uniform:2-1", "x:1", "", ":")
_TEXTS = {
    "base_station_m": ("1,2,3", "0,0,10", "1,2", "1,2,nan", "1e9,0,0", ",,", "", "x"),
    "on": _LENGTHS,
    "off": _LENGTHS,
    "blocked": _LENGTHS,
    "gap": _LENGTHS,
    "serve": ("true", "sleep 9", "nosuch", '"', "", "sh -c 'exit 3'", "\\"),
    "serve_edge": ("true", "sleep 9", "nosuch", '"', ""),
    "congestion_control": ("cubic", "reno", "nosuch", "", "x" * 300, "../x"),
    "expect": (
        "goodput_bps >= 1",
        "lcp_s p50 <= 2.5",
        "x <= 0.9 of baseline",
        "x <= baseline + 1",
        "x > 1",
        "x <= nan",
        "",
    ),
    "base": ("true", "nosuch", '"', ""),
    "head": ("true", "nosuch", '"', ""),
    "target": ("nosuch", "https://x.invalid/", "http://[", "taken", "."),
    "engine": ("mmwemu-cell", "ns3-mmwave", "nosuch", ""),
    "name": ("mine", "a/b", "", "x" * 300, "Ä", "\x1b[1m", "-"),
    "url": ("http://x.test/", "http://[", "ftp://x", "x", ""),
    "sql": ("select * from runs", "select 1", "select", "drop table runs", "select * from read_csv('/etc')", "", ";"),
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
_SPANS = ("0-0.1", "0-1", "1-0", "0-1e9", "9-99999999999", "nan-1", "", "-", "0-0")
_RATS = ("mmwave", "lte", "lte,lte", "nosuch", "", ",", "mmwave,", "x" * 300)
# None that can be used: a campaign starts a cluster of processes, which takes longer than a case may last.
_SEEDS = ("2-1", "0", "", "-", "1-", "1,,2", "1-2147483648", "9" * 400, "1-99999999", "x", "\u0661")
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
def _value(draw, param, wild):
    """Draw a word for a parameter that names no file to read: one that can be used, or a wild one."""
    kind = param.type
    if isinstance(kind, option_types.Several):
        param = copy.copy(param)
        param.type = kind.inner
        return draw(_value(param, wild)) + draw(st.sampled_from(["", "", "", ",", ",1"]))
    if isinstance(kind, click.Choice):
        return draw(st.sampled_from(["nosuch", ""] if wild else [*kind.choices]))
    if isinstance(kind, option_types.Number):
        low = kind.least if kind.above is None else kind.above
        edges = [repr(low), repr(kind.most), repr(kind.most * 1.0001)]
        usable = [text for text in ("0.01", "0.3", "1", "20") if low < float(text) <= kind.most] or [repr(kind.most)]
        return draw(st.sampled_from([*_NUMBERS, *edges]) | st.floats().map(repr) if wild else st.sampled_from(usable))
    if isinstance(kind, option_types.Whole):
        edges = [str(kind.least), str(kind.least - 1), str(kind.most + 1)]
        if param.name in ("queue_bytes", "uplink_queue_bytes", "seed"):
            edges.append(str(kind.most))  # more clients or repetitions would take too long
        usable = [str(max(kind.least, 1)), str(max(kind.least, 2))]
        wilder = st.sampled_from([*_NUMBERS, *edges]) | st.integers(max_value=3).map(str)
        return draw(wilder if wild else st.sampled_from(usable))
    for special, words in (
        (option_types.Size, _SIZES),
        (option_types.Rate, _RATES),
        (option_types.Span, _SPANS),
        (option_types.Rats, _RATS),
        (option_types.Seeds, _SEEDS),
    ):
        if isinstance(kind, special):
            return draw(st.sampled_from(words if wild else words[:1]))
    if param.name in ("root", "roots"):
        return draw(st.sampled_from(["results", ".", "nosuch", "", "x" * 300]))
    if isinstance(kind, (option_types.FilePath, option_types.FileOrName)):
        return draw(st.sampled_from(_OUTPUTS if wild else _OUTPUTS[:7]))
    known = _TEXTS.get(param.name, ("mine",))
    word = draw(st.sampled_from(known) | tampering.texts if wild else st.sampled_from(known[:2]))
    return word.replace("\0", "")


@st.composite
def _named(draw, kind, made, verb, wild):
    """Draw the name of a file to read, or of something shipped; the file goes to ``made``."""
    # A shipped scenario takes longer to simulate than a case may last.
    shipped = () if verb in (("simulate",), ("demo",)) else _SHIPPED.get(kind, ())
    if wild and draw(st.booleans()):
        return draw(st.sampled_from((*shipped, *_OUTPUTS)))
    if shipped and draw(st.sampled_from([False] * 5 + [True])):
        return draw(st.sampled_from(shipped))
    name = draw(st.sampled_from(["a b", "\x1b[1m", "é", "-in", ".in", "x" * 100] if wild else ["in", "in.2"]))
    name += files.ENDINGS[kind]
    made.update(files.below(name, draw(files.of_kind(kind))))
    return name


@st.composite
def cases(draw, verb, command):
    """Draw a command line for a verb and the files that it names; at most one option is wild."""
    made: dict[str, object] = {"taken": b"", "taken.png": None, "gone": Link("nowhere")}
    words, behind = list(verb), []
    params = [param for param in command.params if param.name not in (*_NEVER, "help", "argv")]
    wild_one = draw(st.sampled_from([None, None, draw(st.sampled_from([None, *params]))]))
    for param in params:
        # A shipped scenario takes longer to simulate than a case may last.
        needed = param.required or param is wild_one or (verb == ("demo",) and param.name == "scenario")
        chances = [False, True, True, True] if param.name in _LIKELY else [False] * 7 + [True]
        if not needed and not draw(st.sampled_from(chances)):
            continue
        several = param.multiple if isinstance(param, click.Option) else param.nargs == -1
        for _ in range(draw(st.sampled_from([1, 1, 1, 2])) if several else 1):
            if isinstance(param, click.Option) and param.is_flag:
                words.append(draw(st.sampled_from([*param.opts, *param.secondary_opts])))
                continue
            wild = param is wild_one
            if param.name in _READ and not isinstance(param.type, click.Choice):
                word = draw(_named(_READ[param.name], made, verb, wild))
            else:
                word = draw(_value(param, wild))
            if isinstance(param, click.Argument):
                behind.append(word)
            else:
                words += [draw(st.sampled_from(param.opts)), word]
    if draw(st.sampled_from([False] * 30 + [True])):
        words.append(draw(st.sampled_from(["--nosuch", "--help", "x", "", "\udcff", "\x1b[31m"])))
    if isinstance(command, click.Group):
        words += draw(st.sampled_from([[], ["nosuch"], ["--help"], ["\x1b[31m"]]))
    words += _SHORT.get(verb[-1] if verb else "", [])
    if any(param.name == "argv" for param in command.params):
        behind += ["--", *draw(st.sampled_from(_COMMANDS))]
    home = draw(st.sampled_from([""] * 9 + ["/dev/null", "/proc/nosuch"]))
    return Case([*words, *behind], made, home)
