"""The checks that need the target: its round trip, its persistence, its other clients."""

import time
from dataclasses import dataclass
from typing import Final

from respmark.doctor.checks import Finding
from respmark.errors import TargetError
from respmark.evidence.info import counter
from respmark.histogram import bucket, merge, percentile_ns
from respmark.redaction import redacted
from respmark.target.control import Control
from respmark.target.info import info_text, parse_info

PINGS: Final = 5000
WARMUP_PINGS: Final = 500
PING: Final = b"*1\r\n$4\r\nPING\r\n"
PONG: Final = b"+PONG\r\n"


@dataclass(frozen=True)
class RoundTrip:
    """PING on one connection, in milliseconds: the first table of the post."""

    avg_ms: float
    min_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


def round_trip(control: Control, pings: int = PINGS) -> RoundTrip:
    """Measure PINGs, one after another, on one connection."""
    for _ in range(min(WARMUP_PINGS, pings)):
        _ping(control)
    samples = [_timed_ping(control) for _ in range(pings)]
    pairs = merge([[(bucket(sample), 1)] for sample in samples])

    def at(percentile: float) -> float:
        return (percentile_ns(pairs, percentile) or 0) / 1e6

    return RoundTrip(sum(samples) / len(samples) / 1e6, min(samples) / 1e6, at(50), at(95), at(99))


def _timed_ping(control: Control) -> int:
    began = time.perf_counter_ns()
    _ping(control)
    return time.perf_counter_ns() - began


def _ping(control: Control) -> None:
    control.send_raw(PING)
    received = control.receive_raw(len(PONG))
    while len(received) < len(PONG):
        received += control.receive_raw(len(PONG) - len(received))
    if received != PONG:
        raise TargetError(f"the target answers PING with {redacted(received.decode(errors='replace'))!r}")


PERSISTENCE_OFF: Final = Finding("server persistence", "off")
"""The finding for our own server, which does not show its configuration."""


def persistence(control: Control) -> Finding:
    """Check for snapshots and the append-only file."""
    info = parse_info(info_text(control, "persistence"))
    try:
        save = _setting(control, "save")
    except TargetError:
        return Finding(
            "server persistence", "not shown to this user", "ask its owner: a snapshot in the window costs CPU"
        )
    on = [
        name
        for name, active in {"snapshots": bool(save), "append-only file": info.get("aof_enabled") == "1"}.items()
        if active
    ]
    if on:
        advice = (
            "it costs CPU and stalls at times: `CONFIG SET save ''` and `CONFIG SET appendonly no` for the measurement"
        )
        return Finding("server persistence", " and ".join(on), advice)
    return PERSISTENCE_OFF


def _setting(control: Control, name: str) -> str:
    match control.command("CONFIG", "GET", name):
        case [_, bytes(value)]:
            return value.decode(errors="replace")
        case _:
            raise TargetError(f"the target does not show its setting `{name}`")


def other_clients(control: Control) -> Finding:
    """Check for other connections to the server."""
    clients = counter(parse_info(info_text(control, "clients")), "connected_clients") - 1
    if clients > 0:
        return Finding(
            "other clients of the server", str(clients), "their commands make trials fail: evidence counts them"
        )
    return Finding("other clients of the server", "none")
