"""Slices as columns: one list a field in place of one object a slice, and moments as differences.

A column holds what its field is in every slice, in their order; a value that all slices share stands alone. What a
mapping has in some slices only is null in the others. Lists whose length is the same in every slice (answers of
processes, segments of walkers) become a list of columns, one a place. Times of a slice count from its order, and
orders from the one before; the process's CPU counts from the moment before, in this slice or the last. What remains
are small numbers, which is what a compressor needs.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

Row = dict[str, Any]
Columns = Any
"""A tree: mappings and lists of places, with a column or a single value at each end."""

MAPPINGS: Final = frozenset({"errors", "workload_calls", "setup_calls", "library_calls", "other_calls", "calls"})
"""Fields whose keys are not the same in every slice."""
MOMENTS: Final = ("started", "measured_from", "ended")
CPU: Final = ("cpu_user_ns", "cpu_system_ns")


def to_columns(rows: Sequence[Row]) -> Columns:
    """Return slices as columns; they must not be none."""
    columns = _gathered(rows)
    _to_differences(columns)
    return _shared(columns) | {"lap": columns["lap"]}


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


def _to_differences(columns: Columns) -> None:
    ordered = columns["ordered_ns"]
    for moments in moments_of(columns):
        for moment in moments:
            moment["at_ns"][:] = _minus(moment["at_ns"], ordered)
        for name in CPU:
            series = [moment[name] for moment in moments]
            steps = list(_steps(value for turn in zip(*series, strict=True) for value in turn))
            for place, column in enumerate(series):
                column[:] = steps[place :: len(series)]
    columns["answered_ns"][:] = _minus(columns["answered_ns"], ordered)
    ordered[:] = _steps(ordered)


def moments_of(columns: Columns) -> Iterator[list[Columns]]:
    """Yield the moments of each process's slices."""
    for answer in columns["answers"]:
        if isinstance(answer, dict):
            yield [answer[name] for name in MOMENTS]


def _steps(values: Iterable[int]) -> Iterator[int]:
    yield from (later - earlier for earlier, later in pairwise([0, *values]))


def _minus(values: Iterable[int], others: Iterable[int]) -> list[int]:
    return [value - other for value, other in zip(values, others, strict=True)]
