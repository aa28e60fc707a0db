"""The command `respmark`: its subcommands and exit codes."""

import sys
from importlib import import_module
from typing import Final, NoReturn

from cyclopts import App
from cyclopts.exceptions import CycloptsError

from respmark import __version__
from respmark.cli.unforeseen import tell_error, tell_unforeseen, watch_threads
from respmark.console import SafeConsole, check_written, error_console
from respmark.errors import MEANS, ExitCode, InvalidRequestError, RespmarkError
from respmark.redaction import redacted_urls
from respmark.run.signals import signals_as_interrupt
from respmark.target.password import take_from_environment

EPILOGUE: Final = f"""
Exit codes: {", ".join(f"{code:d} {means}" for code, means in MEANS.items())}. Results are kept in results/, the
documentation is in docs/.
"""

COMMANDS: Final = {
    "run": ("run", "run", "EXAMPLES"),
    "plan": ("plan", "plan", "EXAMPLES"),
    "list": ("listing", "list_clients", "EXAMPLES"),
    "report": ("report", "report", "EXAMPLES"),
    "guidance": ("guidance", "guidance", "EXAMPLES"),
    "verdict": ("guidance", "verdict", "VERDICT_EXAMPLES"),
    "compare": ("compare", "compare", "EXAMPLES"),
    "doctor": ("doctor", "doctor", "EXAMPLES"),
    "aa": ("aa", "aa", "EXAMPLES"),
    "fidelity": ("fidelity", "fidelity", "EXAMPLES"),
    "conform": ("conform", "conform", "EXAMPLES"),
    "trace": ("trace", "trace", "EXAMPLES"),
    "micro": ("micro", "micro", "EXAMPLES"),
    "import": ("importing", "import_results", "EXAMPLES"),
    "trials": ("trials", "trials", "EXAMPLES"),
    "compact": ("trials", "compact", "COMPACT_EXAMPLES"),
    "clean": ("clean", "clean", "EXAMPLES"),
}
"""Each subcommand's module, function and examples, by the name that users type."""


def app_for(words: list[str]) -> App:
    """Return the command with the subcommand that the words begin with, and no other, which need not be loaded.

    Where they begin with none, all are there, for the help and for the word that may have been meant.
    """
    app = App(
        name="respmark",
        help="Measure Redis and Valkey client libraries, and show what the server saw.",
        help_epilogue=EPILOGUE,
        help_format="markdown",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name in set(words[:1]) & COMMANDS.keys() or COMMANDS:
        module, function, examples = COMMANDS[name]
        loaded = import_module(f"respmark.cli.{module}")
        epilogue = f"Examples:\n```text\n{getattr(loaded, examples).strip()}\n```\n{EPILOGUE}"
        app.command(getattr(loaded, function), name=name, help_epilogue=epilogue)
    app.register_install_completion_command()
    return app


def main(words: list[str] | None = None) -> NoReturn:
    """Run the command and end the process with its exit code."""
    watch_threads()
    sys.exit(run_command(sys.argv[1:] if words is None else words))


def run_command(words: list[str]) -> ExitCode:
    """Run the command and return its exit code; errors are told on standard error."""
    try:
        with signals_as_interrupt():
            return _ended(words)
    except RespmarkError as error:
        tell_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        error_console().print("interrupted; what has ended is kept")
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort: told, with exit code 70
        return tell_unforeseen(error)


def _ended(words: list[str]) -> ExitCode:
    """Run the command to the last byte of its output.

    Raises:
        RespmarkError: what failed, where, and what to do next.
    """
    take_from_environment()
    _check_words(words)
    try:
        code = app_for(words)(words, exit_on_error=False, print_error=False, console=SafeConsole(markup=True))
    except CycloptsError as error:
        # What was typed may be a URL in a place where none belongs.
        tell_error(error)
        return ExitCode.INVALID_REQUEST
    check_written()
    return ExitCode(code or 0)


def _check_words(words: list[str]) -> None:
    for number, word in enumerate(words, start=1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise InvalidRequestError(f"argument {number} is not UTF-8: {redacted_urls(word)}") from error
