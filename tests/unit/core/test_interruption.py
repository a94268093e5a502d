"""What a signal does, in a process of its own each time."""

import signal
import subprocess
import sys

import pytest

# As in a shell's foreground, also where the tests run in the background.
DEFAULTS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""
HEAD = """
import os, signal, sys, time
from mmwemu.core import interruption

def send(number=signal.SIGTERM):
    os.kill(os.getpid(), number)
    time.sleep(0)  # a signal takes effect at the next step

interruption.install()
"""


def run(script):
    return subprocess.run(
        [sys.executable, "-P", "-c", DEFAULTS + HEAD + script], capture_output=True, text=True, timeout=20
    )


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "hung up")],
)
def test_each_signal_has_its_word_and_its_code(name, code, word):
    script = f"""
try:
    send(signal.{name})
except KeyboardInterrupt as error:
    print(interruption.exit_code(error), interruption.word(error))
"""
    assert run(script).stdout == f"{code} {word}\n"


def test_what_is_ignored_stays_ignored():
    script = "send(signal.SIGHUP); print('on')"
    argv = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", sys.executable, "-P", "-c", HEAD + script]
    assert subprocess.run(argv, capture_output=True, text=True).stdout == "on\n"


def test_clean_up_is_not_cut_off_by_further_signals():
    done = run("""
try:
    try:
        send()
    finally:
        send(); send(signal.SIGINT)
        print("first")
        try:
            raise OSError("of the clean-up")
        except OSError:
            send()
        print("second")
except KeyboardInterrupt as error:
    send()
    print(interruption.exit_code(error))
""")
    assert (done.stdout, done.stderr) == ("first\nsecond\n143\n", "")


def test_after_clean_up_the_next_signal_counts_again():
    done = run("""
for number in (signal.SIGTERM, signal.SIGHUP):
    try:
        send(number)
    except KeyboardInterrupt as error:
        print(interruption.exit_code(error))
""")
    assert done.stdout == "143\n129\n"


def test_a_signal_in_a_block_that_holds_it_comes_after_it():
    done = run("""
try:
    with interruption.held():
        with interruption.held():
            send()
        time.sleep(0.1)
        print("whole")
    time.sleep(5)
except KeyboardInterrupt as error:
    print(interruption.exit_code(error))
""")
    assert (done.stdout, done.stderr) == ("whole\n143\n", "")


def test_a_signal_within_an_import_comes_after_it(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(0.1)\nprint('imported')\n"
    )
    done = run(f"""
sys.path.insert(0, {str(tmp_path)!r})
try:
    import slow
    time.sleep(5)
except KeyboardInterrupt as error:
    print(interruption.exit_code(error))
""")
    assert (done.stdout, done.stderr) == ("imported\n143\n", "")


def test_a_signal_that_meets_a_finalizer_is_not_lost():
    done = run("""
class Finalized:
    def __del__(self):
        send()
        print("not reached")

try:
    Finalized()
    time.sleep(5)
except KeyboardInterrupt as error:
    print(interruption.exit_code(error))
""")
    assert (done.stdout, done.stderr) == ("143\n", "")


def test_a_thread_neither_gets_signals_nor_holds_them():
    done = run("""
import threading
go, done = threading.Event(), threading.Event()

def hold():
    with interruption.held():
        go.set()
        done.wait(5)

threading.Thread(target=hold, daemon=True).start()
go.wait()
try:
    send()
except KeyboardInterrupt as error:
    print(interruption.exit_code(error))
done.set()
""")
    assert done.stdout == "143\n"


def test_without_installing_ctrl_c_is_pythons():
    script = "from mmwemu.core import interruption\nwith interruption.held(): print('held')\nraise KeyboardInterrupt"
    done = subprocess.run([sys.executable, "-P", "-c", DEFAULTS + script], capture_output=True, text=True)
    assert done.stdout == "held\n"
    assert done.returncode == -signal.SIGINT
