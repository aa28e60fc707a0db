"""Generates what is in `harness/contract/`: JSON Schemas, and the golden examples that every runner's tests read."""

import json
from typing import Any, Final

from pydantic import BaseModel

from respmark.contract.description import Description
from respmark.contract.events import Connect, Finish, Loaded, Ready, Result, Slice, SliceOrder
from respmark.contract.limits import LIMITS
from respmark.contract.refusals import EXAMPLES as REFUSALS
from respmark.contract.trial import TrialRequest
from respmark.histogram import bucket, merge
from respmark.paths import CONTRACT
from respmark.workload.commands import StructureSpec
from respmark.workload.file import Header, Workload, content
from respmark.workload.generate import generate
from respmark.workload.spec import (
    Argument,
    CommandSpec,
    KeyArgument,
    LiteralArgument,
    SizeSpec,
    ValueArgument,
    WorkloadSpec,
)
from tools.documented import DocumentedSchema


def literals(*texts: str) -> tuple[LiteralArgument, ...]:
    """Return fixed words."""
    return tuple(LiteralArgument(text=text) for text in texts)


MESSAGES: Final[dict[str, type[BaseModel]]] = {
    "trial": TrialRequest,
    "description": Description,
    "connect": Connect,
    "slice-order": SliceOrder,
    "finish": Finish,
    "loaded": Loaded,
    "ready": Ready,
    "slice": Slice,
    "result": Result,
    "workload-header": Header,
}
GOLDEN_WORKLOAD: Final = WorkloadSpec(
    name="golden",
    summary="A small workload with every kind of argument, for the runners' own tests",
    commands=240,
    preload_keys=40,
    key_digits=7,
    modulus_bits=12,
    sizes=SizeSpec(mean_bytes=64, standard_deviation_bytes=24, min_bytes=4, max_bytes=128),
    mix=(
        CommandSpec(name="GET", share=0.7, keys=50, arguments=(KeyArgument(),)),
        CommandSpec(name="SET", share=0.2, keys=40, arguments=(KeyArgument(), ValueArgument())),
        CommandSpec(name="PING", share=0.05, keys=1, arguments=()),
        CommandSpec(
            name="GETRANGE",
            share=0.05,
            keys=40,
            arguments=(KeyArgument(), LiteralArgument(text="0"), LiteralArgument(text="3")),
        ),
    ),
)
GOLDEN_SEED: Final = 1
KEY: Final = KeyArgument()
VALUE: Final = ValueArgument()
GOLDEN_COMMANDS: Final = WorkloadSpec(
    name="golden-commands",
    summary="Every command that runners have a typed method for, for the runners' own tests",
    commands=240,
    preload_keys=60,
    key_prefix="other:",
    modulus_bits=12,
    list_length=8,
    hash_fields=4,
    sizes=SizeSpec(mean_bytes=32, standard_deviation_bytes=8, min_bytes=4, max_bytes=64),
    structures=(
        StructureSpec(kind="list", first_key=0, keys=5),
        StructureSpec(kind="hash", first_key=5, keys=5),
        StructureSpec(kind="set", first_key=10, keys=5),
        StructureSpec(kind="sorted-set", first_key=15, keys=5),
        StructureSpec(kind="counter", first_key=20, keys=5),
    ),
    mix=(
        CommandSpec(name="GET", share=0.1, first_key=30, keys=40, arguments=(KEY,)),
        CommandSpec(name="SET", share=0.1, first_key=30, keys=30, arguments=(KEY, VALUE)),
        CommandSpec(name="GETRANGE", share=0.05, first_key=30, keys=30, arguments=(KEY, *literals("0", "3"))),
        CommandSpec(name="MGET", share=0.15, first_key=30, keys=40, arguments=(KEY, KeyArgument(offset=1))),
        CommandSpec(
            name="MSET",
            share=0.1,
            first_key=30,
            keys=30,
            arguments=(KEY, VALUE, KeyArgument(offset=1), ValueArgument(offset=1)),
        ),
        CommandSpec(name="EXPIRE", share=0.05, first_key=25, keys=5, arguments=(KEY, *literals("86400"))),
        CommandSpec(name="INCRBY", share=0.1, first_key=20, keys=5, arguments=(KEY, *literals("2"))),
        CommandSpec(name="LPUSH", share=0.05, keys=5, arguments=(KEY, VALUE)),
        CommandSpec(name="LTRIM", share=0.05, keys=5, arguments=(KEY, *literals("0", "7"))),
        CommandSpec(name="LRANGE", share=0.05, keys=5, arguments=(KEY, *literals("0", "3"))),
        CommandSpec(name="HGETALL", share=0.1, first_key=5, keys=5, arguments=(KEY,)),
        CommandSpec(name="SADD", share=0.05, first_key=10, keys=5, arguments=(KEY, VALUE)),
        CommandSpec(name="ZADD", share=0.05, first_key=15, keys=5, arguments=(KEY, *literals("1.5"), VALUE)),
    ),
)
TRIAL: Final[dict[str, Any]] = {
    "schema_version": 2,
    "trial_id": "golden",
    "client": {"library": "a-library", "version": None, "options": {"protocol": 3}},
    "scenario": "batching",
    "shape": {"depth": 100},
    "workload": {"path": "golden.workload", "part": 0, "parts": 1},
    "target": {"host": "127.0.0.1", "port": 6379},
    "verify_commands": 100,
}
VALID_TRIALS: Final[dict[str, dict[str, Any]]] = {
    "batching": {},
    "sync": {"scenario": "sync", "shape": {}},
    "pipelining-sliding": {"scenario": "pipelining", "shape": {"depth": 10, "window": "sliding"}},
    "transaction-queued": {"scenario": "transaction", "shape": {"depth": 10, "form": "queued"}},
    "pool": {"scenario": "pool", "shape": {"threads": 10, "max_total": 8, "max_idle": 4}},
    "caching": {"scenario": "caching", "shape": {"cache_entries": 500}},
    "second-of-two-processes": {
        "scenario": "sync",
        "shape": {"processes": 2},
        "workload": {"path": "golden.workload", "part": 1, "parts": 2},
    },
    "secured-target": {
        "target": {
            "host": "redis.example",
            "port": 6380,
            "database": 2,
            "username": "bench",
            "password": "golden-secret",
            "tls": {"ca_file": "/etc/ssl/ca.pem", "verify": True},
        }
    },
    "unix-socket": {"target": {"unix_socket": "/run/redis.sock"}},
}
INVALID_TRIALS: Final[dict[str, dict[str, Any]]] = {
    "unknown-field": {"warm_up_s": 1},
    "unknown-field-in-shape": {"shape": {"depth": 100, "pipeline": 5}},
    "newer-schema": {"schema_version": 3},
    "older-schema": {"schema_version": 1},
    "no-scenario": {"scenario": None},
    "unknown-scenario": {"scenario": "bulk"},
    "no-cache-entries": {"scenario": "caching", "shape": {}},
    "shape-of-another-scenario": {"shape": {"depth": 100, "max_total": 8}},
    "depth-of-zero": {"shape": {"depth": 0}},
    "no-depth": {"shape": {}},
    "number-as-text": {"verify_commands": "100"},
    "no-host-and-no-socket": {"target": {"port": 6379}},
}
SLICE_ORDER: Final[dict[str, Any]] = {
    "order": "slice",
    "slice": 1,
    "duration_ns": 100_000_000,
    "lead_in_ns": 50_000_000,
    "first_command": 60,
    "keep_samples": True,
}
VALID_ORDERS: Final[dict[str, dict[str, Any]]] = {
    "connect": {"order": "connect"},
    "slice": SLICE_ORDER,
    "slice-without-lead-in": SLICE_ORDER | {"lead_in_ns": 0},
    "slice-of-warm-up": SLICE_ORDER | {"keep_samples": False},
    "finish": {"order": "finish"},
}
INVALID_ORDERS: Final[dict[str, dict[str, Any]]] = {
    "unknown-order": {"order": "go"},
    "no-order": {"slice": 1},
    "unknown-field": SLICE_ORDER | {"duration_s": 0.1},
    "unknown-field-in-finish": {"order": "finish", "slice": 1},
    "no-duration": {name: value for name, value in SLICE_ORDER.items() if name != "duration_ns"},
    "duration-of-zero": SLICE_ORDER | {"duration_ns": 0},
    "negative-lead-in": SLICE_ORDER | {"lead_in_ns": -1},
    "slice-of-zero": SLICE_ORDER | {"slice": 0},
    "number-as-text": SLICE_ORDER | {"first_command": "60"},
    "keep-as-number": SLICE_ORDER | {"keep_samples": 1},
}
HISTOGRAM_VALUES: Final = (
    *(0, 1, 2, 1023, 1024, 2047, 2048, 2049, 2050, 4095, 4096, 4097, 4098, 4099, 4100, 65535, 65536, 100_000),
    *(1_000_000, 1_048_575, 1_048_576, 123_456_789, 999_999_999, 1_000_000_000, 2**31 - 1, 2**31, 2**32 + 12345),
    *(60 * 10**9, 3600 * 10**9, 2**52 + 1),
)


