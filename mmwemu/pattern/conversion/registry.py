"""The conversion methods by name."""

from __future__ import annotations

from mmwemu.core.errors import InputError
from mmwemu.pattern.conversion.changepoints import ChangePoints
from mmwemu.pattern.conversion.method import Method
from mmwemu.pattern.conversion.phy import Phy
from mmwemu.pattern.conversion.quantile import Quantile
from mmwemu.pattern.conversion.segments import Segments
from mmwemu.pattern.conversion.window import Window

METHODS: dict[str, type[Method]] = {one.name: one for one in (Segments, Window, Quantile, ChangePoints, Phy)}
"""All methods; a further one is a module and its name here."""


def named(name: str, **parameters: float) -> Method:
    """Return a method by its name; parameters that are not given have their default.

    Raises
    ------
    InputError
        If there is no such method, or it has no such parameter, or a value is beyond its bounds.
    """
    if name not in METHODS:
        raise InputError("method", f"is {name!r}; must be one of {', '.join(METHODS)}")
    kind = METHODS[name]
    for key in parameters:
        if key not in kind.parameters():
            raise InputError(key, f"is no parameter of the method {name}")
    return kind(**parameters)
