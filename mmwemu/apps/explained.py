"""What `mmwemu explain` has to know of an application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mmwemu.core.errors import InputError

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Extent:
    """When a run began and ended.

    Attributes
    ----------
    lead_s
        Time from the beginning of the run to its first packet, s.
    length_s
        Time from its beginning to its end, s.
    """

    lead_s: float
    length_s: float


@dataclass(frozen=True)
class Explained:
    """How runs of an application are explained; each run is a transfer over TCP that the client began.

    Attributes
    ----------
    extent
        Returns the extent of a run, given its row of runs.parquet and the time from the sending of its first packet to
        the arrival of the answer to it, s. Raises InputError for a run that cannot be explained.
    again
        Returns the application that repeats a run and nothing else, given what was asked (the manifest's ``asked``) and
        the run's row. Raises InputError if that is not known any more.
    length
        The column of the run that says how long it took, ``duration_s`` or a part of it.
    """

    extent: Callable[[Row, float], Extent]
    again: Callable[[Row, Row], Any]
    length: str


def check_protocol(run: Row) -> None:
    """Refuse a run over QUIC.

    Raises
    ------
    InputError
        If its protocol is HTTP/3.
    """
    if run.get("protocol") == "h3":
        raise InputError("protocol h3", "cannot be explained: its packets are encrypted; TCP's are read")
