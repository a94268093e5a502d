"""The options and arguments that an application registers, as parameters of click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import cloup

from mmwemu.apps.application import ApplicationType


def own_parameters(name: str, application: ApplicationType) -> list[click.Parameter]:
    """Return the application's own options and arguments, in a group of the help."""
    parameters = parameters_of(*application.options)
    group = cloup.OptionGroup(name.capitalize())
    for parameter in parameters:
        if isinstance(parameter, click.Option):
            parameter.group = group  # type: ignore[attr-defined]
    return parameters


def parameters_of(*decorators: Callable[[Any], Any]) -> list[click.Parameter]:
    """Return the parameters that decorators of click add to a function."""

    def function() -> None:
        pass

    for decorator in reversed(decorators):
        decorator(function)
    return list(reversed(getattr(function, "__click_params__", [])))
