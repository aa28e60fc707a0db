"""Slices in the form that files have, read into arrays that similar trials share.

Array operations cost more per call than per number: trials with the same columns, such as the rounds of a cell, are
therefore read into one set of arrays. The result is a sequence of records, each of which is made only when it is asked
for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

from respmark.results.columns import CPU, MAPPINGS, MOMENTS, Columns, Difference, Path, is_places
from respmark.results.records import SliceRecord
from respmark.results.slice_arrays import (
    ArraySlices,
    Column,
    Flags,
    Integers,
    SliceArrays,
    Sparse,
    column_of,
    spread,
    value_at,
)

MOST_SLICES: Final = 1_000_000
NAMED: Final = frozenset({"event", "order"})
"""Text fields that must be one particular word; others may be any text."""


class ColumnsError(ValueError):
    """Columns do not form slices."""


class FileColumns:
    """Columns as a file has them: those of one trial, or of several, one after the other."""

    __slots__ = ("counts", "leaves", "tables")

    def __init__(
        self, columns: Columns, counts: Sequence[int] | None = None, differences: Sequence[Difference] = ()
    ) -> None:
        """Take columns apart; `join` checks whether they form slices.

        Args:
            columns: As a file has them.
            counts: How many slices each trial has; by default, there is one trial.
            differences: The columns that are differences from others.

        Raises:
            ColumnsError: their lengths do not fit together.
        """
        laps = columns.get("lap") if isinstance(columns, dict) else None
        if not isinstance(laps, list) or not 0 < len(laps) <= MOST_SLICES:
            raise ColumnsError("the column `lap` is not a list with a number for each slice")
        self.leaves = dict(_leaves(columns, ()))
        """A list with a value for each slice, or one value for all, by path; used until they are in arrays."""
        for leaf in self.leaves.values():
            if isinstance(leaf, list) and leaf and len(leaf) != len(laps):
                raise ColumnsError(f"a column has {len(leaf)} values, not one for each of {len(laps)} slices")
        self.counts = [len(laps)] if counts is None else list(counts)
        if sum(self.counts) != len(laps) or min(self.counts) < 1:
            raise ColumnsError(f"its trials have {sum(self.counts)} slices, and its columns {len(laps)}")
        for difference in differences:
            _add_to_others(self.leaves, difference, len(laps))
        self.tables = [SliceTable(self, count) for count in self.counts]

    @property
    def signature(self) -> tuple[Path, ...]:
        """Return the paths of the columns: those with the same paths are joined."""
        return tuple(self.leaves)

    @property
    def size(self) -> int:
        """Return how many values there are."""
        return len(self.leaves) * sum(self.counts)


class SliceTable(ArraySlices[SliceRecord]):
    """The slices of one trial."""

    __slots__ = ("_arrays", "_count", "_number", "columns")

    def __init__(self, columns: FileColumns, count: int) -> None:
        self.columns: FileColumns | None = columns
        """None once the slices are in arrays."""
        self._count = count
        self._arrays: SliceArrays | None = None
        self._number = 0

    @classmethod
    def read(cls, columns: Columns) -> "SliceTable":
        """Return the table of a trial's columns; see `FileColumns`."""
        (table,) = FileColumns(columns).tables
        return table

    def put_into(self, arrays: SliceArrays, number: int) -> None:
        """Take its values from a trial in arrays from now on."""
        self._arrays, self._number, self.columns = arrays, number, None

    @property
    def place(self) -> tuple[SliceArrays, int]:
        """Return the arrays that it is in, and the trial's number in them."""
        if self.columns is not None:
            join([self.columns])
        assert self._arrays is not None  # noqa: S101 - `join` has put it there
        return self._arrays, self._number

    def __len__(self) -> int:
        return self._count

    def at(self, place: int) -> SliceRecord:
        """Return the slice at this index, made from the arrays."""
        arrays, number = self.place
        return SliceRecord.model_validate(_row(arrays.columns, int(arrays.starts[number]) + place))


