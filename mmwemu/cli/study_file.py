"""Study files: lists of ``mmwemu run`` commands in TOML; docs/formats/study.md describes the format."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps import registry
from mmwemu.apps.option_types import Several
from mmwemu.cli.application_options import own_parameters, parameters_of
from mmwemu.cli.replay_options import replay_options, replay_plan
from mmwemu.core.errors import InputError
from mmwemu.core.tables import Table
from mmwemu.core.text import parse_toml, shown

if TYPE_CHECKING:
    from mmwemu.study.planned import PlannedExperiment
    from mmwemu.study.studies import Study

FORMAT = 1
MIX = "mix"
_TOP = ("format", "name", "retries", "run", "expect")
_OF_RUN = ("application",)
_PRINTING = ("output", "as_json")
# An option of a run displaces one of these that stands at the top.
_INSTEAD = (
    ("start-at", "start-random"),
    ("queue-bytes", "queue-packets", "queue-ms", "queue-bdp"),
    ("uplink-queue-bytes", "uplink-queue-packets", "uplink-queue-ms", "uplink-queue-bdp"),
)


def read(text: str, where: str) -> Study:
    """Return the study that a file describes.

    Parameters
    ----------
    text
        The file's content.
    where
        Its name, for errors.

    Raises
    ------
    InputError
        If it breaks a rule; the message names file, key and rule.
    """
    from mmwemu.study.studies import MOST_RETRIES, Study

    values = parse_toml(text, where)
    table = Table(where, values)
    table.format(FORMAT)
    expected(text, where)
    name, retries = table.name("name"), table.integer("retries", 0, least=0, most=MOST_RETRIES)
    common = {key: value for key, value in values.items() if key not in _TOP}
    shared = keys_of(parameters_of(replay_options(1)))
    _check_keys(common, [*shared, *_TOP], where, "")
    seed = _seed(common, shared, where)
    runs = [_experiment(Table(where, own, f"run[{i}]."), own, common, f"{where}: run[{i}]")
            for i, own in enumerate(_runs(table))]  # fmt: skip
    if not runs:
        raise table.refuse("run", "is missing; a study has at least one [[run]]")
    return Study(name, tuple(runs), seed, retries, text)


def expected(text: str, where: str) -> list[str]:
    """Return the thresholds of a study file, which ``mmwemu check`` judges; none where it has none.

    Raises
    ------
    InputError
        If ``expect`` is no list of texts.
    """
    found = parse_toml(text, where).get("expect", [])
    if not isinstance(found, list) or not all(isinstance(line, str) for line in found):
        raise InputError(f"{where}: expect", f"is {shown(found)}; must be a list of texts")
    return found


def keys_of(parameters: list[click.Parameter]) -> dict[str, click.Parameter]:
    """Return the parameters that can stand in a study, by their keys: long options without dashes, and arguments."""
    found: dict[str, click.Parameter] = {}
    for parameter in parameters:
        if parameter.name in _PRINTING:
            continue
        if isinstance(parameter, click.Option):
            found[max(parameter.opts, key=len).removeprefix("--")] = parameter
        else:
            found[str(parameter.name)] = parameter
    return found


def parameters_of_run(application: str) -> list[click.Parameter]:
    """Return the options and arguments of ``mmwemu run`` that plan runs of an application, or a mix of several.

    Raises
    ------
    InputError
        If the application cannot be used.
    """
    if application == MIX:
        from mmwemu.cli.run_mix import command as mix

        return list(mix.params)
    kind = registry.load(application)
    return [*own_parameters(application, kind), *parameters_of(replay_options(kind.repetitions))]


def _runs(table: Table) -> list[dict[str, Any]]:
    table.tables("run")
    found: list[dict[str, Any]] = table.get("run", [])
    return found


def _experiment(table: Table, own: Mapping[str, Any], common: Mapping[str, Any], where: str) -> PlannedExperiment:
    from mmwemu.study.planned import Part, PlannedExperiment, check_together

    application = table.text("application", choices=[*registry.names(), MIX])
    parameters = parameters_of_run(application)
    known = keys_of(parameters)
    given = {key: value for key, value in own.items() if key not in _OF_RUN}
    _check_keys(given, [*known, *_OF_RUN], where, ".")
    inherited = {key: value for key, value in common.items() if not _is_displaced(key, given)}
    options = _parsed(application, parameters, inherited | given, known, where)
    try:
        patterns = options.pop("patterns")
        _check_patterns(patterns, f"{where}.pattern")
        plan = replay_plan(options)
        if application == MIX:
            check_together(options["parts"])
            return PlannedExperiment(tuple(options["parts"]), tuple(patterns), plan)
        return PlannedExperiment((Part(registry.load(application).create(**options)),), tuple(patterns), plan)
    except InputError as error:
        if error.where.startswith(where):
            raise
        raise InputError(f"{where}{'.' if error.where in known else ': '}{error.where}", error.problem) from None


def _check_patterns(names: tuple[str, ...], where: str) -> None:
    from mmwemu.pattern import cell

    for name in names:
        try:
            cell.files(name)
        except InputError as error:
            raise InputError(f"{where}: {error.where}", error.problem) from None


def _is_displaced(key: str, given: Mapping[str, Any]) -> bool:
    return any(key in group and key not in given and any(other in given for other in group) for group in _INSTEAD)


def _parsed(
    application: str,
    parameters: list[click.Parameter],
    values: Mapping[str, Any],
    known: Mapping[str, click.Parameter],
    where: str,
) -> dict[str, Any]:
    """Return the values of all options, as the verb would have them from a command line."""
    options: list[str] = []
    arguments: list[str] = []
    for key, value in values.items():
        parameter = known[key]
        words = _words(parameter, key, value, f"{where}.{key}")
        if isinstance(parameter, click.Option):
            options += words
        else:
            arguments += words
    kept = [parameter for parameter in parameters if parameter.name not in _PRINTING]
    command = click.Command(application, params=kept, add_help_option=False)
    try:
        with command.make_context(application, [*options, "--", *arguments]) as context:
            return dict(context.params)
    except click.MissingParameter as error:
        raise InputError(f"{where}.{_key(error.param, known)}", "is missing; it is required") from None
    except click.UsageError as error:
        raise InputError(where, error.format_message().rstrip(".")) from None


def _words(parameter: click.Parameter, key: str, value: Any, where: str) -> list[str]:
    """Return the words of a command line that say what a key says."""
    is_flag = isinstance(parameter, click.Option) and parameter.is_flag
    if is_flag:
        if not isinstance(value, bool):
            raise InputError(where, f"is {shown(value)}; must be true or false")
        negative = next(iter(parameter.secondary_opts), None)
        return [f"--{key}"] if value else [negative] if negative else []
    several = isinstance(parameter.type, Several)
    items = value if isinstance(value, list) else [value]
    if not items:
        raise InputError(where, "is an empty list; leave the key out, or give a value")
    if isinstance(value, list) and not (several or parameter.multiple or parameter.nargs == -1):
        raise InputError(where, f"is {shown(value)}; must be one value")
    texts = [_text(item, where) for item in items]
    if several:
        if any("," in text for text in texts) and len(texts) > 1:
            raise InputError(where, f"is {shown(value)}; give each value as one item of the list")
        texts = [",".join(texts)]
    for text in texts:
        try:
            parameter.type.convert(text, parameter, None)
        except InputError as error:
            raise InputError(where, error.problem) from None
        except click.BadParameter as error:
            raise InputError(where, error.message.rstrip(".")) from None
    return [f"--{key}={text}" for text in texts] if isinstance(parameter, click.Option) else texts


def _text(value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(where, f"is {shown(value)}; must be a text, a number, or a list of these")
    return value if isinstance(value, str) else repr(value)


def _key(parameter: click.Parameter | None, known: Mapping[str, click.Parameter]) -> str:
    return next((key for key, one in known.items() if one is parameter), "")


def _check_keys(values: Mapping[str, Any], known: list[str], where: str, dot: str) -> None:
    for key in values:
        if key not in known:
            close = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"known here: {', '.join(sorted(known))}"
            raise InputError(f"{where}{dot}{'' if dot else ': '}{shown(key)[1:-1]}", f"is not a known key; {hint}")


def _seed(common: Mapping[str, Any], shared: Mapping[str, click.Parameter], where: str) -> int:
    """Return the seed at the top, from which the order of the replays is drawn."""
    parameter = shared["seed"]
    if "seed" not in common:
        return int(parameter.default)  # type: ignore[arg-type]
    words = _words(parameter, "seed", common["seed"], f"{where}: seed")
    return int(words[0].partition("=")[2])
