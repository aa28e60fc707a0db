"""The one reader of INFO and CLIENT LIST, and what they say of a server: which one it is, and its memory.

What is not as servers write it is skipped and counted, never an error here: whoever cannot do without it says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Self

from respmark.errors import AnotherServerError, InfoError
from respmark.servers.control import Control
from respmark.servers.url import address


def info_text(control: Control, section: str) -> str:
    """Return a section of INFO as the server writes it; refuse an answer that is not text."""
    answer = control.command("INFO", section)
    if not isinstance(answer, bytes):
        raise InfoError(f"the server at {address(control.endpoint)} answers INFO with something other than text")
    return answer.decode(errors="replace")


def parse_info(text: str) -> dict[str, str]:
    """Return every `name:value` line of INFO."""
    pairs = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}


class Calls(NamedTuple):
    """What a server counted for one command."""

    calls: int
    failed: int = 0
    """How many of these ended in an error reply."""
    rejected: int = 0
    """Calls that were refused before they ran (no permission, wrong state); not included in `calls`."""
    us: int = 0
    """How long it worked on them."""

    @property
    def sent(self) -> int:
        """Return how often it was sent."""
        return self.calls + self.rejected

    @property
    def unsuccessful(self) -> int:
        """Return how often it failed or was refused."""
        return self.failed + self.rejected

    def plus(self, other: "Calls") -> "Calls":
        """Return the sum of both."""
        return Calls(*(one + more for one, more in zip(self, other, strict=True)))

    def since(self, before: "Calls") -> "Calls":
        """Return what was counted since an earlier reading."""
        return Calls(*(now - then for now, then in zip(self, before, strict=True)))


NO_CALLS: Final = Calls(0)
CALLS: Final = "cmdstat_"
"""Begins the name of a field for a command."""
ERRORS: Final = "errorstat_"
"""Begins the name of a field for an error's code."""


@dataclass(frozen=True)
class Info:
    """INFO at one moment."""

    fields: Mapping[str, str]
    skipped: int = 0
    """Lines that are neither a field nor a heading."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Return what a text says."""
        fields = parse_info(text)
        lines = sum(bool(line.strip()) and not line.startswith("#") for line in text.splitlines())
        return cls(fields, lines - len(fields))

    def count(self, name: str) -> int | None:
        """Return a whole number; None if the server does not report it, or reports none."""
        return _whole(self.fields.get(name))

    @cached_property
    def calls(self) -> dict[str, Calls]:
        """Return the counters by lower-case command (`client|setinfo`: a subcommand)."""
        found = ((name.removeprefix(CALLS), calls_of(text)) for name, text in self._begin_with(CALLS))
        return {name: count for name, count in found if count is not None}

    @cached_property
    def errors(self) -> dict[str, int]:
        """Return how many error replies had each code."""
        found = (
            (name.removeprefix(ERRORS), _whole(pairs_of(text).get("count"))) for name, text in self._begin_with(ERRORS)
        )
        return {name: count for name, count in found if count is not None}

    @property
    def unread(self) -> int:
        """Return how much was skipped: lines, and commands and errors whose counters are no numbers."""
        counted = sum(name.startswith((CALLS, ERRORS)) for name in self.fields)
        return self.skipped + counted - len(self.calls) - len(self.errors)

    def _begin_with(self, prefix: str) -> list[tuple[str, str]]:
        return [(name, text) for name, text in self.fields.items() if name.startswith(prefix)]

    @property
    def run_id(self) -> str | None:
        """Return what the server drew when it started."""
        return self.fields.get("run_id")

    @property
    def version(self) -> str:
        """Return the server's name and version; Valkey reports a compatible `redis_version` besides its own."""
        kind = "valkey" if "valkey_version" in self.fields else "redis"
        return f"{kind} {self.fields.get(f'{kind}_version', 'unknown')}"


def calls_of(text: str) -> Calls | None:
    """Return a command's counters (`calls=1,usec=2`); None: they are none."""
    fields = pairs_of(text)
    # Servers before 6.2 do not count failed and rejected calls separately.
    defaults = {"failed_calls": "0", "rejected_calls": "0", "usec": "0"}
    found = [_whole(fields.get(name, defaults.get(name))) for name in ("calls", *defaults)]
    return None if None in found else Calls(*(count for count in found if count is not None))


def pairs_of(text: str) -> dict[str, str]:
    """Return the parts of a field that has several (`keys=1,expires=2`)."""
    return {name: value for name, _, value in (part.partition("=") for part in text.split(","))}


def _whole(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


class Listed(NamedTuple):
    """A reply to CLIENT LIST."""

    clients: list[dict[str, str]]
    """The fields of every connection."""
    skipped: int
    """Lines that are no connection."""


def clients_of(reply: object) -> Listed:
    """Return the connections of a reply to CLIENT LIST."""
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else reply if isinstance(reply, str) else ""
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [{name: value for name, _, value in (part.partition("=") for part in line.split())} for line in lines]
    clients = [row for row in rows if row.get("id", "").isdecimal()]
    return Listed(clients, len(lines) - len(clients))


def run_id_of(control: Control) -> str | None:
    """Return the `run_id` of the server that a connection leads to; None if it does not report one."""
    return Info.read(info_text(control, "server")).run_id


def run_ids_of(control: Control) -> frozenset[str] | None:
    """Return the `run_id` of every node that a connection leads to; None if one does not report any."""
    found = {run_id_of(node) for node in control.every}
    return None if None in found else frozenset(filter(None, found))


def check_run_id(control: Control, run_ids: frozenset[str]) -> None:
    """Refuse, with an `AnotherServerError`, a node that is not known to be one of those with these `run_id`s."""
    if run_id_of(control) not in run_ids:
        raise AnotherServerError(
            f"{address(control.endpoint)} is now another server, or the server there was restarted (its run_id has "
            "changed); what is allowed on one server may not be allowed on another, so the run stops"
        )


def keys_in(control: Control) -> int:
    """Return how many keys its nodes have together."""
    return sum(control.on_each("DBSIZE"))


def used_memory(control: Control) -> int | None:
    """Return how many bytes the nodes have allocated, without their clients' buffers; None if one does not say.

    What an earlier command leaves to be freed in the background is waited for: FLUSHDB does so in some servers.
    """
    found = [_used_by(node) for node in control.nodes]
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None


def _used_by(control: Control) -> int | None:
    while (found := parse_info(info_text(control, "memory"))).get("lazyfree_pending_objects", "0") != "0":
        pass
    if "used_memory" not in found:
        return None
    return int(found["used_memory"]) - int(found.get("mem_clients_normal", 0))
