"""How a run's figures compare with a post's: how much they differ, how both rise, and what limits the run's."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from respmark import numbers
from respmark.escaping import markdown, markdown_code, markdown_row
from respmark.report.post import Cells, by_key, cell_key, shown_clients
from respmark.specs.post import PostColumn, PostSpec, PostTable
from respmark.statistics.cells import ReportCell

HEADS: Final = (
    "table",
    "client",
    "RPS, here / post",
    "last row / first, here",
    "last row / first, post",
    "limited here by",
)


@dataclass(frozen=True)
class Point:
    """Commands per second at one point of a curve."""

    here: float
    published: float
    bottleneck: str | None


@dataclass(frozen=True)
class Curve:
    """One client under one column of a table: the points that were measured, in the order of the rows."""

    client: str
    points: tuple[Point, ...]
    title: str = field(compare=False)

    @property
    def to_post(self) -> str:
        """Return the range of the run's figures divided by the post's: `2.10..3.40`."""
        ratios = [point.here / point.published for point in self.points]
        low, high = numbers.ratio(min(ratios)), numbers.ratio(max(ratios))
        return low if low == high else numbers.span(low, high)

    @property
    def limits(self) -> str:
        """Return what limited the run's figures, in the order of the rows, each once."""
        return ", then ".join(dict.fromkeys(point.bottleneck or "nothing that shows" for point in self.points))


def curves(spec: PostSpec, cells: Iterable[ReportCell]) -> Iterator[Curve]:
    """Yield the curves with measured points, in the order of the post; a curve that two tables show comes once."""
    found, seen = by_key(cells), set[Curve]()
    for table in spec.tables:
        for number, column in enumerate(table.columns):
            title = table.title if len(table.columns) == 1 else f"{table.title}: {column.title}"
            for client in shown_clients(table, column, found):
                curve = Curve(client, tuple(_points(table, number, column, client, found)), title)
                if curve.points and curve not in seen:
                    seen.add(curve)
                    yield curve


def _points(table: PostTable, number: int, column: PostColumn, client: str, cells: Cells) -> Iterator[Point]:
    place = column.figures.index("rps")
    for line in table.rows:
        cell = cells.get(cell_key(client, column.scenario, column.shape_at(table.axes, line.at)))
        if cell and cell.measured:
            bottleneck = str(cell.measured.bottleneck) if cell.measured.bottleneck else None
            yield Point(cell.measured.rps_median, line.published[number][place], bottleneck)


def curves_markdown(found: Iterable[Curve]) -> str:
    """Return the curves as a table, with a row per client and column."""
    lines = [markdown_row(HEADS), markdown_row(["---", "---", *["---:"] * (len(HEADS) - 3), "---"])]
    for curve in found:
        first, last = curve.points[0], curve.points[-1]
        rises = [numbers.ratio(last.here / first.here), numbers.ratio(last.published / first.published)]
        if len(curve.points) == 1:
            rises = ["", ""]
        lines.append(
            markdown_row(
                [markdown(curve.title), markdown_code(curve.client), curve.to_post, *rises, markdown(curve.limits)]
            )
        )
    return "\n".join(lines) + "\n"
