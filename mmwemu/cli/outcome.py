"""One command line run to its end: errors become one line and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click

from mmwemu.cli import streams
from mmwemu.cli.output import warn
from mmwemu.cli.verbs import cli
from mmwemu.core.errors import MmwemuError

_NAME = "mmwemu"
_FAILED, _USAGE = 1, 2
# What a machine may run out of in a call that names no file.
_SCARCE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM,
           errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}  # fmt: skip


def run(argv: Sequence[str] | None = None) -> int:
    """Run a command line, by default this process's, and return its exit code.

    A signal is left to the caller, and so is an error that is a mistake of ours.
    """
    streams.prepare()
    try:
        code = _invoke(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return code
    except streams.BrokenOutputError as error:
        return error.exit_code
    except MmwemuError as error:
        return _complain(str(error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return _USAGE
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        return _complain(error.format_message() + hint, error.exit_code)
    except MemoryError:
        return _complain("there is not enough memory", _FAILED)
    except OSError as error:
        if error.filename is None and error.errno not in _SCARCE:
            raise
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return _complain(f"{place}{error.strerror}", _FAILED)
    finally:
        streams.close_if_broken()


def _invoke(argv: list[str]) -> int:
    if "_MMWEMU_COMPLETE" in os.environ:  # a shell asks what could come next
        cli.main(argv, prog_name=_NAME)
    try:
        # click's own main() would turn signals and broken pipes into something else.
        with cli.make_context(_NAME, argv) as context:
            result = cli.invoke(context)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    return result if isinstance(result, int) else 0


def _complain(message: str, code: int) -> int:
    warn(message)
    return code
