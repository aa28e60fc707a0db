"""Limits that the system sets for one process."""

import resource
from typing import Final

ENOUGH: Final = 65_536
FILES_BESIDE: Final = 100
"""What a runner's process opens besides connections."""


def allow_many_connections() -> None:
    """Raise the limit of open files, of this process and of all that it starts, to ENOUGH or as far as allowed.

    A client with a connection for each of a thousand commands in flight needs more than the usual 1,024.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = most_files()
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def most_files() -> int:
    """Return how many files a process may open at the most."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
