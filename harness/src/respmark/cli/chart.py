"""`respmark chart`: one chart of a run as a picture."""

from pathlib import Path
from typing import Final, Literal

from respmark.cli.report import check_baseline
from respmark.cli.shown import write
from respmark.errors import ExitCode, InvalidRequestError
from respmark.kinds.reading import read, timeline
from respmark.report.html.chart_forms import ChartKey
from respmark.report.html.charts import chart_of
from respmark.report.html.picture import picture, png, svg
from respmark.report.html.vega import Spec
from respmark.report.html.view import View
from respmark.report.report import Report
from respmark.specs.catalogue import Catalogue

PICTURES: Final = {".svg", ".png"}
EXAMPLES: Final = {
    "chart": """
respmark chart results/published/quick forest --use "batching, depth 100" --out batching.svg
respmark chart results/published/quick frontier --use sync --out sync.png
respmark chart results/published/findings-redis-py-sync releases > releases.svg
"""
}


def chart(
    run: Path,
    kind: ChartKey | Literal["timeline"],
    /,
    *,
    use: str | None = None,
    baseline: str | None = None,
    out: Path | None = None,
) -> ExitCode:
    """Draw one chart of a run as a picture, without a browser.

    Args:
        run: Folder of the run.
        kind: forest (ratios to the baseline), frontier (throughput against CPU), depth, round-trips (depth by round
            trip), hosts (by number of client hosts), latency, rates (latency by rate), releases (a timeline), laps
            (drift and noise), timeline (of a fault).
        use: The scenario, or scenario and shape as tables write it, such as "batching, depth 100", of a timeline the
            fault; default: the first that the chart has.
        baseline: The client that the others are compared with; default: the first of each block.
        out: File to write, which ends in .svg or .png; default: an SVG on standard output.
    """
    if out is not None and out.suffix not in PICTURES:
        raise InvalidRequestError(f"--out {out}: a chart is a picture; end the name in .svg or .png")
    if kind == "timeline":
        write_picture(timeline(run, use), out)
        return ExitCode.OK
    figures = read(run)
    check_baseline(baseline, figures)
    views = [View(Report.of(one, Catalogue(), baseline)) for one in figures]
    # Of several kinds of trial, the first that has such a chart.
    view = next((one for one in views if chart_of(one, kind).rows), views[0])
    write_picture(picture(view, kind, use), out)
    return ExitCode.OK


def write_picture(spec: Spec, out: Path | None) -> None:
    """Write a chart: a PNG if the file's name says so, else an SVG, without a file to standard output."""
    write(png(spec) if out is not None and out.suffix == ".png" else svg(spec) + "\n", out)
