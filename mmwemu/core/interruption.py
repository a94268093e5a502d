"""Ctrl-C, SIGTERM and SIGHUP as one exception, and blocks that no signal cuts in two."""

from __future__ import annotations

import signal
import sys
from _thread import get_ident

_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
_AGAIN_S = 0.01

_main_thread = 0  # the thread that signals interrupt, 0 while nothing is installed
_held = 0  # how many `held` blocks that thread is in
_waiting = 0  # a signal that is to take effect later


class Interrupted(KeyboardInterrupt):
    """A signal asked this process to end; whatever handles Ctrl-C handles it.

    Attributes
    ----------
    number
        The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def install() -> None:
    """Let the signals raise `Interrupted` in this thread, the main one.

    A signal that is ignored stays ignored, as under nohup. While an earlier one is being handled, no other does
    anything, so that cleaning up is not cut off. One that comes within an import or a `held` block takes effect after
    it, and so does one whose exception was lost, as in a finalizer.
    """
    global _main_thread
    _main_thread = get_ident()
    for number in _WORDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)
    signal.signal(signal.SIGALRM, _on_alarm)
    sys.unraisablehook = _on_lost


def finish() -> None:
    """Let no signal do anything any more, if `install` was called: this process is about to leave."""
    if _main_thread:
        for number in (*_WORDS, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)


def word(error: KeyboardInterrupt) -> str:
    """Return what happened to this process: ``interrupted``, ``terminated`` or ``hung up``."""
    return _WORDS[signal.Signals(_number(error))]


def exit_code(error: KeyboardInterrupt) -> int:
    """Return the exit code of a process that a signal ended: 128 and the signal's number."""
    return 128 + _number(error)


class held:  # noqa: N801 - used like a function
    """Hold signals back for a block, which must be short; does nothing where `install` was not called."""

    def __enter__(self) -> None:
        global _held
        _held += get_ident() == _main_thread

    def __exit__(self, *_: object) -> None:
        global _held
        _held -= get_ident() == _main_thread


def _number(error: KeyboardInterrupt) -> int:
    return error.number if isinstance(error, Interrupted) else signal.SIGINT


def _on_signal(number: int, frame: object) -> None:
    if _held or _is_importing(frame):
        _repeat_later(number)
    elif not _is_handling_one():
        raise Interrupted(number)


def _on_alarm(_: int, frame: object) -> None:
    global _waiting
    number, _waiting = _waiting, 0
    if number:
        _on_signal(number, frame)


def _on_lost(lost: sys.UnraisableHookArgs) -> None:
    """Repeat a signal whose exception nobody can catch."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _repeat_later(_number(lost.exc_value))
    else:
        sys.__unraisablehook__(lost)


def _repeat_later(number: int) -> None:
    global _waiting
    _waiting = _waiting or number
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)


def _is_importing(frame: object) -> bool:
    """Return whether a module is being imported; an exception there may be taken for a module that is missing."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):  # type: ignore[attr-defined]
            return True
        frame = frame.f_back  # type: ignore[attr-defined]
    return False


def _is_handling_one() -> bool:
    """Return whether this code runs because of an interruption: in an ``except``, a ``finally`` or the like."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False
