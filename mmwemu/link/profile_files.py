"""Link profiles from TOML files, strictly; docs/formats/link-profile.md describes the format."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_args, get_type_hints

from mmwemu.core import paths
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_file_name, check_path
from mmwemu.core.tables import Table
from mmwemu.core.text import read_text
from mmwemu.link.profile import LinkProfile

FORMAT = 1
_FOLDER = "link/profiles"


@dataclass(frozen=True)
class NamedProfile:
    """A link profile with its name, a title for people, and the source of its values."""

    name: str
    title: str
    source: str
    profile: LinkProfile


def names() -> list[str]:
    """Return the names of the shipped profiles."""
    folder = paths.installed(_FOLDER)
    return sorted(path.stem for path in folder.glob("*.toml")) if folder else []


def load(name: str) -> NamedProfile:
    """Load a profile: a file, or the name of a shipped one.

    Raises
    ------
    InputError
        If there is no such profile, or it is broken or of a newer format.
    """
    file = check_path(name)
    shipped = paths.installed(f"{_FOLDER}/{name}.toml") if name in names() else None
    if shipped is not None and not file.is_file():
        file = shipped
    elif not file.exists():
        raise InputError(f"link profile {name}", f"is no file and no shipped profile; there are: {', '.join(names())}")
    table = Table.parse(str(file), read_text(file))
    table.format(FORMAT)
    title, source = table.title("title"), table.title("source")
    values = {field.name: _value(table, field.name) for field in fields(LinkProfile) if field.name in table}
    table.finish([field.name for field in fields(LinkProfile)])
    try:
        profile = LinkProfile(**values)
    except InputError as error:
        raise InputError(f"{file}: {error.where.removeprefix('link: ')}", error.problem) from None
    return NamedProfile(check_file_name(file), title, source, profile)


def _value(table: Table, key: str) -> Any:
    """Read a value of the type that the field of `LinkProfile` has."""
    kinds = get_type_hints(LinkProfile)[key]
    choices = [arg for kind in (kinds, *get_args(kinds)) for arg in get_args(kind) if isinstance(arg, str)]
    types = (kinds, *get_args(kinds))
    if choices:
        return table.text(key, choices=choices)
    if bool in types:
        return table.flag(key, False)
    return table.integer(key, least=0) if int in types and float not in types else table.number(key)
