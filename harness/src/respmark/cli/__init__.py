"""The command `respmark`."""

import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command; Ctrl-C ends it quietly even while it loads."""
    try:
        from respmark.cli.app import main as command  # noqa: PLC0415 - loading takes a while, and may be interrupted

        command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


__all__ = ["main"]
