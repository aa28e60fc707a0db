"""Where the tests find the contract and the runner's environments."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CONTRACT: Final = ROOT / "harness" / "contract"
GOLDEN: Final = CONTRACT / "golden"
GOLDEN_WORKLOAD: Final = GOLDEN / "golden.workload"
ENVIRONMENTS: Final = ROOT / ".build" / "python"
BARE: Final = ROOT / "python" / "bare"
