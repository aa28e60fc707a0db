"""The tables of docs/faults.md: what to set so that no command waits longer than a second, and what a run saw of it.

`make readme` writes them, from `[limits.strict]` of each `client.toml` and from the published run of `faults-limits`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Final

from respmark.contract.trial import Fault, Shape
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_table
from respmark.figures.cells import RunFigures, read_figures
from respmark.kinds.faults.kind import FAULTS, wait_text
from respmark.kinds.faults.metrics import (
    HOLDS_MORE_S,
    HOLDS_TIMES,
    FaultCell,
    cells_of,
    middle,
    opened_per_second_of,
)
from respmark.kinds.faults.record import FaultRecord, Figures, Wait
from respmark.paths import CHECKOUT
from respmark.plan.faults import RATE
from respmark.report.labels import plural
from respmark.results.read import ReadRun
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import CLUSTER, ClientSpec
from respmark.specs.faults import lasts_s
from respmark.specs.limits import LIMITS, LimitsSpec, Setting
from respmark.specs.names import name_parts
from tools.published import is_run

PAGE: Final[Path] = CHECKOUT / "docs" / "faults.md"
INSTALLED_RUN: Final[Path] = CHECKOUT / "results" / "published" / "faults"
RUN: Final[Path] = CHECKOUT / "results" / "published" / "faults-limits"
HUNG_S: Final = 30
"""What a caller that waits longer than this takes for a client that hangs."""
DAMAGE: Final[Mapping[str, Callable[[Figures], int | None]]] = {
    "Acknowledged writes were missing in the end with": lambda figures: figures.writes.lost,
    "A write was executed more often than it was sent with": lambda figures: figures.writes.doubled,
    "A caller got another one's reply, or another value, with": lambda figures: figures.wrong,
}
BUSY_PERCENT: Final = 50
"""Of one processor: what callers of forty commands a second do not need."""
STORM: Final = 100
"""Connections a second: more than twice as many as commands."""
STRICT: Final = "strict"
HEADS: Final[Mapping[Setting, str]] = {
    "connect": "connecting",
    "command": "a command",
    "pool": "a pool's connection",
    "retries": "no retries",
    "keep_alive": "keep-alive",
    "user_timeout": "user time-out",
}
MOST_S: Final = HOLDS_TIMES + HOLDS_MORE_S
"""A limit of a second holds up to here."""
GONE: Final[Mapping[Fault, str]] = {
    Fault.HALF_OPEN: "connections were lost for good",
    Fault.SWALLOWED: "something between still acknowledged",
}
"""Faults that are never mended, in words."""
GONE_TEXT: Final = """
## Gone, or only silent

A limit that is kept ends a command, not the connection that it waited on. A host that is gone acknowledges nothing:
keep-alive and the user time-out break the connection, and the client opens another. A proxy that lost what is behind it
acknowledges all: to TCP nothing is wrong, and only a client that closes a connection whose command has timed out gets
another one. With `limits=strict`, from the begin of the fault until every caller has had a reply, in seconds:

"""


def sections(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each section that is made, by the name of its marks."""
    installed, limited = (read_figures(one, FAULTS) if is_run(one) else None for one in (INSTALLED_RUN, RUN))
    return {
        "answer": f"\n{answer(installed)}{kept(limited) if limited else ''}\n" if installed else "\n",
        "options": options_table(catalogue, seen_in(limited) if limited else {})
        + (rounds_of(limited) if limited else ""),
        "gone": gone(limited) if limited else "\n",
    }


