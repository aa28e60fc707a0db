"""What changed from a library's old version to its new one."""

from collections.abc import Sequence
from typing import Final

from respmark import numbers
from respmark.report.notes import joined, shape_label
from respmark.report.scenarios import ratio_text
from respmark.report.table import SUBJECT, Chapter, Column, Row, Table, row
from respmark.specs.naming import NAME
from respmark.statistics.blocks import VersionChange
from respmark.statistics.compare import Ratio
from respmark.statistics.measured import RATIO_NAMES

TITLE: Final = "new versions against old"
SUMMARY: Final = "a library's new version against an old one, taking turns in one block: new / old"
COLUMNS: Final = (
    SUBJECT,
    Column("throughput"),
    *(Column(f"{name} ratio\nnew / old") for name in RATIO_NAMES.values()),
)
NOTE: Final = (
    "ratios compare slices of the same laps, with 95 % intervals over rounds; this table is one family (Holm); = and "
    "tie: no difference shown; CPU is per command (docs/statistics.md)"
)


def version_chapters(changes: Sequence[VersionChange], title: str = TITLE) -> list[Chapter]:
    """Return the chapter, with a table per pair of versions and a row per use; none if no library has two versions."""
    rows: dict[str, list[Row]] = {}
    for change in sorted(changes, key=_order):
        ratios = (ratio_text(change.ratio(metric)) for metric in RATIO_NAMES)
        rows.setdefault(_versions(change), []).append(row(_use(change), _outcome(change.ratio("rps")), *ratios))
    tables = tuple(Table(label, COLUMNS, tuple(found)) for label, found in rows.items())
    return [Chapter(title, (SUMMARY,), tables, (NOTE,))] if tables else []


def version_sentence(change: VersionChange) -> str:
    """Return what the new version does and costs, as a ratio to the old one."""
    versions = f"{change.library}{_options(change)} {change.new.version} against {change.old.version}"
    return f"{versions}: {_said(change.ratio('rps'), 'throughput')}, {_said(change.ratio('client_cpu'), 'CPU')}"


def _said(ratio: Ratio, what: str) -> str:
    if ratio.low is None or ratio.high is None:
        return f"{numbers.ratio(ratio.value)} of the {what} (no interval)"
    interval = f"{numbers.ratio(ratio.low)}..{numbers.ratio(ratio.high)}"
    if not ratio.shown:
        return f"no difference shown in {what} ({numbers.ratio(ratio.value)}, {interval})"
    return f"{numbers.ratio(ratio.value)} ({interval}) of the {what}"


def _options(change: VersionChange) -> str:
    match = NAME.match(change.new.client)
    return f"[{match['options']}]" if match and match["options"] else ""


def _versions(change: VersionChange) -> str:
    """Return what is compared: `redis-py 6.4.0 / 3.5.3`; with the client's name if that says another version."""
    match = NAME.match(change.old.client)
    named = match and match["version"]
    of = f" ({change.library}@{named})" if named and named != change.old.version else ""
    return f"{change.library} {change.new.version} / {change.old.version}{of}"


def _use(change: VersionChange) -> str:
    workload = f"workload {change.workload}" if change.workload else ""
    return joined(change.scenario, shape_label(change.shape), workload, _options(change))


def _order(change: VersionChange) -> tuple[str, str, str, list[int]]:
    """Return what rows are sorted by: a run's blocks are in random order."""
    shape = change.shape
    forms = f"{change.scenario} {shape.window} {shape.form} {change.workload} {change.new.client}"
    names = ("depth", "threads", "max_total", "max_idle", "connections", "cache_entries", "processes", "rtt_ms")
    return change.library, _versions(change), forms, [getattr(shape, name) or 0 for name in names]


def _outcome(rps: Ratio) -> str:
    if rps.low is None:
        return "not claimed: one round"
    if not rps.shown:
        return "tie"
    return "faster" if rps.value > 1 else "slower"
