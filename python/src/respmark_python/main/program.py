"""The commands `describe` and `run`, and their exit codes."""

import sys
from collections.abc import Sequence
from typing import Final

from respmark_python.errors import InvalidInputError, RunnerError
from respmark_python.main.channel import Channel, say
from respmark_python.main.describe import describe
from respmark_python.main.ending import fail
from respmark_python.main.run import run_trial

USAGE: Final = "usage: python -m respmark_python describe|run"


def main(started_ns: int, arguments: Sequence[str] | None = None) -> int:
    """Carry out the command; return the exit code of the contract."""
    try:
        carry_out(sys.argv[1:] if arguments is None else list(arguments), started_ns)
    except RunnerError as error:
        return fail(error.exit_code, str(error))
    except Exception as error:  # noqa: BLE001 - the last resort: every end has one sentence and an exit code
        return fail(1, f"{type(error).__name__}: {error} (RESPMARK_DEBUG=1 shows where)")
    return 0


def carry_out(arguments: Sequence[str], started_ns: int) -> None:
    """Find the command and carry it out."""
    match arguments:
        case ["describe"]:
            say(describe())
        case ["run"]:
            run_trial(Channel(sys.stdin.buffer), started_ns)
        case _:
            raise InvalidInputError(USAGE)
