"""What a run leaves, as a test looks at it."""

import gzip
import json
from pathlib import Path
from typing import Any


def records_of(out: Path) -> list[dict[str, Any]]:
    lines = out / "trials.jsonl"
    if lines.exists():
        return [json.loads(line) for line in lines.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [json.loads(gzip.decompress(path.read_bytes())) for path in sorted((out / "trials").glob("[!.]*.json.gz"))]


def left_in(folder: Path) -> bytes:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return b"".join(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files)
