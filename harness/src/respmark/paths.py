"""Where things lie in a checkout."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
"""The checkout: respmark is installed from it in editable mode, specs and runners beside it."""
HARNESS: Final = ROOT / "harness"
CONTRACT: Final = HARNESS / "contract"
SPECS: Final = HARNESS / "specs"
BUILD: Final = ROOT / ".build"
"""What set-up made: environments, caches, and what it has to say of each language."""
RESULTS: Final = ROOT / "results"
