"""What the server has logged by itself: SLOWLOG, LATENCY LATEST, LATENCY HISTOGRAM."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from respmark.triage.asking import CONTAINERS, NAME, Asker
from respmark.triage.clients import Connections
from respmark.triage.snapshot import LatencyEvent, SlowCall

SLOW_ENTRIES: Final = 128
"""How many entries of SLOWLOG are read; a server keeps as many if it is not told otherwise."""
OF_INTEREST_S: Final = 3600
"""How old an entry of SLOWLOG may be."""
WITH_SUBCOMMANDS: Final = CONTAINERS | {
    *("ACL", "COMMAND", "FUNCTION", "MODULE", "OBJECT", "PUBSUB", "SCRIPT", "XGROUP", "XINFO"),
}
Histograms = dict[str, dict[int, int]]
"""By command: calls that took up to so many microseconds, summed from the fastest on."""


def slow_calls(asker: Asker, now_s: int, connections: Connections, own_address: str) -> tuple[SlowCall, ...]:
    """Return the slow log's entries of the last hour, without respmark's own; of arguments, none is kept."""
    answer = asker.ask("SLOWLOG", "GET", SLOW_ENTRIES)
    return tuple(_slow(answer or (), now_s, connections, own_address))


def _slow(
    entries: Sequence[Sequence[Any]], now_s: int, connections: Connections, own_address: str
) -> Iterator[SlowCall]:
    for _, at_s, us, words, *client in entries:
        address, name = (text(part) for part in (*client, b"", b"")[:2])
        if name != NAME and address != own_address and now_s - at_s <= OF_INTEREST_S:
            yield SlowCall(
                command=logged_name([text(word) for word in words[:2]]),
                age_s=max(0, now_s - at_s),
                us=us,
                who=connections.at(address, name),
            )


def logged_name(words: Sequence[str]) -> str:
    """Return a command's name from its first words, as INFO has it: `client|list`."""
    name = words[0] if words else ""
    is_container = name.upper() in WITH_SUBCOMMANDS and len(words) > 1
    return f"{name}|{words[1]}".lower() if is_container else name.lower()


def latency_events(asker: Asker, now_s: int) -> tuple[LatencyEvent, ...]:
    """Return the events that the server's latency monitor has seen; it is off, unless somebody turned it on."""
    return tuple(
        LatencyEvent(event=text(name), age_s=max(0, now_s - at_s), latest_ms=latest, longest_ms=longest)
        for name, at_s, latest, longest, *_ in asker.ask("LATENCY", "LATEST") or ()
    )


def histograms(asker: Asker) -> Histograms:
    """Return how long calls took since the server started; empty before Redis 7.0."""
    answer = asker.ask("LATENCY", "HISTOGRAM") or ()
    return {text(name): _buckets(fields) for name, fields in _pairs(answer)}


def _buckets(fields: Sequence[Any]) -> dict[int, int]:
    found = {text(name): value for name, value in _pairs(fields)}
    return {int(limit_us): int(count) for limit_us, count in _pairs(found.get("histogram_usec", ()))}


def _pairs(flat: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return iter(zip(flat[::2], flat[1::2], strict=False))


def histograms_between(before: Mapping[str, Mapping[int, int]], after: Histograms) -> Histograms:
    """Return the calls in between by bucket, no longer summed; a reset in between leaves none."""
    found: Histograms = {}
    for command, summed in after.items():
        passed, buckets = 0, dict[int, int]()
        for limit_us, count in sorted(summed.items()):
            here = count - _up_to(before.get(command, {}), limit_us) - passed
            passed += here
            if here > 0:
                buckets[limit_us] = here
        if buckets:
            found[command] = buckets
    return found


def _up_to(summed: Mapping[int, int], limit_us: int) -> int:
    return max((count for limit, count in summed.items() if limit <= limit_us), default=0)


def text(word: object) -> str:
    """Return a word of a reply as text."""
    return word.decode(errors="replace") if isinstance(word, bytes) else str(word)
