"""Errors as sentences on standard error; an unexpected one, too, ends with a sentence and not with a stack trace."""

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


def tell_error(error: BaseException, words: str | None = None) -> None:
    """Print an error's sentence, or these words for it, without passwords; its stack trace, if that is asked for."""
    console = error_console()
    console.print(Text.assemble(("error: ", "bold red"), redacted(words or str(error))))
    if os.environ.get(DEBUG_VARIABLE) == "1":
        trace = "".join(traceback.format_exception(error))
        console.print(Text(redacted(trace), style="dim"))


def tell_unforeseen(error: BaseException) -> ExitCode:
    """Print what happened in a sentence, and return the exit code for it."""
    tell_error(error, sentence(error))
    return ExitCode.FAULT


def sentence(error: BaseException) -> str:
    """Say what happened, and what to do."""
    if isinstance(error, MemoryError):
        return "this machine has not enough memory for it; use a smaller workload, or report fewer runs at once"
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"the system refused something that respmark needs: {where}{error.strerror or error}"
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    ask = f"please report it as an issue of the project, with the command and what {DEBUG_VARIABLE}=1 prints"
    return f"an unexpected error in respmark: {said}; {ask}"


def watch_threads() -> None:
    """Let threads end with a sentence as well."""

    def tell(what: threading.ExceptHookArgs) -> None:
        if what.exc_value is not None and not isinstance(what.exc_value, SystemExit):
            tell_unforeseen(what.exc_value)

    threading.excepthook = tell
