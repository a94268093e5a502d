"""mmwemu pattern convert, with the options of all registered formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mmwemu.apps.option_types import FilePath, Text
from mmwemu.cli.output import say, warn
from mmwemu.cli.pattern_input import remarks
from mmwemu.core.errors import InputError
from mmwemu.pattern import library
from mmwemu.pattern.formats import guess, registry
from mmwemu.pattern.formats.format import Format

_FORMATS = registry.registered().formats


def _options() -> list[click.Option]:
    """Return an option for each name that the formats have."""
    users: dict[str, list[Format]] = {}
    for form in _FORMATS:
        for option in form.options:
            users.setdefault(option.name, []).append(form)
    found = []
    for name, forms in users.items():
        option = next(one for one in forms[0].options if one.name == name)
        found.append(
            click.Option(
                [f"--{name.replace('_', '-')}"],
                type=click.Choice(option.choices) if option.choices else Text(),
                help=f"{', '.join(form.name for form in forms)}: {option.help}"
                + (f"  [default: {option.default}]" if option.default else ""),
            )
        )
    return found


def _help() -> str:
    lines = [
        f"{form.name:<10} {form.help}{_uses(form)}" + "".join(f", {ending}" for ending in form.endings)
        for form in _FORMATS
    ]
    return (
        "Convert a pattern or a measured trace from one format to another.\n\n"
        "IN's format shows in its content, OUT's in its ending; one that shows none is mmwemu's own. What a format "
        "cannot express is told in a line on stderr. Formats, with their endings:\n\n\b\n"
    ) + "\n".join(lines)


def _uses(form: Format) -> str:
    return "" if form.read and form.write else " (read only)" if form.read else " (written only)"


@click.command("convert", params=_options(), help=_help())
@click.argument("source", metavar="IN", type=FilePath())
@click.argument("output", metavar="OUT", type=FilePath())
@click.option("--from", "source_format", type=click.Choice(registry.names()), help="Format of IN.  [default: guessed]")
@click.option(
    "--to", "output_format", type=click.Choice(registry.names()), help="Format of OUT.  [default: by its name]"
)
def convert(source: Path, output: Path, source_format: str | None, output_format: str | None, **options: Any) -> None:
    """Convert a file from one format to another."""
    given = {name: value for name, value in options.items() if value is not None}
    target, broken = (registry.load(output_format), ()) if output_format else guess.of_name(output)
    if target.write is None:
        raise InputError(str(output), f"cannot be written as {target.name}, which can only be read")
    for line in broken:
        warn(f"note: {line}")
    reader = registry.load(source_format) if source_format else guess.of_file(source)[0]
    mine, theirs = ({option.name for option in form.options} for form in (reader, target))
    if strangers := [name for name in given if name not in mine | theirs]:
        problem = f"is no option of {reader.name} or {target.name}"
        raise InputError(f"--{strangers[0].replace('_', '-')}", problem)
    found = library.read_file(source, reader.name, {name: value for name, value in given.items() if name in mine})
    guessed = [f"IN is read as {reader.name}"] * (source_format is None)
    guessed += [f"OUT is written as {target.name}"] * (output_format is None)
    if guessed:
        warn(f"note: {', '.join(guessed)}")
    for line in remarks(found):
        warn(line)
    values = library.filled(target, {name: value for name, value in given.items() if name in theirs})
    for remark in target.write(found.pattern, output, values):
        warn(f"note: {output}: {remark}")
    say(output)
