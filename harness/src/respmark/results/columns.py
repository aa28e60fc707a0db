"""Slices as columns: one list per field instead of one object per slice, and moments as differences.

A column holds the value of its field in every slice, in order; a value that all slices share is stored once, without a
list. A mapping's keys that only some slices have are null in the others. Lists that have the same length in every slice
(answers of processes, segments of walkers) become a list of columns, one per index. A slice's times count from its
order, and an order from the previous one; a process's CPU counts from the previous moment, in this slice or the one
before. What remains are small numbers, which compress well. If there are several trials, the differences of each start
anew.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

Row = dict[str, Any]
Columns = Any
"""A tree of mappings and lists, with a column or a single value at each end."""
Path = tuple[str | int, ...]
"""From the root of the tree to a column."""
Difference = tuple[Path, list[Path]]
"""A column that is stored as its difference from the sum of others."""

MAPPINGS: Final = frozenset({"errors", "workload_calls", "setup_calls", "library_calls", "other_calls", "calls"})
"""Fields whose keys are not the same in every slice."""
MOMENTS: Final = ("started", "measured_from", "ended")
CPU: Final = ("cpu_user_ns", "cpu_system_ns")


def to_columns(trials: Sequence[Sequence[Row]]) -> Columns:
    """Return the slices of trials, one trial after the other, as columns; each trial must have some."""
    columns = _in_columns(trials)
    return _shared(columns) | {"lap": columns["lap"]}


def to_packed_columns(trials: Sequence[Sequence[Row]]) -> tuple[Columns, list[Difference]]:
    """Return columns, some of them differences from others, and a list of those in the order in which to undo them."""
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
    """Yield the columns that are nearly, or always, the sum of others: the difference takes less space."""
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
    """Return the columns at the ends of paths; None for a path that leads nowhere."""
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
    """Return columns with a value for every slice; moments are not differences yet."""
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
    """Return whether this is a list of columns, one per index."""
    return isinstance(columns, list) and bool(columns) and isinstance(columns[0], dict)


def _shared(columns: Columns) -> Columns:
    """Return columns in which a value that all slices share stands without a list."""
    if isinstance(columns, dict):
        return {key: _shared(column) for key, column in columns.items()}
    if is_places(columns):
        return [_shared(column) for column in columns]
    first = columns[0] if columns else []
    is_plain = not isinstance(first, list | dict)
    return first if is_plain and all(value == first and type(value) is type(first) for value in columns) else columns


def _to_differences(columns: Columns, begins: Collection[int]) -> None:
    """Turn times and CPU into differences; `begins` are the indices at which trials begin."""
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
