"""Starts the double from wherever it stands, as a runner's command does."""

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
runpy.run_module("tests.conform.double", run_name="__main__", alter_sys=True)
