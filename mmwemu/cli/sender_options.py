"""Options of the sender's choices of TCP beside the congestion control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click
import cloup

from mmwemu.apps.option_types import Rate, Several, Size, Whole
from mmwemu.core.bounds import LARGEST_WINDOW_PACKETS

FIELDS = ("initial_window", "pacing", "window_bytes")
"""Fields of a plan that these options set."""


class OrWord(click.ParamType[Any]):
    """A value of another type, or a word with a meaning of its own."""

    def __init__(self, inner: Any, words: Mapping[str, Any]) -> None:
        self.inner = inner
        self.words = words
        self.name = "|".join((inner.name, *words))

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the metavar of the values."""
        return "|".join((self.inner.name.upper(), *self.words))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the meaning of a word, or the value."""
        text = str(value).strip()
        return self.words[text] if text in self.words else self.inner.convert(value, param, ctx)


_PACKETS = OrWord(Whole("packets", least=1, most=LARGEST_WINDOW_PACKETS), {"bdp": "bdp", "default": None})
_RATE = OrWord(Rate(), {"bdp": "bdp"})
_BYTES = OrWord(Size(), {"default": None})


def sender_options() -> tuple[Callable[[Any], Any], ...]:
    """Return the options, each of which takes several values."""
    return (
        cloup.option("--initial-window", type=Several(_PACKETS),
                     help="First congestion window of TCP, and first receive window, in packets; bdp: rate of the "
                          "pattern times round trip.  [default: the kernel's]"),
        cloup.option("--pacing", type=Several(_RATE),
                     help="Highest rate at which a server sends payload on a connection; bdp: the pattern's mean rate."
                          "  [default: no limit]"),
        cloup.option("--window", "window_bytes", type=Several(_BYTES),
                     help="Socket buffers of TCP, fixed at this size.  [default: the kernel sizes them]"),
    )  # fmt: skip
