"""What changed from a library's old version to its new one, as a table."""

from collections.abc import Sequence
from typing import Final

from respmark import numbers
from respmark.report.notes import shape_label
from respmark.report.tables import Block, Column, Row, ScenarioTable, ratio_words
from respmark.results.records import Status
from respmark.specs.naming import NAME
from respmark.statistics.blocks import ShownRatio
from respmark.statistics.measured import RATIO_NAMES
from respmark.statistics.versions import VersionChange

TITLE: Final = "new versions against old"
SUMMARY: Final = "a library's new version against an old one, taking turns in one block: new / old"
COLUMNS: Final = (
    Column("throughput"),
    *(Column(f"{name} ratio\nnew / old") for name in RATIO_NAMES.values()),
)
NOTE: Final = (
    "ratios compare slices of the same laps, with 95 % intervals over rounds; this table is one family (Holm); = and "
    "tie: no difference shown; CPU is per command (docs/statistics.md)"
)


def versions_table(changes: Sequence[VersionChange], title: str = TITLE) -> ScenarioTable | None:
    """Return the table: a block per pair of versions, a row per use; None if no library has two versions."""
    if not changes:
        return None
    blocks: dict[str, list[Row]] = {}
    for change in sorted(changes, key=_order):
        blocks.setdefault(versions_label(change), []).append(_row(change))
    made = tuple(Block(label, COLUMNS, tuple(rows)) for label, rows in blocks.items())
    return ScenarioTable(title, SUMMARY, made, (NOTE,))


def versions_label(change: VersionChange) -> str:
    """Return what is compared: `redis-py 6.4.0 / 3.5.3`; with the client's name if that says another version."""
    match = NAME.match(change.old.client)
    named = match and match["version"]
    of = f" ({change.library}@{named})" if named and named != change.old.version else ""
    return f"{change.library} {change.new.version} / {change.old.version}{of}"


def versions_sentence(change: VersionChange) -> str:
    """Return what the new version does and costs, as a ratio to the old one."""
    match = NAME.match(change.new.client)
    options = f"[{match['options']}]" if match and match["options"] else ""
    versions = f"{change.library}{options} {change.new.version} against {change.old.version}"
    return f"{versions}: {_told(change.ratio('rps'), 'throughput')}, {_told(change.ratio('client_cpu'), 'CPU')}"


def _told(ratio: ShownRatio, what: str) -> str:
    if ratio.low is None or ratio.high is None:
        return f"{numbers.ratio(ratio.value)} of the {what} (no interval)"
    interval = f"{numbers.ratio(ratio.low)}..{numbers.ratio(ratio.high)}"
    if not ratio.shown:
        return f"no difference shown in {what} ({numbers.ratio(ratio.value)}, {interval})"
    return f"{numbers.ratio(ratio.value)} ({interval}) of the {what}"


def _order(change: VersionChange) -> tuple[str, str, str, list[int]]:
    """Return what rows are sorted by: a run's blocks are in random order."""
    shape = change.shape
    forms = f"{change.scenario} {shape.window} {shape.form} {change.workload} {change.new.client}"
    names = ("depth", "threads", "max_total", "max_idle", "connections", "cache_entries", "processes")
    return change.library, versions_label(change), forms, [getattr(shape, name) or 0 for name in names]


def use_label(change: VersionChange) -> str:
    """Return the compared use: `batching, depth 100`, with the workload if there are several, and the options."""
    match = NAME.match(change.new.client)
    options = f"[{match['options']}]" if match and match["options"] else ""
    workload = change.workload and f"workload {change.workload}"
    return ", ".join(filter(None, [change.scenario, shape_label(change.shape), workload, options]))


def outcome(rps: ShownRatio) -> str:
    """Return what became of the throughput, in a few words."""
    if rps.low is None:
        return "not claimed: one round"
    if not rps.shown:
        return "tie"
    return "faster" if rps.value > 1 else "slower"


def _row(change: VersionChange) -> Row:
    ratios = (ratio_words(change.ratio(metric)) for metric in RATIO_NAMES)
    return Row(use_label(change), (outcome(change.ratio("rps")), *ratios), Status.OK)
