"""A shell in a testbed has the terminal, and gives it back."""

import os
import pty
import re
import select
import signal
import sys
import time

import pytest

pytestmark = pytest.mark.link

HEAD = """
import os, signal
from mmwemu.testbed.testbed import open_testbed

with open_testbed() as testbed:
    inside = testbed.client.popen(["bash", "--norc", "-i"], foreground=True, env=os.environ | {"PS1": "PROMPT "})
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("CODE", inside.wait(), os.tcgetpgrp(0) == os.getpgrp(), flush=True)
"""


class Terminal:
    """The other end of a pseudo-terminal with a program on it."""

    def __init__(self, argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # A test run in the background ignores these, and what it starts would too.
            for number in (signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            os.execv(argv[0], argv)
        self.text = ""

    def expect(self, words, within_s=30.0):
        end = time.monotonic() + within_s
        while not re.search(words, self.text):
            assert time.monotonic() < end, f"{words!r} did not come; this did: {self.text!r}"
            if select.select([self.fd], [], [], 0.1)[0]:
                self.text += os.read(self.fd, 4096).decode()
        self.text = re.split(words, self.text, maxsplit=1)[-1]

    def type(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.fixture
def terminal():
    opened = Terminal([sys.executable, "-P", "-c", HEAD])
    yield opened
    opened.close()


def test_a_shell_has_job_control_and_interrupts_and_returns_the_terminal(terminal):
    terminal.expect("PROMPT ")
    # What says that it is there has the terminal already.
    terminal.type("sh -c 'echo go$((1)); exec sleep 100'\n")
    terminal.expect("go1")
    terminal.type("\x03")
    terminal.expect("PROMPT ")
    terminal.type("sh -c 'echo go$((2)); exec sleep 100'\n")
    terminal.expect("go2")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    # wait does not wait for a job that is stopped, and a shell that has one does not leave.
    terminal.type("kill -9 %1; while kill -0 %1 2>/dev/null; do sleep 0.05; done; echo still=$((40+2))\n")
    terminal.expect("still=42")
    terminal.type("exit 5\n")
    terminal.expect("CODE 5 True")
