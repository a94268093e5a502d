"""Where experiments take place: a testbed with applications that are ready and a web server.

Experiments share one if they need the same testbed for the same applications. Others have their own, so that what an
application keeps running is on no other's places, and is not taken for what held the other up.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmwemu.apps.application import Prepared
from mmwemu.apps.shared.webserver.server import Server, serve
from mmwemu.core import process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.progress import OnProgress
from mmwemu.core.temporary import temporary_folder
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import PlannedExperiment, PlannedReplay
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed, open_testbed


@dataclass(frozen=True)
class Room:
    """A testbed and what runs in it.

    Attributes
    ----------
    experiment
        The experiment for which it was made.
    testbed
        Places and links.
    webserver
        None where no application asked for one.
    ready
        The applications, in the order of the experiment's parts.
    at_edge
        The program at the edge, None if there is none.
    """

    experiment: PlannedExperiment
    testbed: Testbed
    webserver: Server | None
    ready: Sequence[Prepared[Any]]
    at_edge: subprocess.Popen[bytes] | None

    def serves(self, experiment: PlannedExperiment) -> bool:
        """Return whether an experiment can take place here."""
        return self.experiment.parts == experiment.parts and _needs(self.experiment.plan) == _needs(experiment.plan)

    def check_edge(self) -> None:
        """Refuse to go on once the program or the proxy at the edge has ended.

        Raises
        ------
        MmwemuError
            With its exit code.
        """
        if self.at_edge is not None and self.at_edge.poll() is not None:
            command, code = self.experiment.plan.serve_edge, self.at_edge.returncode
            raise MmwemuError(f"{command} ended at the edge, with exit code {code}")
        if problem := self.testbed.proxy_problem():
            raise MmwemuError(problem)


def _needs(plan: ReplayPlan) -> tuple[object, ...]:
    """Return what must be the same in one room; the kernel cannot undo the pacing of a server's sockets."""
    return plan.setup, plan.serve_edge, plan.pacing is None


def open_rooms(
    todo: Sequence[PlannedReplay], stack: ExitStack, folder: Path, on_progress: OnProgress
) -> dict[int, Room]:
    """Make the rooms that replays need, all before the first replay, so that what is missing is told at once.

    Parameters
    ----------
    todo
        The replays.
    stack
        Ends the rooms.
    folder
        The results folder, which gets the logs of links.
    on_progress
        Called with the progress of making content.

    Returns
    -------
    The room of each experiment, by its number.
    """
    rooms: dict[int, Room] = {}
    first_of = {this.experiment_number: this for this in reversed(todo)}
    for number, this in sorted(first_of.items()):
        found = next((room for room in rooms.values() if room.serves(this.experiment)), None)
        if found is None:
            try:
                found = _open(this, stack, None if rooms else folder, on_progress)
            except InputError as error:
                where = f"run[{number - 1}]: " if len(first_of) > 1 else ""  # as study files count
                raise InputError(f"{where}{error.where}", error.problem) from None
        rooms[number] = found
    for this in {replay.plan.congestion_control: replay for replay in todo}.values():
        for room in rooms.values():
            room.testbed.set_congestion_control(this.plan.congestion_control)
    return rooms


def _open(first: PlannedReplay, stack: ExitStack, log_dir: Path | None, on_progress: OnProgress) -> Room:
    experiment = first.experiment
    ready = []
    for part in experiment.parts:
        content = stack.enter_context(temporary_folder("content"))
        ready.append(part.application.prepare(content, on_progress))
    testbed = stack.enter_context(open_testbed(experiment.plan.setup, log_dir))
    testbed.start(first.settings)  # a missing kernel feature ends the experiment before a server is started
    served = [prepared.hosts for prepared in ready if prepared.hosts is not None]
    hosts = [host for hosts in served for host in hosts]
    webserver = stack.enter_context(serve(testbed.server, hosts)) if served else None
    command = experiment.plan.serve_edge
    at_edge = _start_at_edge(testbed.edge, command) if testbed.edge and command else None
    return Room(experiment, testbed, webserver, ready, at_edge)


def _start_at_edge(edge: Place, command: str) -> subprocess.Popen[bytes]:
    """Start a program that ends with the testbed."""
    return edge.popen(process.split(command, "serve-edge"), stdin=subprocess.DEVNULL)
