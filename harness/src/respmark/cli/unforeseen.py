"""The last resort: an unexpected error ends with a sentence, not with a stack trace."""

import os
import threading
import traceback
from typing import Final

from rich.text import Text

from respmark.console import error_console
from respmark.errors import ExitCode
from respmark.redaction import redacted

DEBUG_VARIABLE: Final = "RESPMARK_DEBUG"
"""Set to 1: the stack trace is printed too."""
ASK: Final = f"please report it as an issue of the project, with the command and what {DEBUG_VARIABLE}=1 prints"


def tell_error(error: BaseException) -> None:
    """Print an error's sentence on standard error, without passwords of URLs that it repeats."""
    error_console().print(Text.assemble(("error: ", "bold red"), redacted(str(error))))
    tell_trace(error)


def tell_unforeseen(error: BaseException) -> ExitCode:
    """Print what happened in a sentence, and return the exit code for it."""
    console = error_console()
    console.print(Text.assemble(("error: ", "bold red"), redacted(sentence(error))))
    tell_trace(error)
    return ExitCode.FAULT


def sentence(error: BaseException) -> str:
    """Say what happened, and what to do."""
    if isinstance(error, MemoryError):
        return "this machine has not enough memory for it; use a smaller workload, or report fewer runs at once"
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"the system refused something that respmark needs: {where}{error.strerror or error}"
    kind = type(error).__name__
    return f"an unexpected error in respmark: {kind}: {error}; {ASK}".replace(": ;", ";")


def tell_trace(error: BaseException) -> None:
    """Print the stack trace for those who look for a fault."""
    if os.environ.get(DEBUG_VARIABLE) == "1":
        trace = "".join(traceback.format_exception(error))
        error_console().print(Text(redacted(trace), style="dim"))


def watch_threads() -> None:
    """Let threads end with a sentence as well."""

    def tell(what: threading.ExceptHookArgs) -> None:
        if what.exc_value is not None and not isinstance(what.exc_value, SystemExit):
            tell_unforeseen(what.exc_value)

    threading.excepthook = tell
