"""A process that has mmwemu imported and forks for each command line that it is sent; see `tests.fuzz.running`.

The forked process has pipes as its standard streams and ends as any Python program does. The server outlives it, takes
over what the command left running, tells its command lines and kills it.
"""

import atexit
import contextlib
import ctypes
import faulthandler
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_GRACE_S = 1.0


def import_everything():
    """Import what a command could import, so that no forked process has to."""
    import mmwemu

    for module in pkgutil.walk_packages(mmwemu.__path__, "mmwemu."):
        if not module.name.endswith(("__main__", "mitmproxy_script", "apps.command.server")):
            importlib.import_module(module.name)
    for name in (
        "matplotlib.backends.backend_agg",
        "matplotlib.backends.backend_pdf",
        "matplotlib.backends.backend_svg",
        "matplotlib.pyplot",
        "pandas",
        "pyarrow.parquet",
        "scipy.stats",
        "PIL.Image",
    ):
        importlib.import_module(name)


def serve(connection):
    """Answer requests; return the arguments in each forked process."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    while True:
        data, streams, _, _ = socket.recv_fds(connection, 1 << 22, 3)
        if not data:
            os._exit(0)
        request = json.loads(data)
        pid = os.fork()
        if pid == 0:
            connection.close()
            return become(request, streams)
        for fd in streams:
            os.close(fd)
        answer = {"status": wait(pid, request["limit_s"]), "left": clear_away()}
        connection.send(json.dumps(answer).encode())


def become(request, streams):
    """Make this process one that a shell has started."""
    os.setsid()
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None
    sys.argv = ["mmwemu", *map(os.fsdecode, map(bytes.fromhex, request["argv"]))]
    faulthandler.dump_traceback_later(request["limit_s"] - 1)
    return sys.argv[1:]


def wait(pid, limit_s):
    """Return the wait status of a process, None where it did not end in time."""
    pidfd = os.pidfd_open(pid)
    ended, _, _ = select.select([pidfd], [], [], limit_s)
    os.close(pidfd)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return status if ended else None


def clear_away():
    """Kill what still runs after a grace and return the command lines."""
    deadline_s = time.monotonic() + _GRACE_S
    left = []
    while children := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        done, _ = os.waitpid(-1, os.WNOHANG)
        if done == 0 and time.monotonic() > deadline_s:
            for child in children:
                words = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                left.append(words)
                os.kill(int(child), signal.SIGKILL)
                os.waitpid(int(child), 0)
        elif done == 0:
            time.sleep(0.005)
    return left


def finish(arguments):
    """Run the command and end as Python does, but without taking all imported modules apart."""
    from mmwemu.cli.main import main

    code = 1
    try:
        main(arguments)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    import_everything()
    gc.collect()
    gc.freeze()
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.send(b"ready")
    finish(serve(channel))
