"""mmwemu pattern build, with the parameters of all conversion methods."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

import click

from mmwemu.apps.option_types import SEED, FilePath, Number, Seconds
from mmwemu.cli.output import say, warn
from mmwemu.core.bounds import HIGHEST_RATE_BPS, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.core.units import ms
from mmwemu.pattern.algebra.ensemble import Rule, ensemble
from mmwemu.pattern.conversion import radio, registry
from mmwemu.pattern.conversion.method import Method, Parameter
from mmwemu.pattern.conversion.series import Source
from mmwemu.pattern.convert import Conversion, constant, convert
from mmwemu.pattern.formats import native
from mmwemu.pattern.model import End, Outage, Pattern
from mmwemu.trace import parquet
from mmwemu.trace.model import Trace


def _option_name(parameter: str) -> str:
    """Return the option of a parameter; those in s are given in ms."""
    return f"{parameter[:-2]}_ms" if parameter.endswith("_s") else parameter


def _options() -> list[click.Option]:
    """Return an option for each name that the methods' parameters have."""
    users: dict[str, list[type[Method]]] = {}
    for method in registry.METHODS.values():
        for name in method.parameters():
            users.setdefault(name, []).append(method)
    return [_option(name, methods) for name, methods in users.items()]


def _option(name: str, methods: list[type[Method]]) -> click.Option:
    rule: Parameter = methods[0].parameters()[name]
    in_ms = name.endswith("_s")
    least, most, unit = (ms(rule.least), ms(rule.most), "ms") if in_ms else (rule.least, rule.most, rule.unit)
    defaults: dict[str, list[str]] = {}
    for method in methods:
        value = getattr(method(), name)
        defaults.setdefault(digits(ms(value) if in_ms else value), []).append(method.name)
    shown = [value if len(defaults) == 1 else f"{value} ({', '.join(names)})" for value, names in defaults.items()]
    kind = Number(unit, least=least, most=most)
    help = f"{', '.join(method.name for method in methods)}: {rule.help}.  [default: {'; '.join(shown)}]"
    return click.Option([f"--{_option_name(name).replace('_', '-')}"], type=kind, help=help)


def _help() -> str:
    lines = [f"{name:<13} {method.help}" for name, method in registry.METHODS.items()]
    return (
        "Make a pattern from TRACE (Parquet), or of a constant rate.\n\n"
        "Several TRACEs are those of one scenario with different seeds: --ensemble takes their median or worst, "
        "--seed one of them. Methods:\n\n\b\n"
    ) + "\n".join(lines)


@click.command("build", help=_help())
@click.argument("traces", nargs=-1, metavar="[TRACE]...", type=FilePath())
@click.option("-o", "--output", type=FilePath(), required=True, help="Pattern to write.")
@click.option("--method", type=click.Choice(list(registry.METHODS)), default="segments", show_default=True,
              help="What a step is.")  # fmt: skip
@click.option("--source", type=click.Choice(get_args(Source)),
              help="Column of the trace that gives the rate: what arrived, or what the MAC could give."
                   "  [default: throughput_bps; phy: phy_rate_bps]")  # fmt: skip
@click.option("--uplink", type=click.Choice(["same", "trace"]), default="same", show_default=True,
              help="The downlink's rate, or what the MAC could give the uplink.")  # fmt: skip
@click.option("--delay", type=click.Choice(["none", "ran"]), default="none", show_default=True,
              help="ran: the trace's latency in the radio network without its queueing.")  # fmt: skip
@click.option("--loss", type=click.Choice(["none", "rlc"]), default="none", show_default=True,
              help="rlc: the packets that RLC lost, in the downlink.")  # fmt: skip
@click.option("--ensemble", "rule", type=click.Choice(get_args(Rule)),
              help="Of several TRACEs, at each time: the median, or the worst of rate, delay and loss.")  # fmt: skip
