"""The answers of a cluster's workers, as they come."""

from __future__ import annotations

import asyncio
import logging
import queue
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mmwemu.campaign.cluster import Cluster
from mmwemu.campaign.plan import Simulation
from mmwemu.campaign.work import Answer, simulate
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.text import shown

if TYPE_CHECKING:
    from distributed import Client, Future

_ADDRESS = re.compile(r"(tcp|tls)://[^\s/:@]+:[0-9]{1,5}|(tcp|tls)://\[[0-9a-fA-F:]+\]:[0-9]{1,5}")
_CONNECT_S = 15.0
_WORKERS_S = 60.0
_LOST_S = 10.0
_TICK_S = 0.2


@contextmanager
def connected(cluster: Cluster) -> Iterator[Client]:
    """Yield a client of a cluster that has workers.

    Raises
    ------
    InputError
        If the address cannot be one.
    MissingError
        If nobody answers there, or no worker comes.
    """
    from distributed import Client, Security

    if not _ADDRESS.fullmatch(cluster.address):
        raise InputError("--scheduler", f"is {shown(cluster.address)}; must be such as tcp://10.0.0.1:8786")
    if cluster.address.startswith("tls:") and cluster.security is None and not Security().tls_client_cert:
        raise InputError("--scheduler", "speaks TLS; name its keys in Dask's configuration (distributed.comm.tls)")
    _silence()
    where = f"Dask scheduler {cluster.address}"
    try:
        client = Client(cluster.address, security=cluster.security, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError):
        remedy = "start it (dask scheduler), or leave out --scheduler to work on this machine"
        raise MissingError(f"{where} does not answer", remedy) from None
    try:
        _await_workers(client, where)
        yield client
    finally:
        # Without a word to a scheduler that may have gone.
        client.close(timeout=0.5)


def answers(client: Client, cluster: Cluster, simulations: Sequence[Simulation]) -> Iterator[tuple[Simulation, Answer]]:
    """Yield each simulation with its answer, as soon as it is there.

    Raises
    ------
    MmwemuError
        If the scheduler has gone.
    """
    done: queue.Queue[Any] = queue.Queue()
    futures: dict[str, Simulation] = {}
    kept = []  # Dask forgets what nobody holds
    for simulation in simulations:
        future = client.submit(simulate, simulation, key=f"{simulation.name}-{id(done)}", pure=False)
        futures[future.key] = simulation
        kept.append(future)
    for future in kept:
        future.add_done_callback(done.put)
    del kept
    lost_s = None
    while futures:
        try:
            future = done.get(timeout=_TICK_S)
        except queue.Empty:
            lost_s = None if client.status == "running" else lost_s or time.monotonic()
            if _has_ended(cluster) or (lost_s is not None and time.monotonic() - lost_s > _LOST_S):
                raise _gone(cluster) from None
            continue
        yield futures.pop(future.key), _answer(future, cluster)


def _silence() -> None:
    """Let Dask's client log nothing: what goes wrong is told in one line of ours."""
    for name in ("asyncio", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "tornado", "distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _await_workers(client: Client, where: str) -> None:
    end_s = time.monotonic() + _WORKERS_S
    while not client.scheduler_info()["workers"]:
        if time.monotonic() > end_s:
            raise MissingError(f"{where} has no workers", "start some: dask worker ADDRESS")
        time.sleep(_TICK_S)


def _answer(future: Future, cluster: Cluster) -> Answer:
    from distributed import KilledWorker

    try:
        answer = future.result(timeout=_LOST_S)
    except (CancelledError, asyncio.CancelledError, OSError, TimeoutError):
        raise _gone(cluster) from None
    except KilledWorker:
        return Answer(problem="its worker was killed, four times", exit_code=1)
    except Exception as error:  # whatever a worker of another installation may raise
        return Answer(problem=f"a worker failed: {type(error).__name__}: {error}", exit_code=1)
    if not isinstance(answer, Answer):
        return Answer(problem="a worker has another version of mmwemu", exit_code=1)
    return answer


def _has_ended(cluster: Cluster) -> bool:
    return cluster.scheduler is not None and cluster.scheduler.poll() is not None


def _gone(cluster: Cluster) -> MmwemuError:
    return MmwemuError(f"Dask scheduler {cluster.address} has gone")
