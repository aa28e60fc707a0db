"""The records of a run, as JSON that a test can look at."""

from pathlib import Path
from typing import Any

from respmark.results.store import read_records


def records_of(folder: Path) -> list[dict[str, Any]]:
    """Return the records of a run in the order of their lines, every field written out."""
    return [record.model_dump(mode="json") for record in read_records(folder)]
