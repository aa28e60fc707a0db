"""The command `respmark`: its subcommands and exit codes."""

import sys
from typing import Final, NoReturn

from cyclopts import App
from cyclopts.exceptions import CycloptsError
from rich.console import Console
from rich.text import Text

from respmark import __version__
from respmark.cli import aa, clean, conform, doctor, fidelity, importing, listing, micro, plan, report, run, trace
from respmark.errors import ExitCode, RespmarkError

EPILOGUE: Final = """
Exit codes: 0 all measured, 1 some trials failed (the tables still appear), 2 the request is not valid, 3 nothing could
run, 4 the target cannot be reached or refused, 130 interrupted. Results stand in results/, the documentation in docs/.
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
    sys.exit(run_command(sys.argv[1:] if words is None else words))


def run_command(words: list[str]) -> ExitCode:
    """Run the command and return its exit code; errors are told on standard error."""
    errors = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        code = app(words, exit_on_error=False, print_error=True, error_console=errors)
    except CycloptsError:
        return ExitCode.INVALID_REQUEST
    except RespmarkError as error:
        errors.print(Text.assemble(("error: ", "bold red"), str(error)))
        return error.exit_code
    except KeyboardInterrupt:
        errors.print("interrupted; what has ended is kept")
        return ExitCode.INTERRUPTED
    return ExitCode(code or 0)