def schemas() -> dict[str, str]:
    """Return the text of every JSON Schema by file name."""
    return {
        f"schemas/{name}.schema.json": _text(
            model.model_json_schema(mode="validation", schema_generator=DocumentedSchema)
        )
        for name, model in MESSAGES.items()
    }


def golden() -> dict[str, str]:
    """Return the text of every golden example by file name."""
    workload = generate(GOLDEN_WORKLOAD, GOLDEN_SEED)
    return {
        **{f"golden/trials/valid/{name}.json": _text(TRIAL | change) for name, change in VALID_TRIALS.items()},
        **{f"golden/trials/invalid/{name}.json": _text(TRIAL | change) for name, change in INVALID_TRIALS.items()},
        **{f"golden/orders/valid/{name}.json": _text(order) for name, order in VALID_ORDERS.items()},
        **{f"golden/orders/invalid/{name}.json": _text(order) for name, order in INVALID_ORDERS.items()},
        **{f"golden/{name}.json": _text(example) for name, example in EVENTS.items()},
        "golden/histogram.json": _text(_histogram()),
        "golden/limits.json": _text(LIMITS),
        "golden/refusals.json": _text(REFUSALS),
        "golden/workload.json": _text(_workload_as_text(workload)),
        "golden/commands.json": _text(_workload_as_text(generate(GOLDEN_COMMANDS, GOLDEN_SEED))),
    }