def answer(run: ReadRun) -> str:
    """Return what a run of libraries as installed shows, in sentences, each on a line."""
    by_client: dict[str, list[FaultCell]] = {}
    for cell in cells_of(run):
        if cell.rounds:
            by_client.setdefault(cell.described.client.name, []).append(cell)
    longest = {name: max(map(_longest_s, cells)) for name, cells in by_client.items()}
    faults = len({cell.described.shape.fault for cells in by_client.values() for cell in cells})
    hung = [name for name, seconds in sorted(longest.items(), key=lambda one: -one[1]) if seconds > HUNG_S]
    waited = (
        f"- Of {len(longest)} libraries as installed, {len(hung)} had a command wait for longer than {HUNG_S} s in at "
        f"least one of {faults} faults{_named(hung)}.\n"
    )
    damaged = "".join(f"- {what}{_named(names) or ': none'}.\n" for what, names in _damage(by_client))
    return waited + damaged + "".join(_costs([cell for cells in by_client.values() for cell in cells]))


def kept(run: ReadRun) -> str:
    """Return how many clients keep a limit of one second with what it takes, and the longest wait of each other one."""
    by_client = _strict(run)
    worst = {name: max(cells, key=_longest_s) for name, cells in by_client.items()}
    longer = {name: cell for name, cell in worst.items() if _longest_s(cell) > MOST_S}
    if not worst:
        return ""
    told = ", ".join(
        f"`{name}` ({_longest_s(cell):.3g} s in `{cell.described.shape.fault}`)"
        for name, cell in sorted(longer.items(), key=lambda one: _longest_s(one[1]))
    )
    return (
        f"- With the [options](#limits) that it takes to keep a limit of one second, {len(worst) - len(longer)} of "
        f"{len(worst)} clients kept it in every fault{f'; a command waited longer with {told}' if told else ''}.\n"
        + "".join(_silent(by_client))
    )


def _silent(by_client: Mapping[str, Sequence[FaultCell]]) -> Iterator[str]:
    """Yield a sentence for each fault that is never mended: with which clients a caller had no reply again."""
    waits = {name: _when_gone(cells, lambda figures: figures.last_success) for name, cells in by_client.items()}
    for fault, words in GONE.items():
        if names := [name for name, found in waits.items() if fault in found and not found[fault].is_over]:
            seconds = lasts_s(Shape(fault=fault))
            yield f"- With them, a caller had no reply for {seconds:.0f} s after {words} (`{fault}`){_named(names)}.\n"


def _costs(cells: Sequence[FaultCell]) -> Iterator[str]:
    """Yield a sentence for each way in which a client burdens its machine or the server, if there is one that does."""
    busy = _above(cells, lambda one: one.client_cpu_percent, BUSY_PERCENT, "% of one in")
    storms = _above(cells, opened_per_second_of, STORM, "a second in")
    if busy:
        yield f"- Callers of {RATE} commands a second kept more than half a processor busy with: {busy}.\n"
    if storms:
        yield f"- More than {STORM} connections a second were opened while a fault lasted by: {storms}.\n"


def _above(cells: Sequence[FaultCell], of: Callable[[FaultRecord], float | None], least: float, unit: str) -> str:
    """Return each client of which the median of rounds is above `least` in a fault, with that and the fault."""
    found = [(value, cell) for cell in cells if (value := cell.count(of)) is not None and value > least]
    return ", ".join(
        f"`{cell.described.client.name}` ({value:,.0f} {unit} `{cell.described.shape.fault}`)" for value, cell in found
    )


def _damage(by_client: Mapping[str, Sequence[FaultCell]]) -> Iterator[tuple[str, list[str]]]:
    """Yield each kind of damage, and the clients that any round of any fault saw it in."""
    for what, of in DAMAGE.items():
        yield what, [name for name, cells in by_client.items() if any(cell.most(of) for cell in cells)]


def _named(names: Sequence[str]) -> str:
    return f": {', '.join(f'`{name}`' for name in names)}" if names else ""


def options_table(catalogue: Catalogue, seen: Mapping[str, str]) -> str:
    """Return a row a library that has limits: the options to set, and what a run saw of it, by client."""
    rows = [
        (f"`{name}`", *options, seen.get(name, "not measured"), escaped(note))
        for spec in catalogue.clients.values()
        for name, options, note in _clients(spec)
    ]
    heads = ("client", *HEADS.values(), "seen with them, in seconds", "besides")
    return f"\n{markdown_table(heads, sorted(rows))}\n"


