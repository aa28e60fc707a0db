"""What about a server could distort a measurement: its round trip, its persistence, its other clients."""

import time
from typing import Final

import numpy as np

from respmark.errors import ServerError
from respmark.machine.checks import CheckResult
from respmark.redaction import redacted
from respmark.servers.control import Control
from respmark.servers.info import Info, info_text

PINGS: Final = 5000
WARMUP_PINGS: Final = 500
PING: Final = b"*1\r\n$4\r\nPING\r\n"
PONG: Final = b"+PONG\r\n"


def round_trip(control: Control, pings: int = PINGS) -> dict[str, float]:
    """Measure PINGs, one after another, on one connection; in milliseconds, as the post's first table has them."""
    for _ in range(min(WARMUP_PINGS, pings)):
        _ping(control)
    samples_ms = np.array([_timed_ping_ns(control) for _ in range(pings)]) / 1e6
    percentiles = {f"p{at}": float(np.percentile(samples_ms, at, method="inverted_cdf")) for at in (50, 95, 99)}
    return {"avg": float(samples_ms.mean()), "min": float(samples_ms.min()), **percentiles}


def _timed_ping_ns(control: Control) -> int:
    began = time.perf_counter_ns()
    _ping(control)
    return time.perf_counter_ns() - began


def _ping(control: Control) -> None:
    control.send_raw(PING)
    received = control.receive_raw(len(PONG))
    while len(received) < len(PONG):
        received += control.receive_raw(len(PONG) - len(received))
    if received != PONG:
        raise ServerError(f"the server answers PING with {redacted(received.decode(errors='replace'))!r}")


PERSISTENCE_OFF: Final = CheckResult("server persistence", "off")
"""The finding for our own server, which does not show its configuration."""


def persistence(control: Control) -> CheckResult:
    """Check for snapshots and the append-only file."""
    try:
        _, save = control.command("CONFIG", "GET", "save")
    except (ServerError, ValueError):
        return CheckResult(
            "server persistence", "not shown to this user", "ask its owner: a snapshot during a slice costs CPU"
        )
    aof = Info.read(info_text(control, "persistence")).count("aof_enabled") == 1
    on = [name for name, active in {"snapshots": bool(save), "append-only file": aof}.items() if active]
    if not on:
        return PERSISTENCE_OFF
    advice = "it costs CPU and stalls at times: `CONFIG SET save ''` and `CONFIG SET appendonly no` for the measurement"
    return CheckResult("server persistence", " and ".join(on), advice)


def other_clients(control: Control) -> CheckResult:
    """Check for other connections to the server."""
    subject, clients = (
        "other clients of the server",
        Info.read(info_text(control, "clients")).count("connected_clients"),
    )
    if clients is None:
        return CheckResult(subject, "not shown by this server", "nobody else may use it while a run measures")
    if clients > 1:
        return CheckResult(subject, str(clients - 1), "their commands make trials fail, because the server counts them")
    return CheckResult(subject, "none")