@click.option("--seed", type=SEED, help="Of several TRACEs: that of this seed.")
@click.option("--outage-below-bps", type=Number("bit/s", most=HIGHEST_RATE_BPS),
              help="Less than this becomes 0.  [default: as the trace]")  # fmt: skip
@click.option("--outage", type=click.Choice(["hold", "drop"]), help="Packets in an outage.  [default: as the trace]")
@click.option("--end", type=click.Choice(["loop", "hold", "stop"]), default="loop", show_default=True,
              help="What follows its end.")  # fmt: skip
@click.option("--constant-bps", type=Number("bit/s", most=HIGHEST_RATE_BPS, or_inf=True),
              help="No trace: one step of this rate; inf is unlimited.")  # fmt: skip
@click.option("--duration-s", type=Seconds(least=SHORTEST_STEP_S), help="Duration with --constant-bps.")
def build(
    traces: tuple[Path, ...],
    output: Path,
    method: str,
    rule: Rule | None,
    seed: int | None,
    constant_bps: float | None,
    duration_s: float | None,
    **options: Any,
) -> None:
    """Make a pattern from traces, or of a constant rate."""
    if bool(traces) == (constant_bps is not None):
        raise click.UsageError("give either TRACE or --constant-bps")
    if (constant_bps is None) != (duration_s is None):
        raise click.UsageError("--constant-bps and --duration-s go together")
    if rule and seed is not None:
        raise click.UsageError("give either --ensemble or --seed")
    if len(traces) > 1 and not rule and seed is None:
        raise click.UsageError("several TRACEs need --ensemble or --seed")
    if constant_bps is not None and duration_s is not None:
        outage, end = cast(Outage, options["outage"] or "hold"), cast(End, options["end"])
        pattern = constant(constant_bps, duration_s, outage, end)
    else:
        given = {name: options.pop(_option_name(name)) for name in _parameters()}
        asked = Conversion(_method(method, given), **options)
        pattern = _converted(traces, asked, rule, seed)
    native.save(pattern, output)
    say(output)


build.params += _options()


def _parameters() -> list[str]:
    return list(dict.fromkeys(name for method in registry.METHODS.values() for name in method.parameters()))


def _method(name: str, given: dict[str, float | None]) -> Method:
    """Return the method with the parameters that the command line gives."""
    values = {}
    for parameter, value in given.items():
        if value is None:
            continue
        if parameter not in registry.METHODS[name].parameters():
            raise InputError(f"--{_option_name(parameter).replace('_', '-')}", f"is no option of the method {name}")
        values[parameter] = value / 1e3 if parameter.endswith("_s") else value
    return registry.named(name, **values)


def _converted(paths: Sequence[Path], asked: Conversion, rule: Rule | None, seed: int | None) -> Pattern:
    found = [(path, parquet.load(path)) for path in paths]
    if seed is not None:
        seeds = [trace.meta.get("seed") for _, trace in found]
        if seeds.count(seed) != 1:
            has = "none has" if seed not in seeds else "more than one has"
            raise InputError("--seed", f"is {seed}; of the traces, {has} it ({', '.join(map(str, seeds))})")
        found = [found[seeds.index(seed)]]
    patterns = [_one(path, trace, asked) for path, trace in found]
    return ensemble(patterns, rule) if rule else patterns[0]


def _one(path: Path, trace: Trace, asked: Conversion) -> Pattern:
    """Return the pattern of one trace, and tell what of the trace it left out or had to guess."""
    try:
        pattern = convert(trace, asked)
    except InputError as error:
        raise InputError(f"{path}: {error.where}", error.problem) from None
    if asked.delay == "ran":
        warn(f"note: {path}: {radio.unqueued_share(trace)}")
    if asked.uplink == "same" and "uplink_phy_rate_bps" in trace.optional:
        warn(f"note: {path}: the trace has an uplink of its own; --uplink trace takes it")
    return pattern
