"""Workload files of the tests' own, and what the server must have seen of one."""

import json
import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from respmark_python.workload.workload import Workload

KEY: Mapping[str, str] = {"kind": "key"}
VALUE: Mapping[str, str] = {"kind": "value"}
PRELOADED_BYTES = 64


def literal(text: str) -> Mapping[str, str]:
    """Return a literal argument."""
    return {"kind": "literal", "text": text}


def header_of(**changes: Any) -> dict[str, Any]:
    """Return a header for 8 keys and values of 4 to 64 bytes."""
    numbers = {"preload_keys": 8, "key_digits": 4, "value_multiplier": 40503, "value_modulus_bits": 8}
    sizes = {"value_size_min": 4, "value_size_max": 64, "hash_fields": 2}
    return {"schema_version": 2, "name": "test", "seed": 1, "key_prefix": "k%", **numbers, **sizes, **changes}


def write_workload(
    path: Path, mix: Sequence[tuple[str, Sequence[Mapping[str, str]]]], rows: int = 0, **changes: Any
) -> Path:
    """Write a file that holds each command of the mix once for each of its 8 keys, or so many rows of that."""
    count = rows or len(mix) * 8
    columns = {
        "kinds": bytes(i % len(mix) for i in range(count)),
        "keys": struct.pack(f"<{count}I", *(i // len(mix) % 8 for i in range(count))),
        "sizes": struct.pack(f"<{count}I", *([16] * count)),
        "block": bytes(65 + i % 26 for i in range((1 << 8) + 64)),
    }
    entries = [{"name": name, "arguments": list(arguments)} for name, arguments in mix]
    header = header_of(commands=count, mix=entries, **changes)
    position = 4096
    for name, column in columns.items():
        header[name] = {"offset": position, "length": len(column)}
        position += len(column)
    text = json.dumps(header).encode().ljust(4096 - 16)
    path.write_bytes(struct.pack("<8sII", b"RESPMARK", 2, len(text)) + text + b"".join(columns.values()))
    return path


def preload(control: Any, workload: Workload) -> None:
    """Empty the database and write every key that exists before a trial."""
    control.flushall()
    for number in range(workload.numbers["preload_keys"]):
        control.set(workload.key(number), workload.value(number, PRELOADED_BYTES))


def preload_structures(control: Any, workload: Workload) -> None:
    """Write what the golden workload of commands works on: five keys each of lists, hashes, sets and so on."""
    preload(control, workload)
    sizes = sorted({size for size in workload.columns.sizes if size})
    for number in range(25):
        key, values = workload.key(number), [workload.value(number, size) for size in sizes]
        control.delete(key)
        match number // 5:
            case 0:
                control.rpush(key, *values[:8])
            case 1:
                control.hset(key, mapping=dict(enumerate(values[:4])))
            case 2:
                control.sadd(key, *values)
            case 3:
                control.zadd(key, dict.fromkeys(values, 1.5))
            case _:
                control.set(key, 0)


def expected_calls(workload: Workload, segments: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return how often the server must have been sent each command."""
    calls: Counter[str] = Counter()
    for segment in segments:
        for index in range(segment["first_command"], segment["first_command"] + segment["operations"]):
            calls[workload.kind(index % workload.commands).name.lower()] += 1
    return dict(calls)
