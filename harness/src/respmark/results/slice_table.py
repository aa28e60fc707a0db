"""A trial's slices as arrays, as they were read.

As a sequence it makes the records of slices when it is first asked for one.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

from respmark.records import SliceRecord
from respmark.results.columns import CPU, MAPPINGS, MOMENTS, Columns, is_places, moments_of

Integers = npt.NDArray[np.int64]
Tree = Any
"""Columns: an array where all values are integers, a list where some are not, else one value for all slices."""
MOST_SLICES: Final = 1_000_000


class ColumnsError(ValueError):
    """Columns do not make slices."""


class SliceTable(Sequence[SliceRecord]):
    """The slices of one trial."""

    __slots__ = ("_count", "_rows", "_tree")

    def __init__(self, tree: Tree, count: int) -> None:
        self._tree = tree
        self._count = count
        self._rows: list[SliceRecord] = []

    @classmethod
    def read(cls, columns: Columns) -> "SliceTable":
        """Return the table that a file's columns hold, with differences added up; see `columns`.

        Raises:
            ColumnsError: they are not those of slices.
            ValidationError: a value is none that a slice can have.
        """
        laps = columns.get("lap") if isinstance(columns, dict) else None
        if not isinstance(laps, list) or not 0 < len(laps) <= MOST_SLICES:
            raise ColumnsError("the column `lap` is not a list with a number for each slice")
        count = len(laps)
        tree = _arrays(columns, count)
        try:
            _add_up(tree, count)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ColumnsError(f"a column of times is missing, or is not of whole numbers ({error})") from error
        table = cls(tree, count)
        table._check()
        return table

    def _check(self) -> None:
        """Refuse what no slice has: the least values of all columns make a row, and limits are lower ones."""
        if _is_whole(self._tree):
            SliceRecord.model_validate(_least(self._tree))
        else:
            self._records()

    def _records(self) -> list[SliceRecord]:
        """Return the records of all slices, made when they are first asked for: statistics ask again and again."""
        if not self._rows:
            self._rows = [SliceRecord.model_validate(_at(self._tree, place)) for place in range(self._count)]
        return self._rows

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> SliceRecord: ...
    @overload
    def __getitem__(self, place: slice) -> list[SliceRecord]: ...
    def __getitem__(self, place: int | slice) -> SliceRecord | list[SliceRecord]:
        return self._records()[place]

    def __iter__(self) -> Iterator[SliceRecord]:
        return iter(self._records())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((self._count, repr(self._tree)))

    def __repr__(self) -> str:
        return f"SliceTable({list(self)})"


def _arrays(columns: Columns, count: int) -> Tree:
    if isinstance(columns, dict):
        return {key: _arrays(column, count) for key, column in columns.items()}
    if is_places(columns):
        return [_arrays(column, count) for column in columns]
    if not isinstance(columns, list) or not columns:
        return columns
    if len(columns) != count:
        raise ColumnsError(f"a column has {len(columns)} values, not one for each of {count} slices")
    if set(map(type, columns)) != {int}:
        return columns
    try:
        return np.array(columns, dtype=np.int64)
    except OverflowError as error:
        raise ColumnsError("a number has more than 64 bits") from error


def _add_up(tree: Tree, count: int) -> None:
    """Turn differences into what they are differences of."""
    ordered = np.cumsum(_whole(tree["ordered_ns"], count))
    for moments in moments_of(tree):
        for moment in moments:
            moment["at_ns"] = _whole(moment["at_ns"], count) + ordered
        for name in CPU:
            series = np.cumsum(np.stack([_whole(moment[name], count) for moment in moments], axis=1))
            for place, moment in enumerate(moments):
                moment[name] = series[place :: len(MOMENTS)]
    tree["answered_ns"] = _whole(tree["answered_ns"], count) + ordered
    tree["ordered_ns"] = ordered


def _whole(column: Tree, count: int) -> Integers:
    """Return a column of integers as an array.

    Raises:
        TypeError: it is none.
    """
    if isinstance(column, np.ndarray):
        return column
    if type(column) is not int:
        raise TypeError(f"{type(column).__name__} in place of whole numbers")
    return np.full(count, column, dtype=np.int64)


def _is_whole(tree: Tree) -> bool:
    """Tell whether all that differs between slices are integers."""
    if isinstance(tree, dict):
        return all(map(_is_whole, tree.values()))
    return not isinstance(tree, list) or all(isinstance(one, dict) and _is_whole(one) for one in tree)


def _least(tree: Tree) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(tree, dict):
        return {key: _least(column) for key, column in tree.items()}
    if isinstance(tree, list):
        return [_least(column) for column in tree]
    return int(tree.min()) if isinstance(tree, np.ndarray) else tree


def _at(tree: Tree, place: int) -> Any:  # noqa: ANN401 - any JSON
    """Return what one slice has."""
    if isinstance(tree, dict):
        return {key: _mapping(column, place) if key in MAPPINGS else _at(column, place) for key, column in tree.items()}
    if is_places(tree):
        return [_at(column, place) for column in tree]
    if isinstance(tree, np.ndarray):
        return int(tree[place])
    if isinstance(tree, list):
        return tree[place] if tree else []
    return tree


def _mapping(tree: Tree, place: int) -> Any:  # noqa: ANN401 - any JSON
    """Return a mapping of one slice, without the keys that it does not have there."""
    found = _at(tree, place)
    return {key: value for key, value in found.items() if not _is_absent(value)} if isinstance(found, dict) else found


def _is_absent(value: Any) -> bool:  # noqa: ANN401 - any JSON
    return value is None or (isinstance(value, dict) and bool(value) and all(map(_is_absent, value.values())))