def golden_workloads() -> dict[str, bytes]:
    """Return the bytes of every golden workload file by file name."""
    specs = {"golden.workload": GOLDEN_WORKLOAD, "commands.workload": GOLDEN_COMMANDS}
    return {f"golden/{name}": content(generate(spec, GOLDEN_SEED)) for name, spec in specs.items()}


def _histogram() -> dict[str, Any]:
    samples = [value for value in HISTOGRAM_VALUES for _ in range(1 + value % 3)]
    return {
        "buckets": [[value, bucket(value)] for value in HISTOGRAM_VALUES],
        "samples": samples,
        "histogram": list(merge([[(bucket(value), 1)] for value in samples])),
    }


def _workload_as_text(workload: Workload) -> dict[str, Any]:
    """Return every command as the words that go on the wire."""

    def word(argument: Argument, row: int) -> str:
        key, size = int(workload.keys[row]), int(workload.sizes[row])
        if isinstance(argument, LiteralArgument):
            return argument.text
        named = key + argument.offset
        return (workload.key(named) if isinstance(argument, KeyArgument) else workload.value(named, size)).decode()

    def words(row: int) -> list[str]:
        command = workload.header.mix[int(workload.kinds[row])]
        return [command.name, *(word(argument, row) for argument in command.arguments)]

    return {
        "commands": [words(row) for row in range(workload.header.commands)],
        "missing_keys": sorted({int(key) for key in workload.keys if key >= workload.header.preload_keys}),
        "first_command_of_part": {
            f"{part} of {parts}": part * workload.header.commands // parts
            for parts in (1, 2, 7)
            for part in range(parts)
        },
        "largest_value_of_key_7": workload.value(7, workload.header.value_size_max).decode(),
    }


def _parsed(model: type[BaseModel], example: dict[str, Any]) -> dict[str, Any]:
    return model.model_validate_json(json.dumps(example)).model_dump(mode="json")


EVENTS: Final[dict[str, dict[str, Any]]] = {
    "loaded": Loaded(schema_version=2, trial_id="golden", startup_ns=312_000_000).model_dump(mode="json"),
    "ready": Ready(trial_id="golden", connect_ns=1_500_000, verified_replies=100).model_dump(mode="json"),
    "slice": _parsed(
        Slice,
        {
            "trial_id": "golden",
            "slice": 1,
            "started": {"at_ns": 5_000_000_000, "cpu_user_ns": 400_000_000, "cpu_system_ns": 50_000_000},
            "measured_from": {"at_ns": 5_050_400_000, "cpu_user_ns": 436_000_000, "cpu_system_ns": 58_000_000},
            "ended": {"at_ns": 5_151_300_000, "cpu_user_ns": 508_000_000, "cpu_system_ns": 74_000_000},
            "lead_in": {"operations": 100, "units": 1},
            "measured": {"operations": 200, "units": 2},
            "segments": [{"first_command": 60, "operations": 300}],
            "errors": {"TimeoutError": 1},
            "first_error": "TimeoutError: no reply in 5 s",
        },
    ),
    "result": _parsed(
        Result,
        {
            "schema_version": 2,
            "trial_id": "golden",
            "latency": {"sample_covers": "batch", "histogram": [[702_976, 2], [810_496, 1]], "max_ns": 810_777},
            "peak_memory_bytes": 52_428_800,
            "decodes_to": "bytes",
            "runtime_health": {"gc_collections": 3},
            "runtime_settings": {"gc": "on"},
            "versions": {"a-library": "1.2.3", "a-runtime": "4.5.6"},
        },
    ),
    "description": _parsed(
        Description,
        {
            "schema_version": 2,
            "runner": "python",
            "runtime": "CPython",
            "runtime_version": "3.11.7",
            "clients": [
                {
                    "library": "a-library",
                    "version": "1.2.3",
                    "dependencies": {"a-parser": "0.1.0"},
                    "options": {"protocol": [3, 2]},
                    "scenarios": {
                        "sync": {},
                        "pipelining": {"windows": ["burst", "sliding"]},
                        "transaction": {"forms": ["batched"]},
                    },
                    "differences": [
                        {
                            "setting": "pool_timeout",
                            "plain": "none",
                            "ours": "3 s",
                            "why": "one limit for every library's pool",
                            "scenarios": ["pool"],
                        }
                    ],
                }
            ],
            "missing": [
                {"library": "b-library", "reason": "No module named 'b'", "advice": "run `make setup`"},
            ],
        },
    ),
}


def _text(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write schemas and golden examples into `harness/contract/`."""
    for name, text in {**schemas(), **golden()}.items():
        path = CONTRACT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, data in golden_workloads().items():
        (CONTRACT / name).write_bytes(data)


if __name__ == "__main__":
    main()
