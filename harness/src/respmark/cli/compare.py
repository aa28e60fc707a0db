"""`respmark compare`: two runs side by side."""

from pathlib import Path
from typing import Annotated, Final

from respmark.cli.options import FORMAT, Repeated, TableFormat
from respmark.console import report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.report.changes import comparison, comparison_json
from respmark.report.writers import markdown, print_chapters
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
    one, other = map(read_counted, (before, after))
    differing = check_alike([one, other], across)
    check_common(one, other)
    manifests = (one.manifest, other.manifest)
    if control is not None and any(control not in manifest.clients for manifest in manifests):
        raise InvalidRequestError(
            f"--control {control}: no such client in both runs; there are: {', '.join(manifests[0].clients)}"
        )
    changes = changes_between(one, other, control)
    if written is TableFormat.JSON:
        write_out(comparison_json(*manifests, changes, differing))
    elif written is TableFormat.MARKDOWN:
        write_out(markdown(comparison(*manifests, changes, differing)))
    else:
        print_chapters(report_console(), comparison(*manifests, changes, differing))
    return ExitCode.OK
