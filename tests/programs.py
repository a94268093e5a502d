"""How tests start mmwemu as a program of its own."""

import sys

# -P: what is installed, not the sources in the folder of the tests, which have no programs built.
MMWEMU = [sys.executable, "-P", "-c", "from mmwemu.cli.main import main; main()"]
