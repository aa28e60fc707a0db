"""The command `respmark`: its subcommands, exit codes, and errors as sentences on standard error."""

import io
import os
import sys
import threading
import traceback
from collections.abc import Mapping
from importlib import import_module
from typing import Final, NoReturn

from cyclopts import App
from cyclopts.exceptions import CycloptsError
from rich.text import Text

from respmark.cli.help import ALL, OneScreen, epilogue, usage
from respmark.console import SafeConsole, check_written, error_console
from respmark.errors import MEANS, ExitCode, InvalidRequestError, RespmarkError, codes_of
from respmark.machine.interrupts import signals_as_interrupt
from respmark.redaction import redacted
from respmark.servers.password import take_from_environment
from respmark.version import described

DEBUG_VARIABLE: Final = "RESPMARK_DEBUG"
"""Set to 1: the stack trace of an error is printed too."""
COMMANDS: Final = {
    "measure:run": "Measure a suite, check every figure against the server's counters, and print the fastest clients.",
    "bisect:bisect": (
        "Find the releases, or the commits, in which a client became slower or faster, and write a text for an issue."
    ),
    "triage:triage": (
        "Watch a live server for some seconds, and say what slows it down, which client does it, and how to fix that."
    ),
    "measure:plan": (
        "Print the trials in the order in which `run` would measure them, and how long that takes; start nothing."
    ),
    "versions:versions": (
        "Measure a library's releases in turns, on one scale, and name those in which throughput or CPU changed."
    ),
    "listing:list_clients": (
        "List clients, scenarios, suites, workloads and servers, or the options and versions of one client."
    ),
    "report:report": "Print a run's fastest clients or all of its tables, from its files alone.",
    "chart:chart": "Draw one chart of a run as a picture, without a browser.",
    "verdict:verdict": (
        "Say which published claims hold in these runs; without a run, list the sources, or the claims of `--source`."
    ),
    "compare:compare": "Show what changed between two runs, or between the versions or builds of a library in one run.",
    "history:history": "Show how clients changed over many runs: their ratios to a control, with the steps marked.",
    "check:doctor": "Check this machine for anything that would distort a measurement, with advice.",
    "check:conform": "Prove on the wire that every scenario of a client is what its definition says.",
    "check:trace": "Run a short trial through the recording proxy, and draw its requests and replies over time.",
    "micro:micro": (
        "Run a language's micro-benchmarks (JMH, BenchmarkDotNet, its own) against their own server, and print tables."
    ),
    "cold_start:cold_start": (
        "Start each client's program again and again, and print how long it takes to its first reply, stage by stage."
    ),
    "setup:setup": (
        "Install and build what is missing or has changed (server, runners, clients), and list what is missing and why."
    ),
    "setup:clean": "Remove containers, networks and volumes left by runs that were killed.",
}
"""By module and function (`list` is a word of Python's own), the first paragraph of each subcommand's docstring: the
help of all imports none of them."""


def app_for(words: list[str], *, is_all: bool = False) -> App:
    """Return the command. Only the subcommand that the words begin with is imported, and none for the help of all.

    With `is_all`, its help shows all options.
    """
    app = App(
        name="respmark",
        help="Measure Redis and Valkey client libraries, and show what the server saw.",
        help_epilogue=exit_codes(MEANS),
        help_format="markdown",
        version=described,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for number, (place, summary) in enumerate(COMMANDS.items()):
        module, _, function = place.removesuffix("_clients").partition(":")
        name = function.replace("_", "-")
        if words[:1] == [name]:
            found = import_module(f"respmark.cli.{module}")
            app.command(
                f"respmark.cli.{place}",
                name=name,
                usage=usage(name, getattr(found, place.partition(":")[2])),
                help_epilogue=epilogue(name, found.EXAMPLES[name], exit_codes(codes_of(name)), is_all=is_all),
                help_formatter=None if is_all else OneScreen(),
            )
        else:
            app.command(f"respmark.cli.{place}", name=name, help=summary, sort_key=number)
    app.register_install_completion_command()
    return app


def exit_codes(means: Mapping[ExitCode, str]) -> str:
    """Return what exit codes mean, as the last paragraph of a help."""
    return f"Exit codes: {', '.join(f'{code:d} {said}' for code, said in means.items())}."


def main() -> NoReturn:
    """Run the command and end the process with its exit code; exceptions in threads are reported, too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal of another encoding lacks some of our characters
    threading.excepthook = lambda what: _tell_unforeseen(what.exc_value) if what.exc_value else None
    sys.exit(run_command(sys.argv[1:]))


def run_command(words: list[str]) -> ExitCode:
    """Run the command and return its exit code; errors go to standard error."""
    try:
        with signals_as_interrupt():
            return _ended(words)
    except RespmarkError as error:
        tell_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        error_console().print("interrupted")
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort: reported, with exit code 70
        _tell_unforeseen(error)
        return ExitCode.UNEXPECTED


def _ended(words: list[str]) -> ExitCode:
    take_from_environment()
    _check_words(words)
    try:
        code = _called(words) if words else _start_page()
    except CycloptsError as error:
        tell_error(error)
        return ExitCode.INVALID_REQUEST
    check_written()
    return ExitCode(code or 0)


def _called(words: list[str]) -> ExitCode | None:
    is_all, words = ALL in words, ["--help" if word == ALL else word for word in words]
    code: ExitCode | None = app_for(words, is_all=is_all)(
        words, exit_on_error=False, print_error=False, console=SafeConsole(markup=True)
    )
    return code


def _start_page() -> ExitCode:
    from respmark.cli.start import start_page  # noqa: PLC0415 - reads specs, which `--help` does not need

    return start_page()


def _check_words(words: list[str]) -> None:
    for number, word in enumerate(words, start=1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise InvalidRequestError(f"argument {number} is not UTF-8: {redacted(word)}") from error


def tell_error(error: BaseException, words: str | None = None) -> None:
    """Print an error's sentence, or these words for it, without passwords; its stack trace, if that is asked for."""
    console = error_console()
    console.print(Text.assemble(("error: ", "bold red"), redacted(words or str(error))))
    if os.environ.get(DEBUG_VARIABLE) == "1":
        console.print(Text(redacted("".join(traceback.format_exception(error))), style="dim"))


def _tell_unforeseen(error: BaseException) -> None:
    if isinstance(error, MemoryError):
        said = "this machine has too little memory; use a smaller workload, or report fewer runs at once"
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        said = f"the operating system refused a request of respmark: {where}{error.strerror or error}"
    else:
        what = f"{type(error).__name__}: {error}".removesuffix(": ")
        ask = f"please open an issue in the project, with the command and what {DEBUG_VARIABLE}=1 prints"
        said = f"an unexpected error in respmark: {what}; {ask}"
    tell_error(error, said)