def join(files: Sequence[FileColumns]) -> None:
    """Read columns with the same signature into arrays, one trial after the other.

    Raises:
        ColumnsError: the columns do not form slices.
        ValidationError: a value is one that no slice can have.
    """
    of_files = [sum(one.counts) for one in files]
    counts = [count for one in files for count in one.counts]
    columns = {path: _column([one.leaves[path] for one in files], of_files) for path in files[0].signature}
    try:
        _add_up(columns, SliceArrays({}, counts))
    except (KeyError, TypeError) as error:
        raise ColumnsError(f"a column of times is missing, or is not of whole numbers ({error})") from error
    columns = {found: column_of(values) for path, column in columns.items() for found, values in _even(path, column)}
    arrays = SliceArrays({**_absent_fields(columns, sum(counts)), **columns}, counts)
    for number, table in enumerate(table for one in files for table in one.tables):
        table.put_into(arrays, number)


def _add_to_others(leaves: dict[Path, Any], difference: Difference, count: int) -> None:
    """Turn a column that is stored as the difference from others into its own values."""
    path, others = difference
    try:
        columns = [leaves[one] for one in (path, *others)]
        whole = (column if isinstance(column, list) else [column] * count for column in columns)
        leaves[path] = [sum(values) for values in zip(*whole, strict=True)]
    except (KeyError, TypeError, ValueError) as error:
        raise ColumnsError(f"a difference is from no column, or is not of whole numbers ({error})") from error


