"""`respmark compare`: two runs side by side."""

from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from respmark.cli.options import FORMAT, TableFormat
from respmark.console import report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.report.comparison import (
    comparison_header,
    comparison_json,
    comparison_notes,
    comparison_tables,
)
from respmark.report.markdown import tables_markdown
from respmark.report.terminal import print_notes, print_tables
from respmark.results.likeness import Difference, check_alike
from respmark.results.recheck import recheck
from respmark.results.store import read_run
from respmark.results.untrusted import fitting_together
from respmark.statistics.between import changes_between

EXAMPLES: Final = """
respmark compare results/before-upgrade results/after-upgrade
respmark compare results/redis-7 results/valkey-8 --across target
respmark compare results/monday results/friday --control redis-py --format markdown
"""


def compare(
    before: Path,
    after: Path,
    /,
    *,
    across: Annotated[tuple[Difference, ...], Parameter(negative=(), consume_multiple=False, show_default=False)] = (),
    control: str | None = None,
    written: Annotated[TableFormat, FORMAT] = TableFormat.TERMINAL,
) -> ExitCode:
    """Show what changed from one run to another, such as another version, machine or server.

    Figures of two runs are minutes apart, and their ratio has no interval. A change is claimed only through a client
    that took turns with the others in both runs, and is the same in both.

    Args:
        before: Folder of the first run.
        after: Folder of the second.
        across: What may differ: workload, hit-ratio, target, suite, place; repeats. Runs that differ in anything else
            are refused; machines and versions of libraries may always differ.
        control: The client that is the same in both; default: each block's first whose loaded versions are.
        written: terminal, markdown or json.
    """
    runs = [recheck(read_run(folder)) for folder in (before, after)]
    differing = check_alike(runs, across)
    manifests = [run.manifest for run in runs]
    if control is not None and any(control not in manifest.clients for manifest in manifests):
        message = f"--control {control}: no such client in both runs; there are: {', '.join(manifests[0].clients)}"
        raise InvalidRequestError(message)
    with fitting_together(Path(f"{before} and {after}")):
        changes = changes_between(runs[0], runs[1], control)
        header = comparison_header(manifests[0], manifests[1], differing)
        if written is TableFormat.JSON:
            write_out(comparison_json(manifests[0], manifests[1], changes, differing))
        elif written is TableFormat.MARKDOWN:
            write_out(
                tables_markdown("respmark compare", header, comparison_tables(changes), comparison_notes(changes))
            )
        else:
            console = report_console()
            print_tables(console, header, comparison_tables(changes))
            console.print()
            print_notes(console, comparison_notes(changes))
    return ExitCode.OK
