"""`respmark history`: many runs over time."""

from pathlib import Path
from typing import Annotated, Final

from respmark.cli.chart import PICTURES, write_picture
from respmark.cli.options import FORMAT
from respmark.cli.shown import TableFormat, show, write
from respmark.errors import ExitCode, InvalidRequestError
from respmark.figures.alike import check_alike
from respmark.figures.series import history_of
from respmark.kinds.reading import read
from respmark.report.data import history_json
from respmark.report.html.picture import history_picture
from respmark.report.markdown import markdown
from respmark.report.series import history_chapters

EXAMPLES: Final = {
    "history": """
respmark history results/*
respmark history results/* --control redis-py --out history.svg
respmark history results/2026* --format markdown
"""
}


def history(
    first: Path,
    /,
    *others: Path,
    control: str | None = None,
    written: Annotated[TableFormat, FORMAT] = "terminal",
    out: Path | None = None,
) -> ExitCode:
    """Show how clients changed over many runs: their ratios to a control, with the steps marked.

    Only ratios to a client that took turns with the others, and is the same in all runs, are followed over time:
    of throughput, and of client CPU per command. Commands per second stand beside them and are not compared: days and
    machines differ.

    Args:
        first: Folder of a run.
        others: Folders of further runs, in any order.
        control: The client that the others are compared with; default: the first whose versions are the same in all
            runs.
        written: terminal, markdown or json.
        out: File to write instead of standard output; one that ends in .svg or .png is a picture of all clients, the
            steps marked.
    """
    is_picture = out is not None and out.suffix in PICTURES
    if out is not None and written == "terminal" and not is_picture:
        raise InvalidRequestError("--out needs --format markdown or json, or a name that ends in .svg or .png")
    runs = [run for folder in dict.fromkeys((first, *others)) for run in read(folder)]
    if any(run.kind is not runs[0].kind for run in runs):
        raise InvalidRequestError("these runs have several kinds of trial, which are no series: name runs of one kind")
    check_alike(runs, ())
    found = history_of(runs, control)
    if not found.series:
        raise InvalidRequestError(
            f"{found.control} took turns with no other client in these runs: nothing can be followed"
        )
    if is_picture:
        write_picture(history_picture(found), out)
    elif written == "terminal":
        show([history_chapters(found)], written)
    else:
        write(history_json(found) if written == "json" else markdown(history_chapters(found)), out)
    return ExitCode.OK
