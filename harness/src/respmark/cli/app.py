"""The command `respmark`: its subcommands and exit codes."""

import sys
from importlib import import_module
from typing import Final, NamedTuple, NoReturn

from cyclopts import App
from cyclopts.exceptions import CycloptsError

from respmark import __version__
from respmark.cli.unforeseen import tell_error, tell_unforeseen, watch_threads
from respmark.console import SafeConsole, check_written, error_console
from respmark.errors import MEANS, ExitCode, InvalidRequestError, RespmarkError
from respmark.redaction import redacted
from respmark.run.signals import signals_as_interrupt
from respmark.target.password import take_from_environment

EPILOGUE: Final = f"""
Exit codes: {", ".join(f"{code:d} {means}" for code, means in MEANS.items())}. Results are kept in results/, the
documentation is in docs/.
"""


class Subcommand(NamedTuple):
    """Where a subcommand is, and the line that the command's help has for it without importing it."""

    module: str
    function: str
    summary: str
    """The first paragraph of the function's docstring."""


COMMANDS: Final = {
    "run": Subcommand(
        "run",
        "run",
        "Measure a suite, check every figure against the server's counters, and print which clients are the fastest.",
    ),
    "plan": Subcommand(
        "plan",
        "plan",
        "Print the trials in the order in which `run` would measure them, and how long it would take. Starts nothing.",
    ),
    "list": Subcommand(
        "listing",
        "list_clients",
        "List clients and scenarios (supported, unsupported or missing) and options unlike a plain install.",
    ),
    "report": Subcommand(
        "report", "report", "Print which clients of a run are the fastest, or all of its tables, from its files alone."
    ),
    "verdict": Subcommand(
        "verdict",
        "verdict",
        "Say which published claims hold in these runs; without a run, list them and what would show each.",
    ),
    "compare": Subcommand(
        "compare", "compare", "Show what changed between two runs, such as a version, machine or server."
    ),
    "doctor": Subcommand("doctor", "doctor", "Check this machine for what would spoil a measurement, with advice."),
    "conform": Subcommand(
        "conform", "conform", "Prove on the wire that every scenario of a client is what its definition says."
    ),
    "trace": Subcommand(
        "trace", "trace", "Run a short trial through the recording proxy, and draw its requests and replies over time."
    ),
    "micro": Subcommand(
        "micro",
        "micro",
        "Run a language's micro-benchmarks (JMH, BenchmarkDotNet) against a server of their own, and print tables.",
    ),
    "setup": Subcommand(
        "setup",
        "setup",
        "Install and build what is missing or has changed (server, runners, clients), and say what cannot be had.",
    ),
    "clean": Subcommand(
        "clean",
        "clean",
        "Remove containers, networks and volumes that dead runs left; those of live runs and of anything else stay.",
    ),
}
"""Each subcommand, by the name that users type."""


def app_for(words: list[str]) -> App:
    """Return the command. Only the subcommand that the words begin with is imported, and none for the help of all."""
    app = App(
        name="respmark",
        help="Measure Redis and Valkey client libraries, and show what the server saw.",
        help_epilogue=EPILOGUE,
        help_format="markdown",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, command in COMMANDS.items():
        path = f"respmark.cli.{command.module}:{command.function}"
        if words[:1] == [name]:
            examples = import_module(f"respmark.cli.{command.module}").EXAMPLES
            app.command(path, name=name, help_epilogue=f"Examples:\n```text\n{examples.strip()}\n```\n{EPILOGUE}")
        else:
            app.command(path, name=name, help=command.summary)
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
            raise InvalidRequestError(f"argument {number} is not UTF-8: {redacted(word)}") from error
