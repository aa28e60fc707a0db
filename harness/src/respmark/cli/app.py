"""The command `respmark`: its subcommands and exit codes."""

import sys
from typing import Final, NoReturn

from cyclopts import App, CycloptsPanel
from cyclopts.exceptions import CycloptsError

from respmark import __version__
from respmark.cli import (
    aa,
    clean,
    compare,
    conform,
    doctor,
    fidelity,
    guidance,
    importing,
    listing,
    micro,
    plan,
    report,
    run,
    trace,
)
from respmark.cli.unforeseen import tell_error, tell_unforeseen, watch_threads
from respmark.console import SafeConsole, check_written, error_console
from respmark.errors import ExitCode, InvalidRequestError, RespmarkError
from respmark.redaction import redacted_urls
from respmark.target.password import take_from_environment

EPILOGUE: Final = """
Exit codes: 0 all measured, 1 some trials failed (the tables still appear), 2 the request is not valid, 3 nothing could
run, 4 the target cannot be reached or refused, 5 not all results, or not the whole report, could be written, 70 a fault
that nobody foresaw, 130 interrupted. Results stand in results/, the documentation in docs/.
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
for command, name, examples in (
    (run.run, "run", run.EXAMPLES),
    (plan.plan, "plan", plan.EXAMPLES),
    (listing.list_clients, "list", listing.EXAMPLES),
    (report.report, "report", report.EXAMPLES),
    (guidance.guidance, "guidance", guidance.EXAMPLES),
    (guidance.verdict, "verdict", guidance.VERDICT_EXAMPLES),
    (compare.compare, "compare", compare.EXAMPLES),
    (doctor.doctor, "doctor", doctor.EXAMPLES),
    (aa.aa, "aa", aa.EXAMPLES),
    (fidelity.fidelity, "fidelity", fidelity.EXAMPLES),
    (conform.conform, "conform", conform.EXAMPLES),
    (trace.trace, "trace", trace.EXAMPLES),
    (micro.micro, "micro", micro.EXAMPLES),
    (importing.import_results, "import", importing.EXAMPLES),
    (clean.clean, "clean", clean.EXAMPLES),
):
    app.command(command, name=name, help_epilogue=f"Examples:\n```text\n{examples.strip()}\n```\n{EPILOGUE}")
app.register_install_completion_command()


def main(words: list[str] | None = None) -> NoReturn:
    """Run the command and end the process with its exit code."""
    watch_threads()
    sys.exit(run_command(sys.argv[1:] if words is None else words))


def run_command(words: list[str]) -> ExitCode:
    """Run the command and return its exit code; errors are told on standard error."""
    try:
        return _ended(words)
    except RespmarkError as error:
        tell_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        error_console().print("interrupted; what has ended is kept")
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort, for what nobody foresaw
        return tell_unforeseen(error)


def _ended(words: list[str]) -> ExitCode:
    """Run the command to the last byte of its output.

    Raises:
        RespmarkError: what failed, where, and what to do next.
    """
    take_from_environment()
    _check_words(words)
    try:
        code = app(words, exit_on_error=False, print_error=False, console=SafeConsole(markup=True))
    except CycloptsError as error:
        # What was typed may be a URL in a place where none belongs.
        error_console().print(CycloptsPanel(redacted_urls(str(error))))
        return ExitCode.INVALID_REQUEST
    check_written()
    return ExitCode(code or 0)


def _check_words(words: list[str]) -> None:
    for number, word in enumerate(words, start=1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise InvalidRequestError(f"argument {number} is not UTF-8: {redacted_urls(word)}") from error
