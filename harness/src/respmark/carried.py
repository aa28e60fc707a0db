"""What a wheel carries of the checkout besides the package: specs, and the folder of each language that has a runner.

The build reads this (`hatch_build.py`), as does set-up where it builds outside the checkout.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LEFT_OUT: Final = re.compile(r"\..*|.*\.egg-info|__pycache__|bin|build|dist|node_modules|obj|target|tests?|vendor")
"""Names of folders that git, builds and package managers make, and of those with tests."""
SINGLE: Final = (".env", "docker-compose.yml", "LICENSE")


def carried(checkout: Path) -> Iterator[Path]:
    """Yield the files, each relative to the checkout, or to a folder with its layout."""
    for name in SINGLE:
        if (checkout / name).is_file():
            yield Path(name)
    languages = sorted(path.parent for path in checkout.glob("*/runner.toml"))
    for folder in (checkout / "harness" / "specs", checkout / "harness" / "servers", *languages):
        yield from (path.relative_to(checkout) for path in files_in(folder))


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that are sources, in order."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not LEFT_OUT.fullmatch(name))
        yield from (Path(here) / name for name in sorted(names))
