"""Loops as a kind of trial: their figures, and what reports show of them."""

from collections.abc import Mapping
from typing import Any, Final

from respmark import numbers
from respmark.contract.trial import LOOP_SCENARIOS
from respmark.kinds.loops.answer import answer, other_uses
from respmark.kinds.loops.charts import CHARTS, groups
from respmark.kinds.loops.columns import COLUMNS, FACTS
from respmark.kinds.loops.connections import connection_chapters
from respmark.kinds.loops.depths import depth_chapters
from respmark.kinds.loops.highest import highest_rates
from respmark.kinds.loops.hosts import host_chapters
from respmark.kinds.loops.load import load_chapters
from respmark.kinds.loops.metrics import LoopFigures, samples_of
from respmark.kinds.loops.notes import caveats, notes, table_notes
from respmark.kinds.loops.record import LoopRecord
from respmark.kinds.loops.rounds import rounds_of
from respmark.kinds.loops.scaling import scaling_chapters
from respmark.kinds.loops.slices import kept_of
from respmark.report.kind import Kind
from respmark.report.report import Report
from respmark.report.table import Chapter


def _above(report: Report) -> list[Chapter]:
    return load_chapters(highest_rates(report.run, report.cells))


def _below(report: Report) -> dict[str, list[Chapter]]:
    return {
        "depths": depth_chapters(report.run),
        "connections": [] if report.manifest.is_about_memory else connection_chapters(report.run),
        "scaling": scaling_chapters(report.run),
        "hosts": host_chapters(report.run),
    }


def _outcome(round_: Mapping[str, Any]) -> str:
    client, server = (numbers.microseconds(round_[f"{side}_cpu_us_per_command"]) for side in ("client", "server"))
    rps = numbers.rps(round_["rps_median"])
    return f"{rps} commands per second, {client} client and {server} server CPU per command"


LOOPS: Final = Kind(
    scenarios=LOOP_SCENARIOS,
    record=LoopRecord,
    kept=kept_of,
    rounds=rounds_of,
    figures=LoopFigures,
    samples=samples_of,
    main="rps",
    own_columns=COLUMNS,
    own_facts=FACTS,
    answer=answer,
    beyond=other_uses,
    above=_above,
    below=_below,
    has_claims=True,
    bounded_metrics={"server_calls": "calls_per_command"},
    notes=notes,
    table_notes=table_notes,
    caveats=caveats,
    in_cell="commands per second, client CPU per command",
    about=(
        "Clients took turns in slices, in random order, with fresh processes in every round. The server's own counters "
        "back every slice that counts."
    ),
    outcome=_outcome,
    charts=CHARTS,
    groups=groups,
)
