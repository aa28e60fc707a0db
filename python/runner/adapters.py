"""Finds a client's adapter."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def loaded(trial: SimpleNamespace) -> Any:
    """Import the adapter that the trial names, and the library with the trial's options."""
    file = Path(__file__).parents[1] / "clients" / trial.client / trial.adapter
    if (folder := str(file.parent)) not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(file.stem).load(trial)
