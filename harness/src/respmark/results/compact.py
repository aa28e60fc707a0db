"""Records in few bytes: slices as columns, latencies in HdrHistogram's encoding or as counts in text.

A trial's file is gzipped JSON, written as the trial ends. A packed file is JSON in xz and holds many trials: slices
with the same columns are stored together, and the compressor stores what records share only once. `zcat FILE | jq` and
`xzcat FILE | jq` show the files.
"""

import gzip
import json
import lzma
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from typing import Annotated, Any, Final, Self

from pydantic import PlainSerializer, PlainValidator, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from respmark.contract.base import RESULTS_VERSION, Message, PositiveCount, ResultsVersion
from respmark.contract.events import Latency, Result
from respmark.histogram import Pairs
from respmark.results.columns import Difference, Path, Row, to_columns, to_packed_columns
from respmark.results.hdr_encoding import HistogramError, decode, encode
from respmark.results.histogram_text import MARK, TextHistogram, to_text
from respmark.results.records import SliceRecord, TrialRecord
from respmark.results.slice_table import FileColumns, SliceTable

SAME: Final = ("client", "shape", "handshake")
"""Fields of a record that are the same in all rounds of a cell, and take memory."""
SAME_OF_RESULTS: Final = ("runtime_settings", "versions")
"""The same for a process's result."""
LEVEL: Final = 9
PRESET: Final = 6 | lzma.PRESET_EXTREME
"""Preset of xz: unpacking takes 9 MB; higher presets take more, and gain nothing with files of this size."""


def _histogram(value: Any, validated: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        return TextHistogram(value) if value.startswith(MARK) else decode(value)
    if not isinstance(value, list):
        return validated(value)
    return validated([tuple(pair) if isinstance(pair, list) else pair for pair in value])


class CompactLatency(Latency):
    """Latency, as a record's file holds it."""

    histogram: Annotated[
        Sequence[tuple[int, int]], WrapValidator(_histogram), PlainSerializer(list, return_type=list[tuple[int, int]])
    ]
    """HdrHistogram's compressed form V2 in base64, or its counts as text; pairs if a runner's values are not the lowest
    of their buckets."""


class CompactResult(Result):
    """Result, as a record's file holds it."""

    latency: CompactLatency


class _Compact(TrialRecord):
    slices: Annotated[
        Sequence[SliceRecord], PlainValidator(SliceTable.read), PlainSerializer(list, return_type=list[SliceRecord])
    ] = ()
    """Stored as columns; empty if nothing was measured."""
    results: Sequence[CompactResult] = ()


class CompactRecord(_Compact):
    """A record, as its file holds it."""

    @model_validator(mode="after")
    def _histograms_of_values(self) -> Self:
        _check_histograms([self])
        return self


class PackedRecord(_Compact):
    """A record in a packed file; its slices are in columns with those of similar records."""


def _parts(record: TrialRecord) -> Iterator[tuple[Message, Sequence[str]]]:
    """Yield the messages of a record, each with the names of the fields that rounds may have in common."""
    yield record, SAME
    for result in record.results:
        yield result, SAME_OF_RESULTS
        yield result.latency, ()
    for part in (*record.loaded, *record.ready, record.warm_up):
        if part is not None:
            yield part, ()


def _share(one: Message, other: Message, names: Iterable[str]) -> None:
    """Let a message that was just read, and that nothing uses yet, share the values that are equal in another."""
    for name in (*names, "__pydantic_fields_set__"):
        if (same := getattr(other, name)) == getattr(one, name):
            object.__setattr__(one, name, same)


class PackedSlices(Message):
    """Slices of trials whose columns have the same names."""

    counts: list[PositiveCount]
    """How many slices each trial has."""
    columns: Any
    """Slices of one trial after the other."""
    differences: list[Difference]
    """The columns that are differences from the sum of others, in the order in which to undo them."""

    def read(self) -> FileColumns:
        """Return the columns."""
        return FileColumns(self.columns, self.counts, self.differences)


class PackedFile(Message):
    """A file with the records of many trials."""

    schema_version: ResultsVersion
    trials: list[PackedRecord]
    """Trials with slices come first."""
    slices: list[PackedSlices]
    """Slices of the trials, in the same order."""

    @model_validator(mode="after")
    def _slices_for_trials(self) -> Self:
        if sum(len(one.counts) for one in self.slices) > len(self.trials) or any(one.slices for one in self.trials):
            raise ValueError("it has slices of more trials than there are, or of one twice")
        return self

    @model_validator(mode="after")
    def _histograms_of_values(self) -> Self:
        _check_histograms(self.trials)
        return self

    def with_slices(self, files: Iterable[FileColumns]) -> list[PackedRecord]:
        """Return the records with their slices; `files` are the columns that were read.

        Rounds of a cell are adjacent: they share the values that they have in common.
        """
        tables = chain.from_iterable(one.tables for one in files)
        for last, one in pairwise(self.trials):
            if last.cell_id == one.cell_id:
                for (part, names), (other, _) in zip(_parts(one), _parts(last), strict=False):
                    if type(part) is type(other):
                        _share(part, other, names)
        for one in self.trials:
            object.__setattr__(one, "slices", next(tables, ()))
        return self.trials


def _check_histograms(trials: Iterable[_Compact]) -> None:
    histograms = [result.latency.histogram for trial in trials for result in trial.results]
    TextHistogram.check_together([one for one in histograms if isinstance(one, TextHistogram)])


def pack(record: TrialRecord) -> bytes:
    """Return the bytes of a record's file; the same record gives the same bytes."""
    content = _without_slices(record, encode)
    if record.slices:
        content["slices"] = to_columns([_rows(record)])
    return gzip.compress(_json(content), LEVEL, mtime=0)


def pack_together(records: Sequence[TrialRecord]) -> bytes:
    """Return the bytes of a packed file; the same records give the same bytes."""
    alike: defaultdict[tuple[Path, ...], list[TrialRecord]] = defaultdict(list)
    for record in records:
        alike[FileColumns(to_columns([_rows(record)])).signature if record.slices else ()].append(record)
    others = alike.pop((), [])
    trials = [*chain.from_iterable(alike.values()), *others]
    content = {
        "schema_version": RESULTS_VERSION,
        "trials": [_without_slices(record, to_text) for record in trials],
        "slices": [_packed_slices(some) for some in alike.values()],
    }
    return lzma.compress(_json(content), preset=PRESET)


def _packed_slices(records: Sequence[TrialRecord]) -> Row:
    columns, differences = to_packed_columns([_rows(record) for record in records])
    return {"counts": [len(record.slices) for record in records], "columns": columns, "differences": differences}


def _without_slices(record: TrialRecord, written: Callable[[Pairs], str]) -> dict[str, Any]:
    content = record.model_dump(mode="json", exclude={"slices"}) | {"schema_version": RESULTS_VERSION}
    for result, of_result in zip(record.results, content["results"], strict=True):
        # What a runner reports is kept as it is, even if this encoding cannot express it.
        with suppress(HistogramError):
            of_result["latency"]["histogram"] = written(result.latency.histogram)
    return content


def _rows(record: TrialRecord) -> list[Row]:
    return [one.model_dump(mode="json") for one in record.slices]


def _json(content: Row) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
