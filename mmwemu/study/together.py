"""Actions that start at set times after one common time 0."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Result = TypeVar("Result")

# The slowest application needs to be ready within this, s.
_READY_LIMIT_S = 60.0


@dataclass(frozen=True)
class Played(Generic[Result]):
    """The result of an action, and when it began: let go if it asked for that, s of CLOCK_MONOTONIC."""

    result: Result
    begin_s: float


def play(acts: Sequence[Callable[[Callable[[], None]], Result]], offsets_s: Sequence[float]) -> list[Played[Result]]:
    """Run actions at once, each in a thread of its own, and return their results in order.

    An action calls what it is given when it is ready; the call returns ``offset_s`` after all were ready. A single
    action runs in the caller's thread.

    Raises
    ------
    BaseException
        The first exception that an action raised, once all have ended.
    """
    if len(acts) == 1:
        return [_timed(acts[0], lambda: None)]
    start = _Start(len(acts))
    results: list[Played[Result] | None] = [None] * len(acts)
    errors: list[BaseException] = []

    def run(i: int) -> None:
        try:
            results[i] = _timed(acts[i], lambda: start.wait(i, offsets_s[i]))
        except BaseException as error:
            errors.append(error)
        finally:
            start.ready(i)

    # Daemons: on Ctrl-C nobody waits for them; they end when the testbed takes their processes away.
    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [result for result in results if result is not None]


def _timed(act: Callable[[Callable[[], None]], Result], go: Callable[[], None]) -> Played[Result]:
    begin_s = time.monotonic()

    def timed_go() -> None:
        nonlocal begin_s
        go()
        begin_s = time.monotonic()

    result = act(timed_go)
    return Played(result, begin_s)


class _Start:
    """Time 0: when each of ``n`` actions was ready once, or had ended."""

    def __init__(self, n: int) -> None:
        self._missing = set(range(n))
        self._condition = threading.Condition()
        self._zero_s = 0.0

    def ready(self, i: int) -> None:
        with self._condition:
            if i in self._missing:
                self._missing.remove(i)
                if not self._missing:
                    self._zero_s = time.monotonic()
                    self._condition.notify_all()

    def wait(self, i: int, offset_s: float) -> None:
        self.ready(i)
        with self._condition:
            if not self._condition.wait_for(lambda: not self._missing, _READY_LIMIT_S):
                raise TimeoutError(f"an application was not ready within {_READY_LIMIT_S:g} s")
        time.sleep(max(0.0, self._zero_s + offset_s - time.monotonic()))
