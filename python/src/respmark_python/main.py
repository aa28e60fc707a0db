"""The commands `describe` and `run`, and their exit codes."""

import os
import platform
import sys
import traceback
from collections.abc import Sequence
from typing import Final

from respmark_python.clients.registry import describe_clients
from respmark_python.contract.description import ClientDescription, Description, MissingClient
from respmark_python.contract.events import say
from respmark_python.errors import InvalidInputError, RunnerError
from respmark_python.run import run_trial

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
    """Find the command and do it."""
    match arguments:
        case ["describe"]:
            describe()
        case ["run"]:
            run_trial(sys.stdin.buffer, started_ns)
        case _:
            raise InvalidInputError(USAGE)


def describe() -> None:
    """Print what this runner can do here."""
    clients = describe_clients()
    description = Description(
        runner="python",
        runtime=platform.python_implementation(),
        runtime_version=platform.python_version(),
        clients=[client for client in clients if isinstance(client, ClientDescription)],
        missing=[client for client in clients if isinstance(client, MissingClient)],
    )
    say(description)


def fail(exit_code: int, sentence: str) -> int:
    """Say on standard error's last line what was wrong; return the exit code."""
    if os.environ.get("RESPMARK_DEBUG") == "1":
        traceback.print_exc()
    sys.stderr.write(" ".join(sentence.split()) + "\n")
    sys.stderr.flush()
    return exit_code
