"""`respmark compare`: two runs side by side."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Final

from respmark.cli.options import FORMAT, Repeated, TableFormat
from respmark.console import report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.report.comparison import (
    comparison_header,
    comparison_json,
    comparison_notes,
    comparison_tables,
)
from respmark.report.markdown import tables_markdown
from respmark.report.tables import ScenarioTable
from respmark.report.terminal import print_notes, print_tables
from respmark.statistics.between import changes_between
from respmark.statistics.cells import read_counted
from respmark.statistics.likeness import Difference, check_alike, check_common

EXAMPLES: Final = """
respmark compare results/before-upgrade results/after-upgrade
respmark compare results/redis-7 results/valkey-8
respmark compare results/monday results/friday --control redis-py --format markdown
"""


def compare(
    before: Path,
    after: Path,
    /,
    *,
    across: Annotated[tuple[Difference, ...], Repeated] = (),
    control: str | None = None,
    written: Annotated[TableFormat, FORMAT] = TableFormat.TERMINAL,
) -> ExitCode:
    """Show what changed between two runs, such as a version, machine or server.

    Two runs are minutes apart or more, so ratios between their figures have no interval. A change is claimed only
    through a client that took turns with the others in both runs and is the same in both.

    Args:
        before: Folder of the first run.
        after: Folder of the second.
        across: `workload` compares runs of other workloads all the same, whose figures say nothing about each other.
            Machines, servers and versions may always differ.
        control: The client that is the same in both; default: each block's first client with the same loaded versions.
        written: terminal, markdown or json.
    """
    folders = (before, after)
    _compare_runs(folders, across, control, written)
    return ExitCode.OK


def _compare_runs(
    folders: tuple[Path, Path], across: Collection[Difference], control: str | None, written: TableFormat
) -> None:
    before, after = map(read_counted, folders)
    differing = check_alike([before, after], across)
    check_common(before, after)
    manifests = (before.manifest, after.manifest)
    if control is not None and any(control not in manifest.clients for manifest in manifests):
        message = f"--control {control}: no such client in both runs; there are: {', '.join(manifests[0].clients)}"
        raise InvalidRequestError(message)
    changes = changes_between(before, after, control)
    if written is TableFormat.JSON:
        write_out(comparison_json(*manifests, changes, differing))
    else:
        header, tables = comparison_header(*manifests, differing), comparison_tables(changes)
        _write(written, header, tables, list(comparison_notes(changes)))


def _write(written: TableFormat, header: list[str], tables: list[ScenarioTable], notes: list[str]) -> None:
    if written is TableFormat.MARKDOWN:
        write_out(tables_markdown("respmark compare", header, tables, notes))
        return
    console = report_console()
    print_tables(console, header, tables)
    console.print()
    print_notes(console, notes)
