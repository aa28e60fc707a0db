"""Slices as arrays: figures are computed for all slices of many trials at once.

A field of a slice is named by its path, such as `("answers", 0, "started", "at_ns")`. Trials whose slices have the same
fields follow each other in the same arrays.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from respmark.contract.base import Message

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Path = tuple[str | int, ...]
Record = TypeVar("Record", bound=Message)


@dataclass(frozen=True)
class Sparse:
    """Integers that not every slice has."""

    values: Integers
    """0 if there is none."""
    known: Flags


Column = Any
"""Integers or `Sparse`; otherwise a list with a value for each slice, or one value that all slices share."""


class SliceArrays:
    """The slices of some trials that have the same fields."""

    def __init__(self, columns: Mapping[Path, Column], counts: Sequence[int]) -> None:
        self.columns = columns
        self.counts: Integers = np.array(counts, dtype=np.int64)
        """How many slices each trial has."""
        self.ends: Integers = np.cumsum(self.counts)
        self.starts: Integers = self.ends - self.counts
        self._length = int(self.counts.sum())

    @classmethod
    def of(cls, slices: Sequence[Message]) -> "SliceArrays":
        """Return the slices of one trial as arrays."""
        rows = [one.model_dump() for one in slices]
        return cls({path: column_of(values) for path, values in spread(rows)}, [len(rows)])

    def __len__(self) -> int:
        return self._length

    def trial(self, number: int) -> "SliceArrays":
        """Return the slices of one of the trials."""
        rows = slice(int(self.starts[number]), int(self.ends[number]))
        return SliceArrays(
            {path: rows_of(column, rows) for path, column in self.columns.items()}, [rows.stop - rows.start]
        )

    def only(self, kept: Flags) -> "SliceArrays":
        """Return only the slices that are kept; a trial may have none left."""
        if kept.all():
            return self
        return SliceArrays(
            {path: rows_of(column, kept) for path, column in self.columns.items()}, self.sums(kept).tolist()
        )

    def whole(self, *path: str | int) -> Integers:
        """Return a field that is an integer in every slice.

        Raises:
            ValueError: it is not an integer in every slice.
        """
        column = self.columns.get(path)
        if isinstance(column, np.ndarray):
            return column
        raise ValueError(f"`{_name(path)}` is not a whole number in every slice")

    def known(self, *path: str | int) -> Sparse:
        """Return a field that may be null.

        Raises:
            ValueError: it has values other than integers and nulls.
        """
        column = self.columns.get(path)
        if isinstance(column, Sparse):
            return column
        if isinstance(column, np.ndarray):
            return Sparse(column, np.ones(len(self), dtype=np.bool_))
        if column is None:
            return Sparse(np.zeros(len(self), dtype=np.int64), np.zeros(len(self), dtype=np.bool_))
        raise ValueError(f"`{_name(path)}` is neither null nor a whole number")

    def value(self, place: int, *path: str | int) -> Any:  # noqa: ANN401 - whatever a slice has there
        """Return a field of one slice."""
        return value_at(self.columns.get(path), place)

    def keys(self, *path: str | int) -> list[str | int]:
        """Return the keys of a mapping that any slice has, or the indices of a list."""
        depth = len(path)
        return list(dict.fromkeys(one[depth] for one in self.columns if len(one) > depth and one[:depth] == path))

    def mapping(self, *path: str | int) -> dict[str, Sparse]:
        """Return the counts of a mapping by key."""
        return {str(key): self.known(*path, key) for key in self.keys(*path)}

    @cached_property
    def processes(self) -> int:
        """Return how many processes a trial has."""
        return len(self.keys("answers"))

    def answers(self, *path: str) -> Integers:
        """Return a field of all processes: shape (processes, slices)."""
        return np.stack([self.whole("answers", process, *path) for process in range(self.processes)])

    def cpu_ns(self, moment: str) -> Integers:
        """Return user and system CPU of each process at a moment: shape (processes, slices)."""
        return self.answers(moment, "cpu_user_ns") + self.answers(moment, "cpu_system_ns")

    @property
    def taken_cpu_ns(self) -> Integers:
        """Return CPU that neither the server used nor runners claim, and the hypervisor's, by slice; 0 if unknown."""
        return self.known("evidence", "other_cpu_ns").values + self.known("evidence", "stolen_cpu_ns").values

    @property
    def counted(self) -> Flags:
        """Return which slices count: the server's counters back them, and they were not repeated."""
        reasons = self.columns.get(("mismatch",))
        if isinstance(reasons, list):
            return np.array([reason is None for reason in reasons], dtype=np.bool_) & ~self.repeated
        return np.full(len(self), reasons is None) & ~self.repeated

    @cached_property
    def repeated(self) -> Flags:
        """Return which slices were repeated: the next one of their trial is in the same lap."""
        laps = self.whole("lap")
        repeated = np.zeros(len(self), dtype=np.bool_)
        repeated[:-1] = laps[1:] == laps[:-1]
        repeated[self.ends[self.counts > 0] - 1] = False
        return repeated

    def sums(self, values: Integers | Flags) -> Integers:
        """Return each trial's sum."""
        return sums_between(values, self.starts, self.ends)

    def by_slice(self, values: Any) -> Any:  # noqa: ANN401 - any array of numpy's
        """Return each trial's value once for each of its slices."""
        return np.repeat(values, self.counts, axis=0)

    def parts(self, values: list[Any]) -> Iterator[list[Any]]:
        """Yield each trial's part of a list that has a value for every slice."""
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield values[start:end]


