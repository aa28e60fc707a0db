"""`respmark history`: many runs over time."""

from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from respmark.cli.compare import metric_named
from respmark.cli.shown import show
from respmark.console import write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.figures.alike import check_alike
from respmark.figures.cells import read_figures
from respmark.figures.series import History, history_of
from respmark.files import write_out_file
from respmark.report.history import history_chapters, history_json
from respmark.report.html.timeline import history_page
from respmark.report.markdown import markdown

EXAMPLES: Final = {
    "history": """
respmark history results/*
respmark history results/* --control redis-py --format html --out history.html
respmark history results/2026* --metric client-cpu --format markdown
"""
}


def history(
    first: Path,
    /,
    *others: Path,
    control: str | None = None,
    metric: str = "rps",
    written: Annotated[Literal["terminal", "markdown", "json", "html"], Parameter(name="--format")] = "terminal",
    out: Path | None = None,
) -> ExitCode:
    """Show how clients changed over many runs: their ratios to a control, with the steps marked.

    Only ratios to a client that took turns with the others, and is the same in all runs, are followed over time.
    Commands per second stand beside them and are not compared: days and machines differ.

    Args:
        first: Folder of a run.
        others: Folders of further runs, in any order.
        control: The client that the others are compared with; default: the first whose versions are the same in all
            runs.
        metric: What is followed: rps, client-cpu, server-cpu, p50 or p99.
        written: terminal, markdown, json, or html: a page with a line for each client and shape.
        out: File to write instead of standard output; not for the terminal's form.
    """
    if out is not None and written == "terminal":
        raise InvalidRequestError("--out does not apply to --format terminal; redirect the output instead")
    runs = [read_figures(folder) for folder in dict.fromkeys((first, *others))]
    check_alike(runs, ())
    found = history_of(runs, metric_named(metric), control)
    if not found.series:
        raise InvalidRequestError(
            f"{found.control} took turns with no other client in these runs: nothing can be followed"
        )
    if written == "terminal":
        show([history_chapters(found)], written)
    elif out is None:
        write_out(_content(found, written))
    else:
        write_out_file(out, _content(found, written).encode())
    return ExitCode.OK


def _content(found: History, written: str) -> str:
    if written == "json":
        return history_json(found)
    if written == "markdown":
        return markdown(history_chapters(found))
    return history_page(found)
