"""A campaign, from plan to data set; what is finished is kept, and not simulated again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mmwemu.campaign import answers, dataset
from mmwemu.campaign.cluster import Cluster, local_cluster
from mmwemu.campaign.plan import Simulation
from mmwemu.campaign.work import Answer
from mmwemu.core import interruption, leftovers
from mmwemu.core.errors import InputError, InterruptedRunError, MmwemuError
from mmwemu.core.files import locked_folder, whole_file
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.simulate.config import scenario_hash
from mmwemu.trace import parquet

_FAILED = 1


class CampaignError(MmwemuError):
    """A campaign did not come to its end; the message says why, and how many simulations are kept.

    Parameters
    ----------
    message
        One line.
    exit_code
        That of the error that ended it.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class Where:
    """Where a campaign runs and where its files go.

    Attributes
    ----------
    folder
        Traces go to ``traces`` in it, the data set beside that.
    jobs
        Number of simulations at a time on this machine.
    scheduler
        Address of a Dask scheduler elsewhere, None to work on this machine.
    """

    folder: Path
    jobs: int = 1
    scheduler: str | None = None


def run(plan: Sequence[Simulation], where: Where, on_progress: OnProgress = ignore) -> dataset.Levels:
    """Run what is not finished yet, write the data set, and return levels with their intervals over seeds.

    Raises
    ------
    InputError
        If the folder is in use, or has traces of other simulations under the same names.
    MissingError
        If the scheduler does not answer or has no workers.
    CampaignError
        If simulations failed, or the cluster or the disk did; what is finished is kept.
    InterruptedRunError
        After a signal; what is finished is kept.
    """
    with locked_folder(where.folder):
        list(leftovers.remove(leftovers.find([where.folder / "traces"])))
        todo = [simulation for simulation in plan if not _is_finished(simulation, where.folder)]
        kept = len(plan) - len(todo)
        failed: list[tuple[Simulation, Answer]] = []
        try:
            if todo:
                with _cluster(where) as cluster, answers.connected(cluster) as client:
                    on_progress(Progress("simulate", kept, len(plan)))
                    for simulation, answer in answers.answers(client, cluster, todo):
                        if answer.problem and answer.exit_code != _FAILED:
                            raise CampaignError(f"{simulation.name}: {answer.problem}", answer.exit_code)
                        if answer.problem:
                            failed.append((simulation, answer))
                            continue
                        for path, content in zip(simulation.traces(where.folder), answer.contents, strict=True):
                            _keep(path, content)
                        kept += 1
                        on_progress(Progress("simulate", kept, len(plan)))
        except KeyboardInterrupt as error:
            told = f"{interruption.word(error)}; {_kept(kept, plan, where)}"
            raise InterruptedRunError(told, interruption.exit_code(error)) from None
        except MmwemuError as error:
            if not kept:
                raise
            raise CampaignError(f"{error}; {_kept(kept, plan, where)}", error.exit_code) from None
        if failed:
            simulation, answer = failed[0]
            more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
            raise CampaignError(f"{simulation.name}: {answer.problem}{more}; {_kept(kept, plan, where)}", _FAILED)
        return dataset.write(plan, where.folder, on_progress)


def _keep(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise MmwemuError(f"{path.parent}: cannot be made: {error.strerror}") from None
    with whole_file(path) as draft:
        draft.write_bytes(content)


@contextmanager
def _cluster(where: Where) -> Iterator[Cluster]:
    if where.scheduler is not None:
        yield Cluster(where.scheduler)
        return
    with local_cluster(where.jobs) as cluster:
        yield cluster


def _is_finished(simulation: Simulation, folder: Path) -> bool:
    """Return whether a simulation's traces are there; refuse a file of that name that is of another simulation."""
    wanted = {
        "scenario_hash": scenario_hash(simulation.scenario, simulation.rat),
        "rat": simulation.rat,
        "seed": simulation.seed,
        "engine": simulation.engine,
    }
    paths = simulation.traces(folder)
    there = [path for path in paths if path.exists()]
    for path in there:
        meta = parquet.load_meta(path)
        for key, value in wanted.items():
            if meta.get(key) != value:
                raise InputError(str(path), f"is of another simulation (its {key} differs); choose another folder")
    return there == paths


def _kept(kept: int, plan: Sequence[Simulation], where: Where) -> str:
    return f"{kept} of {len(plan)} simulations are kept in {where.folder}: the same command continues"
