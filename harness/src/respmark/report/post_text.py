"""A published post's tables as text: for a terminal, and in Markdown."""

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respmark.escaping import markdown, markdown_code, markdown_row
from respmark.report.post import NOT_MEASURED, PUBLISHED, Head, PostGrid, PostReport
from respmark.results.records import Status


def print_post(console: Console, report: PostReport) -> None:
    """Print the tables to a terminal."""
    for line in report.header:
        console.print(Text(line, style="dim"))
    for grid in report.grids:
        console.print()
        console.print(Text(grid.title, style="bold cyan"))
        for part in _fitting(grid, console.width):
            console.print(_terminal_table(part))
        for note in grid.notes:
            console.print(Padding(Text(f"- {note}", style="yellow"), (0, 0, 0, 1)))


def _head_lines(head: Head) -> list[str]:
    library, bracket, options = head.subject.partition("[")
    return [head.group, library, *([bracket + options] if bracket else []), *([head.figure] if head.figure else [])]


def _width(grid: PostGrid, place: int) -> int:
    words = [*_head_lines(grid.heads[place]), *(values[place] for _, values in grid.rows)]
    return max(map(len, words)) + 3


def _fitting(grid: PostGrid, width: int) -> Iterator[PostGrid]:
    """Split a table that is too wide, but never between two clients' columns of the same figure."""
    room = width - sum(max(len(axis), 6) + 3 for axis in grid.axes)
    groups: list[list[int]] = []
    used = 0
    for number in range(len(grid.heads)):
        if number and _belong(grid.heads[number - 1], grid.heads[number]):
            groups[-1].append(number)
        else:
            groups.append([number])
    parts: list[list[int]] = [[]]
    for group in groups:
        wide = sum(_width(grid, place) for place in group)
        if parts[-1] and used + wide > room:
            parts.append([])
            used = 0
        parts[-1] += group
        used += wide
    for part in parts:
        rows = tuple((at, tuple(values[place] for place in part)) for at, values in grid.rows)
        yield PostGrid(grid.title, grid.axes, tuple(grid.heads[place] for place in part), rows, grid.notes)


def _belong(before: Head, after: Head) -> bool:
    """Return whether two columns have the same figure of different clients."""
    return (before.group, before.figure) == (after.group, after.figure)


def _terminal_table(grid: PostGrid) -> Table:
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for axis in grid.axes:
        table.add_column(axis, justify="right")
    for head in grid.heads:
        table.add_column(Text("\n".join(_head_lines(head))), justify="right")
    for at, values in grid.rows:
        table.add_row(*at, *(_styled(head, value) for head, value in zip(grid.heads, values, strict=True)))
    return table


def _styled(head: Head, value: str) -> Text:
    if head.subject == PUBLISHED:
        return Text(value, style="dim")
    return Text(value, style="yellow" if value == NOT_MEASURED or value in set(Status) else "bold green")


def post_markdown(report: PostReport) -> str:
    """Return the tables in Markdown."""
    parts = ["# The post's tables\n", "\n".join(f"- {markdown(line)}" for line in report.header) + "\n"]
    parts += [grid_markdown(grid) for grid in report.grids]
    return "\n".join(parts)


def grid_markdown(grid: PostGrid, mark: str = "##") -> str:
    """Return one table with its notes, as a section."""
    heads = [_head_markdown(head) for head in grid.heads]
    lines = [
        f"{mark} {markdown(grid.title)}\n",
        markdown_row([*grid.axes, *heads]),
        markdown_row(["---:"] * (len(grid.axes) + len(heads))),
        *(markdown_row(map(markdown, [*at, *values])) for at, values in grid.rows),
    ]
    if grid.notes:
        lines += ["", *(f"- {markdown(note)}" for note in grid.notes)]
    return "\n".join(lines) + "\n"


def _head_markdown(head: Head) -> str:
    subject = "post" if head.subject == PUBLISHED else markdown_code(head.subject)
    return "<br>".join(word for word in (markdown(head.group), subject, markdown(head.figure)) if word)
