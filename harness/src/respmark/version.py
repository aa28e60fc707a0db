"""Which respmark this is: a release, or a commit before the next one. The number stands in `respmark/__init__.py`."""

import subprocess
from typing import Final

from respmark import __version__, paths

DESCRIBE: Final = ("git", "describe", "--always", "--dirty", "--tags", "--match", "v[0-9]*")
"""Prints the tag of a release, else the commit; what is built carries its answer (`hatch_build.py`)."""


def described() -> str:
    """Return the version, with the commit unless it is that of a release: `0.1.0 (commit 47adc0f8)`."""
    commit = _commit()
    return __version__ if commit in {"", f"v{__version__}"} else f"{__version__} (commit {commit})"


def _commit() -> str:
    """Return what git says; empty if nobody knows."""
    try:
        if not paths.is_checkout():
            return (paths.sources() / "COMMIT").read_text(encoding="utf-8").strip()
        found = subprocess.run(  # noqa: S603 - the command stands above
            DESCRIBE, cwd=paths.CHECKOUT, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return found.stdout.strip()
