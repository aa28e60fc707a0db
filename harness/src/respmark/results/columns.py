"""Slices as columns: one list a field in place of one object a slice, and moments as differences.

A column holds what its field is in every slice, in their order; a value that all slices share stands alone. What a
mapping has in some slices only is null in the others. Lists whose length is the same in every slice (answers of
processes, segments of walkers) become a list of columns, one a place. Times of a slice count from its order, and
orders from the one before; the process's CPU counts from the moment before, in this slice or the last. What remains
are small numbers, which is what a compressor needs. Of several trials, each begins anew.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

Row = dict[str, Any]
Columns = Any
"""A tree: mappings and lists of places, with a column or a single value at each end."""
Path = tuple[str | int, ...]
"""From the root of the tree to a column."""
Difference = tuple[Path, list[Path]]
"""A column that is kept as its difference from the sum of others."""

MAPPINGS: Final = frozenset({"errors", "workload_calls", "setup_calls", "library_calls", "other_calls", "calls"})
"""Fields whose keys are not the same in every slice."""
MOMENTS: Final = ("started", "measured_from", "ended")
CPU: Final = ("cpu_user_ns", "cpu_system_ns")


def to_columns(trials: Sequence[Sequence[Row]]) -> Columns:
    """Return the slices of trials, one after the other, as columns; each must have some."""
    columns = _in_columns(trials)
    return _shared(columns) | {"lap": columns["lap"]}


def to_packed_columns(trials: Sequence[Sequence[Row]]) -> tuple[Columns, list[Difference]]:
    """Return columns of which some are differences from others, and which; they are undone in this order."""
    columns = _in_columns(trials)
    differences = [
        (path, others) for path, others in _near(columns) if all(map(_is_whole, _found(columns, [path, *others])))
    ]
    for path, others in reversed(differences):
        (column,) = _found(columns, [path])
        for other in _found(columns, others):
            column[:] = _minus(column, other)
    return _shared(columns) | {"lap": columns["lap"]}, differences


def _near(columns: Columns) -> Iterator[Difference]:
    """Yield which columns nearly, or always, are the sum of others: the difference takes less space."""
    for process, answer in enumerate(columns["answers"]):
        if isinstance(answer, dict):
            here: Path = ("answers", process)
            yield (*here, "measured_from", "at_ns"), [(*here, "started", "at_ns")]
            yield (*here, "ended", "at_ns"), [(*here, "measured_from", "at_ns")]
            parts: list[Path] = [(*here, "lead_in", "operations"), (*here, "measured", "operations")]
            yield (*here, "segments", 0, "operations"), parts
    yield ("answered_ns",), [("answers", 0, "ended", "at_ns")]
    yield ("evidence", "elapsed_ns"), [("answered_ns",)]
    looked_up: list[Path] = [("evidence", "keyspace_hits"), ("evidence", "keyspace_misses")]
    yield ("evidence", "workload_calls", "get", "calls"), looked_up
    calls: list[Path] = [
        ("evidence", "workload_calls", name, "calls") for name in columns["evidence"]["workload_calls"]
    ]
    yield ("evidence", "reads_processed"), calls


def _found(columns: Columns, paths: Sequence[Path]) -> list[Columns]:
    """Return the columns at the ends of paths; None where there is none."""
    found = []
    for path in paths:
        column = columns
        for step in path:
            known = column.keys() if isinstance(column, dict) else range(len(column) if is_places(column) else 0)
            column = column[step] if step in known else None
        found.append(column)
    return found


def _is_whole(column: Columns) -> bool:
    return isinstance(column, list) and all(type(value) is int for value in column)


def _in_columns(trials: Sequence[Sequence[Row]]) -> Columns:
    columns = _gathered([row for rows in trials for row in rows])
    _to_differences(columns, set(accumulate(map(len, trials), initial=0)))
    return columns


def _gathered(values: Sequence[Any]) -> Columns:
    """Return columns with a value for every slice, moments as they are."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, dict) for value in known):
        keys = dict.fromkeys(key for value in known for key in value)
        return {key: _gathered([None if value is None else value.get(key) for value in values]) for key in keys}
    if len(known) == len(values) and all(map(_is_list_of_mappings, known)) and len(set(map(len, known))) == 1:
        return [_gathered(places) for places in zip(*known, strict=True)]
    return list(values)


def _is_list_of_mappings(value: Any) -> bool:  # noqa: ANN401 - any JSON
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def is_places(columns: Columns) -> bool:
    """Tell whether this is a list of columns, one a place."""
    return isinstance(columns, list) and bool(columns) and isinstance(columns[0], dict)


def _shared(columns: Columns) -> Columns:
    """Let a value that all slices share stand alone."""
    if isinstance(columns, dict):
        return {key: _shared(column) for key, column in columns.items()}
    if is_places(columns):
        return [_shared(column) for column in columns]
    first = columns[0] if columns else []
    is_plain = not isinstance(first, list | dict)
    return first if is_plain and all(value == first and type(value) is type(first) for value in columns) else columns


def _to_differences(columns: Columns, begins: Collection[int]) -> None:
    """Turn times and CPU into differences; `begins` are the places at which a trial begins."""
    ordered = columns["ordered_ns"]
    for moments in moments_of(columns):
        for moment in moments:
            moment["at_ns"][:] = _minus(moment["at_ns"], ordered)
        for name in CPU:
            series = [moment[name] for moment in moments]
            turns = [value for turn in zip(*series, strict=True) for value in turn]
            steps = _steps(turns, {place * len(series) for place in begins})
            for place, column in enumerate(series):
                column[:] = steps[place :: len(series)]
    columns["answered_ns"][:] = _minus(columns["answered_ns"], ordered)
    ordered[:] = _steps(ordered, begins)


def moments_of(columns: Columns) -> Iterator[list[Columns]]:
    """Yield the moments of each process's slices."""
    for answer in columns["answers"]:
        if isinstance(answer, dict):
            yield [answer[name] for name in MOMENTS]


def _steps(values: Sequence[int], begins: Collection[int]) -> list[int]:
    before = [0, *values]
    return [value - (0 if place in begins else before[place]) for place, value in enumerate(values)]


def _minus(values: Iterable[int], others: Iterable[int]) -> list[int]:
    return [value - other for value, other in zip(values, others, strict=True)]
