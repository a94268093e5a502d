"""The applications by name, those of other packages included."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from mmwemu.apps.application import INTERFACE, ApplicationType
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_name

GROUP = "mmwemu.applications"
_OUR_ORDER = ("download", "flow", "stream", "web", "command")


def names() -> list[str]:
    """Return the names of all registered applications, ours first."""
    found = {point.name for point in entry_points(group=GROUP)}
    return [*(name for name in _OUR_ORDER if name in found), *sorted(found - set(_OUR_ORDER))]


def load(name: str) -> ApplicationType:
    """Load an application.

    Raises
    ------
    InputError
        If there is none of that name, or more than one, or its name breaks the rule of names, or it cannot be
        loaded or was written for a newer mmwemu.
    """
    points = list(entry_points(group=GROUP, name=name))
    if not points:
        raise InputError(f"application {name}", f"is not registered; there are: {', '.join(names())}")
    if len(points) > 1:
        packages = " and ".join(sorted(_package(point) for point in points))
        raise InputError(f"application {name}", f"is registered by {packages}; uninstall one of them")
    (point,) = points
    where = f"application {name}, of {_package(point)}"
    check_name(name, where)
    try:
        found = point.load()
    except Exception as error:  # a stranger's module may raise anything
        raise InputError(where, f"cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, ApplicationType):
        raise InputError(where, f"is no ApplicationType but {type(found).__name__}; mend or uninstall it")
    if found.interface > INTERFACE:
        problem = f"needs application interface {found.interface}; this mmwemu has {INTERFACE}: install a newer mmwemu"
        raise InputError(where, problem)
    return found


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value
