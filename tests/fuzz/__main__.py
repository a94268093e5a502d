"""Runs a module of this package with the installed mmwemu, not with sources beside it: python tests/fuzz cli 30."""

import runpy
import sys
from pathlib import Path

sys.path[0:1] = []
sys.path.append(str(Path(__file__).parents[2]))
runpy.run_module(f"tests.fuzz.{sys.argv.pop(1)}", run_name="__main__", alter_sys=True)
