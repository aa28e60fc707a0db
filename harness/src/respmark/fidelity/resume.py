"""Continues a fidelity run that was cut short, or whose rows need more rounds."""

from typing import Final

from respmark.errors import InvalidRequestError
from respmark.fidelity.rows import FidelityRun, Row

MAY_DIFFER: Final = {"schema_version", "rounds", "rows"}


def continued(now: FidelityRun, before: FidelityRun) -> FidelityRun:
    """Return the run `now`, which has not begun, with the rounds that the run `before` has measured.

    Rows that failed are tried again; those that this run does not measure stay as they are.

    Raises:
        InvalidRequestError: the earlier run was measured differently, or elsewhere.
    """
    pairs = {name: (getattr(now, name), getattr(before, name)) for name in FidelityRun.model_fields}
    different = [
        f"{name}: {ours}, there {theirs}"
        for name, (ours, theirs) in pairs.items()
        if ours != theirs and name not in MAY_DIFFER
    ]
    if different:
        message = f"the fidelity run cannot go on here ({'; '.join(different)}): begin a new one"
        raise InvalidRequestError(message)
    ours = {row.key: row for row in now.rows}
    rows = [_with_rounds_of(row, ours.pop(row.key, row)) for row in before.rows]
    return now.model_copy(update={"rounds": max(now.rounds, before.rounds), "rows": [*rows, *ours.values()]})


def _with_rounds_of(before: Row, now: Row) -> Row:
    return now.model_copy(update={"laps": before.laps, "versions": before.versions})
