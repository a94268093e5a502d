"""What packages register by entry points, ours among them: applications, pattern formats."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, Protocol, TypeVar

from mmwemu.core.errors import InputError
from mmwemu.core.names import check_name


class Registrable(Protocol):
    """What can be registered.

    Attributes
    ----------
    interface
        The version of the interface that it was written for.
    """

    @property
    def interface(self) -> int:
        """The version of the interface that it was written for."""


Registered = TypeVar("Registered", bound=Registrable)


@dataclass(frozen=True)
class PlugIns(Generic[Registered]):
    """The registered things of one kind.

    Attributes
    ----------
    kind
        The word for one of them in messages.
    group
        The group of entry points.
    wanted
        The type that an entry point must lead to.
    interface
        The newest version of the interface that this mmwemu knows.
    our_order
        Names in the order in which they come before others, which are sorted.
    """

    kind: str
    group: str
    wanted: type[Registered]
    interface: int
    our_order: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Return all names, those of `our_order` first."""
        found = {point.name for point in entry_points(group=self.group)}
        return [*(name for name in self.our_order if name in found), *sorted(found - set(self.our_order))]

    def load(self, name: str) -> Registered:
        """Load one of them.

        Raises
        ------
        InputError
            If there is none of that name, or more than one, or its name breaks the rule of names, or it cannot be
            loaded or was written for a newer mmwemu.
        """
        points = list(entry_points(group=self.group, name=name))
        if not points:
            raise InputError(f"{self.kind} {name}", f"is not registered; there are: {', '.join(self.names())}")
        if len(points) > 1:
            packages = " and ".join(sorted(_package(point) for point in points))
            raise InputError(f"{self.kind} {name}", f"is registered by {packages}; uninstall one of them")
        where = f"{self.kind} {name}, of {_package(points[0])}"
        check_name(name, where)
        try:
            found = points[0].load()
        except Exception as error:  # a stranger's module may raise anything
            raise InputError(where, f"cannot be loaded: {type(error).__name__}: {error}") from error
        if not isinstance(found, self.wanted):
            raise InputError(where, f"is no {self.wanted.__name__} but {type(found).__name__}; mend or uninstall it")
        if found.interface > self.interface:
            needed = f"needs {self.kind} interface {found.interface}; this mmwemu has {self.interface}"
            raise InputError(where, f"{needed}: install a newer mmwemu")
        return found


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value