def _leaves(columns: Columns, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the ends of a tree of columns with their paths; an empty mapping is an end, too."""
    if isinstance(columns, dict) and columns:
        for key, column in columns.items():
            yield from _leaves(column, (*path, key))
    elif is_places(columns):
        for place, column in enumerate(columns):
            yield from _leaves(column, (*path, place))
    else:
        yield path, columns


def _column(leaves: Sequence[Any], counts: Sequence[int]) -> Column:
    """Return one column, joined from those of several files."""
    first = leaves[0]
    try:
        if any(isinstance(leaf, list) and leaf for leaf in leaves):
            by_file = zip(leaves, counts, strict=True)
            whole = (leaf if isinstance(leaf, list) and leaf else [leaf] * count for leaf, count in by_file)
            return column_of(list(chain.from_iterable(whole)))
        if not all(leaf == first and type(leaf) is type(first) for leaf in leaves):
            return column_of([leaf for leaf, count in zip(leaves, counts, strict=True) for _ in range(count)])
        return np.broadcast_to(np.int64(first), sum(counts)) if type(first) is int else first
    except OverflowError as error:
        raise ColumnsError("a number has more than 64 bits") from error


def _add_up(columns: dict[Path, Column], trials: SliceArrays) -> None:
    """Turn differences back into times and CPU."""
    ordered = _running(_whole(columns["ordered_ns",]), trials.starts, trials.counts)
    for process in sorted({path[1] for path in columns if path[0] == "answers" and len(path) > 1}):
        for moment in MOMENTS:
            path = ("answers", process, moment, "at_ns")
            columns[path] = _whole(columns[path]) + ordered
        for name in CPU:
            paths = [("answers", process, moment, name) for moment in MOMENTS]
            steps = np.stack([_whole(columns[path]) for path in paths], axis=1).reshape(-1)
            series = _running(steps, trials.starts * len(MOMENTS), trials.counts * len(MOMENTS))
            columns |= {path: series[place :: len(MOMENTS)] for place, path in enumerate(paths)}
    columns["answered_ns",] = _whole(columns["answered_ns",]) + ordered
    columns["ordered_ns",] = ordered


def _running(steps: Integers, starts: Integers, counts: Integers) -> Integers:
    """Return running sums that start anew with every trial."""
    running = np.cumsum(steps)
    sums: Integers = running - np.repeat(running[starts] - steps[starts], counts)
    return sums


def _whole(column: Column) -> Integers:
    if not isinstance(column, np.ndarray):
        raise TypeError(f"{type(column).__name__} in place of whole numbers")
    return column


def _even(path: Path, column: Column) -> Iterable[tuple[Path, Column]]:
    """Return a column as it is; lists whose length differs between slices become columns with nulls."""
    return spread(column, path) if isinstance(column, list) and column else [(path, column)]


def _absent_fields(columns: dict[Path, Column], count: int) -> dict[Path, Column]:
    """Refuse values that no slice can have, and return the fields that files may leave out, with their defaults.

    Only sample slices are validated. All limits are lower limits, so one sample has the least value of every column. A
    column that is not of integers contributes one value of each type. Whether a null is valid may depend on others:
    each combination of nulls that occurs is tried.

    Raises:
        ValidationError: a value is one that no slice can have.
    """
    samples = {path: _samples(path, column) for path, column in columns.items()}
    rows = range(max(map(len, samples.values())))
    found = [
        SliceRecord.model_validate(
            _tree({path: some[min(row, len(some) - 1)] for path, some in samples.items()} | absent)
        )
        for absent in _absences(columns)
        for row in rows
    ]
    there = {path[:depth] for path in columns for depth in range(1, len(path) + 1)}
    return {path: _shared(value, count) for path, value in _leaves(found[0].model_dump(), ()) if path not in there}


def _absences(columns: Mapping[Path, Column]) -> Iterator[dict[Path, None]]:
    """Yield each combination of nulls that occurs, once."""
    known = {path: mask for path, column in columns.items() if (mask := _known(column)) is not None}
    if not known:
        yield {}
        return
    for there in np.unique(np.stack(list(known.values()), axis=1), axis=0).tolist():
        yield {path: None for path, is_there in zip(known, there, strict=True) if not is_there}


def _known(column: Column) -> Flags | None:
    """Return where a column has a value; None if it has no nulls."""
    if isinstance(column, Sparse):
        return column.known
    if isinstance(column, list) and column and None in column:
        return np.array([value is not None for value in column])
    return None


def _samples(path: Path, column: Column) -> list[Any]:
    """Return sample values of a column: one of them is refused if any value of the column would be."""
    if isinstance(column, Sparse):
        return [int(column.values[column.known].min())]
    if isinstance(column, np.ndarray):
        return [int(column.min())]
    if not isinstance(column, list) or not column:
        return [column]
    there = (value for value in column if value is not None)
    return [*{(type(value), repr(value) if path[-1] in NAMED else None): value for value in there}.values()] or [None]


def _shared(value: Any, count: int) -> Column:  # noqa: ANN401 - any JSON
    return np.broadcast_to(np.int64(value), count) if type(value) is int else value


def _row(columns: Mapping[Path, Column], place: int) -> Any:  # noqa: ANN401 - any JSON
    """Return one slice as plain data."""
    return _tree({path: value_at(column, place) for path, column in columns.items()})


def _tree(values: Mapping[Path, Any]) -> Any:  # noqa: ANN401 - any JSON
    """Return values by path as the nested mappings and lists that their paths describe."""
    tree: dict[Any, Any] = {}
    for path, value in values.items():
        node: Any = tree
        for key, following in pairwise(path):
            node = _entered(node, key, [] if isinstance(following, int) else {})
        _entered(node, path[-1], value)
    return _without_absent(tree)


def _entered(node: Any, key: Any, fresh: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a mapping's key or a list's index; if there is none, the fresh value is put there."""
    if isinstance(node, dict):
        return node.setdefault(key, fresh)
    if key == len(node):
        node.append(fresh)
    return node[key]


def _without_absent(tree: Any, key: Any = None) -> Any:  # noqa: ANN401 - any JSON
    """Return a tree without the entries of mappings and the items of lists that a slice does not have.

    A field that consists of fields is null if all of those are.
    """
    if isinstance(tree, list):
        return [_without_absent(one) for one in tree if not _is_absent(one)]
    if not isinstance(tree, dict):
        return tree
    kept = {name: one for name, one in tree.items() if key not in MAPPINGS or not _is_absent(one)}
    return {name: None if _is_null(name, one) else _without_absent(one, name) for name, one in kept.items()}


def _is_null(key: Any, value: Any) -> bool:  # noqa: ANN401 - any JSON
    return isinstance(value, dict) and key not in MAPPINGS and _is_absent(value)


def _is_absent(value: Any) -> bool:  # noqa: ANN401 - any JSON
    """Return whether there is nothing but nulls."""
    if not isinstance(value, dict | list):
        return value is None
    found = [one for one in (value.values() if isinstance(value, dict) else value) if one not in ({}, [])]
    return bool(found) and all(map(_is_absent, found))
