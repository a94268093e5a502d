"""What mmwemu link --live leaves on a terminal while a program writes to it."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte
import pytest

from tests.programs import MMWEMU

pytestmark = pytest.mark.link

COLUMNS, ROWS = 90, 24
PROGRAM = "for i in $(seq 40); do echo own line $i; done; ping -q -i 0.05 -c 60 $MMWEMU_SERVER >/dev/null; echo done"


class Screen:
    """A terminal and what is seen on it."""

    def __init__(self, *command):
        argv = [*MMWEMU, "link", "--pattern", "s1-long-nlos.lte", "--live", "--", *command]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execv(argv[0], argv)
        self.resize(ROWS)
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self.screen)

    def resize(self, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def wait(self, seen, within_s=30.0):
        end = time.monotonic() + within_s
        while not seen(self.lines):
            assert time.monotonic() < end, "\n".join(self.lines)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self._stream.feed(os.read(self.fd, 65536))
                except OSError:  # all that had the terminal are gone
                    return

    def close(self):
        self.wait(lambda _: False)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def drawn(lines):
    return lines[-6].startswith("── downlink 1.") and lines[-5].startswith("rate") and lines[-1].startswith("delay")


def test_the_link_is_drawn_below_what_the_program_writes():
    screen = Screen("sh", "-c", PROGRAM)
    screen.wait(drawn)
    assert screen.lines[-7] == "own line 40" or screen.lines[-8] == "own line 40"
    assert screen.lines[0].startswith("own line 2")
    assert "kB" in screen.lines[-2] and "ms" in screen.lines[-1]
    assert screen.close() == 0
    # All of the terminal is the user's again.
    assert "done" in screen.lines and not any(line.startswith(("──", "rate", "delay")) for line in screen.lines)
    assert screen.screen.margins is None or screen.screen.margins.bottom == ROWS - 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(number):
    screen = Screen("sh", "-c", PROGRAM)
    screen.wait(drawn)
    os.kill(screen.pid, number)
    assert screen.close() == 128 + number
    assert not any("delay" in line for line in screen.lines)
    assert screen.screen.margins is None or screen.screen.margins.bottom == ROWS - 1


def test_a_terminal_that_is_too_low_is_left_alone():
    screen = Screen("sh", "-c", "sleep 1; echo done")
    screen.resize(8)
    assert screen.close() == 0
    assert not any("delay" in line for line in screen.lines)
