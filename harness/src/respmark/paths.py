"""Where things are: in a checkout, or where respmark is installed as a wheel."""

import os
from pathlib import Path
from typing import Final

from respmark import __version__

PACKAGE: Final = Path(__file__).resolve().parent
CHECKOUT: Final = PACKAGE.parents[2]
IS_CHECKOUT: Final = not (PACKAGE / "sources").is_dir()
"""Whether respmark runs from its checkout; a wheel carries specs and the runners' sources."""
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "respmark" / __version__
SOURCES: Final = CHECKOUT if IS_CHECKOUT else PACKAGE / "sources"
"""Specs and runners, to be read."""
ROOT: Final = CHECKOUT if IS_CHECKOUT else CACHE
"""Where runners are built and started: the checkout, or a copy of the sources in the user's cache."""
HARNESS: Final = SOURCES / "harness"
SPECS: Final = Path(os.environ.get("RESPMARK_SPECS") or HARNESS / "specs")
"""The specs; RESPMARK_SPECS names another folder."""
BUILD: Final = ROOT / ".build"
"""What set-up made: environments, caches, and what it says is missing."""
RESULTS: Final = CHECKOUT / "results" if IS_CHECKOUT else Path.cwd() / "results"
