"""The entry point. It imports nothing before signals are handled, so that Ctrl-C is one line from the start."""

from __future__ import annotations

import sys

from mmwemu.core import interruption


def main(argv: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    0 done, 1 failed, 2 usage, 3 missing, 4 not valid, 128 and its number for a signal.

    Parameters
    ----------
    argv
        Arguments; None for those of this process, which then handles signals until it ends with the call.
    """
    if argv is None:
        interruption.install()
    sys.exit(_code(argv))


def _code(argv: list[str] | None) -> int:
    try:
        from mmwemu.cli import outcome

        code = outcome.run(argv)
        interruption.finish()
        return code
    except KeyboardInterrupt as error:
        interruption.finish()
        print(f"mmwemu: {interruption.word(error)}", file=sys.stderr)
        return interruption.exit_code(error)
