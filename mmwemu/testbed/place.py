"""Places of a testbed where programs run: clients, the edge, the server."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["client", "edge", "server"]


class Launcher(Protocol):
    """Starts programs somewhere."""

    def popen(
        self, argv: Sequence[str], variables: Mapping[str, str], *, foreground: bool, probe: bool, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a program; ``variables`` are set in its environment. See `Place.popen` for the rest."""


@dataclass(frozen=True)
class Place:
    """Where programs run.

    Attributes
    ----------
    role
        What the place is in the testbed.
    number
        Of a client, from 1; 0 for edge and server.
    address
        IPv4 address.
    variables
        The environment variables that tell programs the addresses: ``MMWEMU_CLIENT``, ``MMWEMU_EDGE`` (empty without
        one), ``MMWEMU_SERVER``, and on clients ``MMWEMU_NUMBER``.
    launcher
        Starts programs in this place.
    """

    role: Role
    number: int
    address: str
    variables: Mapping[str, str]
    launcher: Launcher

    @property
    def name(self) -> str:
        """Name for people: ``client 2``, ``server``."""
        return f"{self.role} {self.number}" if self.number else self.role

    def popen(
        self, argv: Sequence[str], *, foreground: bool = False, probe: bool = False, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a program here.

        Parameters
        ----------
        argv
            Program and arguments.
        foreground
            Keep the program in this process's group, so that it has the terminal and gets Ctrl-C; otherwise it gets a
            group of its own.
        probe
            The program measures beside the application; how long it waits for a processor does not count.
        options
            Those of `subprocess.Popen`. The environment, ``env`` or this process's, is completed by `variables`.

        Raises
        ------
        InputError
            If there is no such program.
        """
        return self.launcher.popen(argv, self.variables, foreground=foreground, probe=probe, **options)


def environment(options: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a program: ``options["env"]`` or this process's, completed by ``variables``."""
    given = options.get("env")
    return dict(os.environ if given is None else given) | dict(variables)
