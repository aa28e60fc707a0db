"""How pages name the runs that they are made of, and a figure with its lowest and highest round."""

import shlex
from collections.abc import Mapping
from typing import Final

from respmark import numbers
from respmark.figures.cells import Cell
from respmark.report.report import Report

RUN: Final = "- [{name}]({folder}), by `{command}`\n"


def run_list(reports: Mapping[str, Report]) -> str:
    """Return a line for each run, with link and command; `reports` are by the run's folder, relative to the page."""
    return "".join(_run(*one) for one in reports.items()).strip()


def _run(folder: str, report: Report) -> str:
    typed = shlex.join(report.manifest.command_line)
    return RUN.format(name=folder.removeprefix("../"), folder=folder, command=typed)


def rps_with_rounds(cell: Cell) -> str:
    """Return commands per second, in brackets those of the lowest and the highest round; empty without figures."""
    if cell.measured is None:
        return ""
    span = f"{numbers.rps(cell.measured.rps_min)}..{numbers.rps(cell.measured.rps_max)}"
    return f"{numbers.rps(cell.measured.rps_median)} ({span})"
