"""The pattern formats by name, those of other packages included."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from mmwemu.core.errors import InputError
from mmwemu.core.names import is_name
from mmwemu.pattern.formats.format import INTERFACE, Format

GROUP = "mmwemu.pattern_formats"
OWN = "mmwemu"
"""The name of our own format."""

# The order in which a file's form is guessed.
_OUR_ORDER = (OWN, "mahimahi", "columns", "rattan", "tc", "kaunet", "gnettrack", "theaterq")


@dataclass(frozen=True)
class Registered:
    """The formats that can be used, ours first, and one line for each that cannot."""

    formats: tuple[Format, ...]
    broken: tuple[str, ...]


def names() -> list[str]:
    """Return the names of all registered formats, ours first."""
    found = {point.name for point in entry_points(group=GROUP)}
    return [*(name for name in _OUR_ORDER if name in found), *sorted(found - set(_OUR_ORDER))]


def load(name: str) -> Format:
    """Load a format.

    Raises
    ------
    InputError
        If there is none of that name, or more than one, or it cannot be loaded or was written for a newer mmwemu.
    """
    points = list(entry_points(group=GROUP, name=name))
    if not points:
        raise InputError(f"pattern format {name}", f"is not registered; there are: {', '.join(names())}")
    if len(points) > 1:
        packages = " and ".join(sorted(_package(point) for point in points))
        raise InputError(f"pattern format {name}", f"is registered by {packages}; uninstall one of them")
    where = f"pattern format {name}, of {_package(points[0])}"
    try:
        found = points[0].load()
    except Exception as error:  # a stranger's module may raise anything
        raise InputError(where, f"cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Format):
        raise InputError(where, f"is no Format but {type(found).__name__}; mend or uninstall it")
    if found.name != name or not is_name(name):
        raise InputError(where, f"calls itself {found.name!r}; mend or uninstall it")
    if found.interface > INTERFACE:
        problem = f"needs format interface {found.interface}; this mmwemu has {INTERFACE}: install a newer mmwemu"
        raise InputError(where, problem)
    return found


def registered() -> Registered:
    """Load all formats; one that cannot be loaded does not keep others from use."""
    formats, broken = [], []
    for name in names():
        try:
            formats.append(load(name))
        except InputError as error:
            broken.append(str(error))
    return Registered(tuple(formats), tuple(broken))


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value
