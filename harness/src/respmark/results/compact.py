"""A trial's record in few bytes: slices as columns, latencies in HdrHistogram's own encoding, all of it gzipped JSON.

`zcat FILE | jq` shows the file; `respmark trials RUN` prints records with every slice written out.
"""

import gzip
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Final

from pydantic import PlainSerializer, PlainValidator, ValidatorFunctionWrapHandler, WrapValidator

from respmark.contract.events import Latency, Result
from respmark.records import SliceRecord, TrialRecord
from respmark.results.columns import to_columns
from respmark.results.hdr_encoding import HistogramError, decode, encode
from respmark.results.slice_table import SliceTable

LEVEL: Final = 9


def _histogram(value: Any, validated: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        return decode(value)
    if not isinstance(value, list):
        return validated(value)
    return validated([tuple(pair) if isinstance(pair, list) else pair for pair in value])


class CompactLatency(Latency):
    """Latency, as a record's file holds it."""

    histogram: Annotated[
        Sequence[tuple[int, int]], WrapValidator(_histogram), PlainSerializer(list, return_type=list[tuple[int, int]])
    ]
    """HdrHistogram's compressed form V2, base64; pairs, where a runner's values are not the lowest of their buckets."""


class CompactResult(Result):
    """Result, as a record's file holds it."""

    latency: CompactLatency


class CompactRecord(TrialRecord):
    """A record, as its file holds it."""

    slices: Annotated[
        Sequence[SliceRecord], PlainValidator(SliceTable.read), PlainSerializer(list, return_type=list[SliceRecord])
    ] = ()
    """As columns; none where nothing was measured."""
    results: Sequence[CompactResult] = ()


def pack(record: TrialRecord) -> bytes:
    """Return a record's file; the same record gives the same bytes."""
    content = record.model_dump(mode="json", exclude={"slices"})
    if record.slices:
        content["slices"] = to_columns([one.model_dump(mode="json") for one in record.slices])
    for result, written in zip(record.results, content["results"], strict=True):
        # What a runner says is kept as it is, even where this encoding has no place for it.
        with suppress(HistogramError):
            written["latency"]["histogram"] = encode(result.latency.histogram)
    return gzip.compress(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(), LEVEL, mtime=0)
