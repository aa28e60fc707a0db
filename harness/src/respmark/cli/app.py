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
from respmark.redaction import redacted
from respmark.run.signals import signals_as_interrupt
from respmark.target.password import take_from_environment

EPILOGUE: Final = f"""
Exit codes: {", ".join(f"{code:d} {means}" for code, means in MEANS.items())}. Results are kept in results/, the
documentation is in docs/.
"""
COMMANDS: Final = {
    "run": "Measure a suite, check every figure against the server's counters, and print the fastest clients.",
    "plan": "Print the trials in the order in which `run` would measure them, and how long that takes; start nothing.",
    "list": "List clients, scenarios, suites, workloads and servers; of a named client, all that can be chosen.",
    "report": "Print which clients of a run are the fastest, or all of its tables, from its files alone.",
    "verdict": "Say which published claims hold in these runs; without a run, list them and what would show each.",
    "compare": "Show what changed between two runs, such as a version, machine or server.",
    "doctor": "Check this machine for what would spoil a measurement, with advice.",
    "conform": "Prove on the wire that every scenario of a client is what its definition says.",
    "trace": "Run a short trial through the recording proxy, and draw its requests and replies over time.",
    "micro": "Run a language's micro-benchmarks (JMH, BenchmarkDotNet) against their own server, and print tables.",
    "setup": "Install and build what is missing or has changed (server, runners, clients), and say what cannot be had.",
    "clean": "Remove containers, networks and volumes that dead runs left; all others stay.",
}
"""Each subcommand, and the first paragraph of its function's docstring: the help of all imports none of them."""


def place_of(name: str) -> tuple[str, str]:
    """Return a subcommand's module and function; `list` is a word of Python's own."""
    return ("respmark.cli.listing", "list_clients") if name == "list" else (f"respmark.cli.{name}", name)


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
    for name, summary in COMMANDS.items():
        module, function = place_of(name)
        if words[:1] == [name]:
            examples = import_module(module).EXAMPLES.strip()
            epilogue = f"Examples:\n```text\n{examples}\n```\n{EPILOGUE}"
            app.command(f"{module}:{function}", name=name, help_epilogue=epilogue)
        else:
            app.command(f"{module}:{function}", name=name, help=summary)
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
    take_from_environment()
    _check_words(words)
    try:
        code = app_for(words)(words, exit_on_error=False, print_error=False, console=SafeConsole(markup=True))
    except CycloptsError as error:
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