def sums_between(values: Integers | Flags, starts: Integers, ends: Integers) -> Integers:
    """Return the sum of each of several parts of an array."""
    running = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    sums: Integers = running[ends] - running[starts]
    return sums


class ArraySlices(Sequence[Record]):
    """A trial's slices that are in arrays, or can be put into some."""

    @property
    @abstractmethod
    def place(self) -> tuple[SliceArrays, int]:
        """Return the arrays, and the trial's number in them."""

    @abstractmethod
    def at(self, place: int) -> Record:
        """Return the slice at this index."""

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        places = range(len(self))[place]
        return self.at(places) if isinstance(places, int) else list(map(self.at, places))

    def __iter__(self) -> Iterator[Record]:
        return map(self.at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(len(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"


class RecordedSlices(ArraySlices[Record]):
    """Slices that are records; arrays are made on first use and kept, because statistics ask for them repeatedly."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = tuple(records)

    @cached_property
    def place(self) -> tuple[SliceArrays, int]:
        """Return the arrays of these slices."""
        return SliceArrays.of(self._records), 0

    def at(self, place: int) -> Record:
        """Return the slice at this index."""
        return self._records[place]

    def __len__(self) -> int:
        return len(self._records)


def in_arrays(slices: Sequence[Record]) -> ArraySlices[Record]:
    """Return the slices as a sequence that knows its arrays."""
    return slices if isinstance(slices, ArraySlices) else RecordedSlices(slices)


def spread(rows: Sequence[Any], path: Path = ()) -> Iterator[tuple[Path, Column]]:
    """Yield the columns of rows: lists with a value for each row, None if a row has no such field.

    A mapping or list that is empty in all rows stands for itself.
    """
    known = [row for row in rows if row is not None]
    if known and all(isinstance(row, dict) for row in known):
        keys = dict.fromkeys(key for row in known for key in row)
        for key in keys:
            yield from spread([None if row is None else row.get(key) for row in rows], (*path, key))
        if not keys:
            yield path, {}
    elif known and all(map(_is_list_of_mappings, known)):
        longest = max(map(len, known))
        for place in range(longest):
            there = [row[place] if row is not None and place < len(row) else None for row in rows]
            yield from spread(there, (*path, place))
        if not longest:
            yield path, []
    else:
        yield path, list(rows)


def column_of(values: Column) -> Column:
    """Return values as a column; a list of integers, or of integers and nulls, becomes an array.

    Raises:
        OverflowError: an integer has more than 64 bits.
    """
    if not isinstance(values, list) or not values:
        return values
    kinds = set(map(type, values))
    if kinds == {int}:
        return np.array(values, dtype=np.int64)
    if kinds == {int, type(None)}:
        known = np.array([value is not None for value in values])
        return Sparse(np.array([value or 0 for value in values], dtype=np.int64), known)
    return None if kinds == {type(None)} else values


def rows_of(column: Column, rows: slice | Flags) -> Column:
    """Return some rows of a column."""
    if isinstance(column, Sparse):
        return Sparse(column.values[rows], column.known[rows])
    if isinstance(column, np.ndarray):
        return column[rows]
    if not isinstance(column, list) or not column:
        return column
    return column[rows] if isinstance(rows, slice) else [column[place] for place in np.flatnonzero(rows).tolist()]


def value_at(column: Column, place: int) -> Any:  # noqa: ANN401 - whatever a slice has there
    """Return a column's value at one index."""
    if isinstance(column, Sparse):
        return int(column.values[place]) if column.known[place] else None
    if isinstance(column, np.ndarray):
        return int(column[place])
    return column[place] if isinstance(column, list) and column else column


def _is_list_of_mappings(value: Any) -> bool:  # noqa: ANN401 - any JSON
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _name(path: Path) -> str:
    return ".".join(map(str, path))