def _clients(spec: ClientSpec) -> Iterator[tuple[str, list[str], str]]:
    """Yield each client of a library that has limits of its own, with the options and the note."""
    if (row := spec.limits.get(STRICT)) is None:
        return
    yield spec.library, _options(row), row.note
    for option, limits in ((one, row.at[one]) for one in row.at if one != CLUSTER):
        yield f"{spec.library}[{option}]", _options(limits), limits.note


def _options(limits: LimitsSpec) -> list[str]:
    return [_option(limits, setting) for setting in HEADS]


def _option(limits: LimitsSpec, setting: Setting) -> str:
    if names := limits.options.get(setting):
        return ", ".join(f"`{name}`" for name in names.split(", "))
    match getattr(limits, setting, None):
        case "missing":
            return "" if setting == "pool" else "no option"
        case "none":
            return "no limit"
        case None | 0:
            return ""
        case _:
            return "as installed"


def seen_in(run: RunFigures) -> dict[str, str]:
    """Return what a run saw of each client with `limits=strict`, by its name without that."""
    return {name: _told(cells) for name, cells in _strict(run).items()}


def _strict(run: ReadRun) -> dict[str, list[FaultCell]]:
    found: dict[str, list[FaultCell]] = {}
    for cell in cells_of(run):
        if cell.rounds and cell.described.client.limits == STRICT:
            found.setdefault(_without_limits(cell.described.client.name), []).append(cell)
    return found


def rounds_of(run: RunFigures) -> str:
    """Return how many rounds the figures are of, in a sentence."""
    counts = sorted({len(cell.rounds) for cells in _strict(run).values() for cell in cells})
    if not counts:
        return ""
    told = plural(counts[-1], "round") if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} rounds"
    return f"Measured in {told} of each client and fault, in [this run](../results/published/faults-limits).\n\n"


def gone(run: RunFigures) -> str:
    """Return what a host that is gone and a proxy that acknowledges mean to each client, the soonest first."""
    waits = {name: _when_gone(cells, lambda figures: figures.last_success) for name, cells in _strict(run).items()}
    both = {name: found for name, found in waits.items() if len(found) == len(GONE)}
    ordered = sorted(both.items(), key=lambda one: [(not wait.is_over, wait.s) for wait in reversed(one[1].values())])
    rows = [(f"`{name}`", *map(wait_text, found.values())) for name, found in ordered]
    heads = "client", *(f"`{fault}`" for fault in GONE)
    return f"{GONE_TEXT}{markdown_table(heads, rows, numbers=len(GONE))}\n" if rows else "\n"


def _when_gone(cells: Sequence[FaultCell], of: Callable[[Figures], Wait | None]) -> dict[Fault, Wait]:
    """Return a client's waits under the faults that are never mended, the medians of rounds."""
    by_fault = {cell.described.shape.fault: cell for cell in cells}
    return {fault: middle(by_fault[fault].waits(of)) for fault in GONE if fault in by_fault}


def _without_limits(name: str) -> str:
    """Return a client's name without `limits=strict`."""
    parts = name_parts(name)
    others = [f"{option}={value}" for option, value in parts.values.items() if option != LIMITS]
    return str(replace(parts, settings=f"[{','.join(others)}]" if others else ""))


def _told(cells: Sequence[FaultCell]) -> str:
    longest = {cell.described.shape.fault: _longest_s(cell) for cell in cells}
    kept = [seconds for seconds in longest.values() if seconds <= MOST_S]
    broken = {fault: seconds for fault, seconds in longest.items() if seconds > MOST_S}
    parts = [f"at most {max(kept):.2f}" if kept else "", _listed(broken)]
    return "; ".join(filter(None, parts))


def _listed(broken: Mapping[Fault | None, float]) -> str:
    return "but " + ", ".join(f"{fault} {seconds:.3g}" for fault, seconds in broken.items()) if broken else ""


def _longest_s(cell: FaultCell) -> float:
    return median(one.s for one in cell.waits(lambda figures: figures.longest_wait))
