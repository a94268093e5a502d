"""Runs command lines with standard streams as asked, each in a fork of this process, so that many take little time.

Reads from stdin a JSON list of [arguments, [stdin, stdout, stderr]], each stream one of `make`'s words or a file.
Writes the exit codes.
"""

import contextlib
import gc
import io
import json
import os
import sys

AT_ONCE = 4


def make(fd, what):
    """Make a descriptor what a word says, or lead it to a file."""
    if what == "closed":
        os.close(fd)
        return
    if what == "broken":
        reader, opened = os.pipe()
        os.close(reader)
    else:
        path = {"full": "/dev/full", "empty": "/dev/null"}.get(what, what)
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
    os.dup2(opened, fd)
    os.close(opened)


def become(argv, streams):
    """Be what Python is when it starts with these arguments and streams."""
    for fd, what in enumerate(streams):
        make(fd, what)
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        stream = None if streams[fd] == "closed" else open(fd, "w" if fd else "r", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv = ["mmwemu", *argv]


if __name__ == "__main__":
    from mmwemu.cli import outcome
    from mmwemu.cli.main import main

    asked = json.load(sys.stdin)
    # What the verbs import for their help is imported once.
    for argv in {tuple(argv) for argv, _ in asked if argv[-1:] == ["--help"]}:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            outcome.run(argv)
    gc.freeze()  # a fork that ends would otherwise copy all memory
    children, codes = [], []
    for number, (argv, streams) in enumerate(asked):
        children.append(os.fork())
        if children[-1] == 0:
            become(argv, streams)
            main()
        if len(children) == AT_ONCE or number + 1 == len(asked):
            codes += [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
            children = []
    json.dump(codes, sys.stdout)
