"""Where things are in a checkout."""

import os
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
"""The checkout: respmark is installed from it in editable mode, specs and runners beside it."""
HARNESS: Final = ROOT / "harness"
CONTRACT: Final = HARNESS / "contract"
SPECS: Final = Path(os.environ.get("RESPMARK_SPECS") or HARNESS / "specs")
"""The specs; RESPMARK_SPECS names another folder."""
BUILD: Final = ROOT / ".build"
"""What set-up made: environments, caches, and what it reports about each language."""
RESULTS: Final = ROOT / "results"
