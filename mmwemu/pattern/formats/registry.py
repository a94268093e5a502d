"""The pattern formats by name, those of other packages included."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.core.errors import InputError
from mmwemu.core.plugins import PlugIns
from mmwemu.pattern.formats.format import INTERFACE, Format

OWN = "mmwemu"
"""The name of our own format."""

# In the order in which a file's form is guessed.
_FORMATS = PlugIns(
    "pattern format",
    "mmwemu.pattern_formats",
    Format,
    INTERFACE,
    (OWN, "mahimahi", "columns", "rattan", "tc", "kaunet", "gnettrack", "cellreplay", "theaterq"),
)


@dataclass(frozen=True)
class Registered:
    """The formats that can be used, ours first, and one line for each that cannot."""

    formats: tuple[Format, ...]
    broken: tuple[str, ...]


def names() -> list[str]:
    """Return the names of all registered formats, ours first."""
    return _FORMATS.names()


def load(name: str) -> Format:
    """Load a format.

    Raises
    ------
    InputError
        As `mmwemu.core.plugins.PlugIns.load`, or if the format calls itself by another name.
    """
    found = _FORMATS.load(name)
    if found.name != name:
        raise InputError(f"pattern format {name}", f"calls itself {found.name!r}; mend or uninstall it")
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
