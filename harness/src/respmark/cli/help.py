"""Help: `--help` shows a command's own and usual options on one screen, `--help-all` every option, by question."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final

from cyclopts import Group
from rich.table import Table

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

ALL: Final = "--help-all"
USUAL: Final = Group("Options", sort_key=1)
SHAPE: Final = Group("In which shapes", sort_key=2)
LENGTH: Final = Group("How long it is measured", sort_key=3)
PLACE: Final = Group("Where it runs", sort_key=4)
OUTPUT: Final = Group("What it prints and keeps", sort_key=5)
REST: Final = frozenset(group.name for group in (SHAPE, LENGTH, PLACE, OUTPUT))
NAMES: Final = 15
"""The width of their column, in characters, so that groups are aligned."""
EXAMPLES: Final = 2
"""How many of them `--help` shows."""


class OneScreen:
    """Prints options without frames, and leaves out the rest."""

    def __call__(self, console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
        """Print the options of one group."""
        del options
        if panel.title in REST:
            return
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, min_width=NAMES)
        for entry in panel.entries:
            value = f" {entry.metavar}" if entry.metavar else ""
            table.add_row(entry.positional_label or f"{entry.all_options[0]}{value}", entry.description)
        console.print(table)

    def render_usage(self, console: "Console", options: "ConsoleOptions", usage: str) -> None:
        """Print how the command is called."""
        del options
        console.print(f"Usage: {usage}")


def usage(name: str, function: Callable[..., Any]) -> str:
    """Return how a command is called: `respmark run [SUITE] [OPTIONS]`."""
    places = []
    for one in signature(function).parameters.values():
        if one.kind is Parameter.VAR_POSITIONAL:
            places.append(f"[{one.name.upper()}...]")
        elif one.kind is Parameter.POSITIONAL_ONLY:
            places.append(one.name.upper() if one.default is Parameter.empty else f"[{one.name.upper()}]")
    return " ".join(["respmark", name, *places, "[OPTIONS]"])


def epilogue(name: str, examples: str, more: str, *, is_all: bool) -> str:
    """Return what stands below the options: examples, and `more` or how to see the rest."""
    shown = examples.strip().splitlines()
    if is_all:
        return f"Examples:\n```text\n{examples.strip()}\n```\n{more}"
    return "  \n".join(
        [*(f"`{one}`" for one in shown[:EXAMPLES]), "", f"Every option, and more: `respmark {name} {ALL}`"]
    )
