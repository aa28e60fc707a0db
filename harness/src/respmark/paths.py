"""Where things are: in a checkout, or where respmark is installed. Looked up when they are needed, not at import.

Whoever installed respmark has specs and the runners' sources in the package, and builds in the user's cache. Sources
are only read.
"""

import os
from pathlib import Path
from typing import Final

from respmark import __version__

PACKAGE: Final = Path(__file__).resolve().parent
CHECKOUT: Final = PACKAGE.parents[2]
"""Where the package's checkout is, if it is in one."""
BUILD: Final = ".build"
OWN_CLIENTS: Final = "RESPMARK_CLIENTS"
"""Names folders of clients of the user's own, with colons between them, as PATH does."""


def is_checkout() -> bool:
    """Return whether respmark runs from its checkout; a wheel carries specs and the runners' sources."""
    return not (PACKAGE / "sources").is_dir()


def sources() -> Path:
    """Return where specs and runners are, in the checkout's layout, to be read."""
    return CHECKOUT if is_checkout() else PACKAGE / "sources"


def own_clients() -> list[Path]:
    """Return the folders of clients of the user's own."""
    return [Path(one).resolve() for one in os.environ.get(OWN_CLIENTS, "").split(os.pathsep) if one]


def root() -> Path:
    """Return the folder of `.build`: the checkout, or one in the user's cache."""
    return CHECKOUT if is_checkout() else cache() / __version__


def place(path: str, image: Path | None = None) -> Path:
    """Return where a spec's path is: what set-up makes in `.build`, all else among the sources.

    A container's image has both in the folder `image`.
    """
    return (image or (root() if path.startswith(BUILD) else sources())) / path


def cache() -> Path:
    """Return the folder of the user's cache that is ours."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "respmark"


def build() -> Path:
    """Return where set-up puts what it makes: environments, caches, and what it says is missing."""
    return root() / BUILD


def specs() -> Path:
    """Return the folder of the specs; RESPMARK_SPECS names another one."""
    return Path(os.environ.get("RESPMARK_SPECS") or sources() / "harness" / "specs")


def results() -> Path:
    """Return where runs go whose folder is not named: into the checkout, or the working folder."""
    return (CHECKOUT if is_checkout() else Path.cwd()) / "results"
