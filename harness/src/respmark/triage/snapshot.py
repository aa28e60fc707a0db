"""What was seen of a server, without values and, unless that was asked for, without names of keys.

This is the file that `--save` writes and `--from` reads: everything else follows from it and from the rules.
"""

from datetime import datetime
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from respmark.contract.base import Count, Message, Seconds

FORMAT: Final = 1
"""Of this file and of the JSON report; a reader refuses a newer one."""
Format = Annotated[int, Field(ge=1, le=FORMAT)]


class Who(Message):
    """A client, as CLIENT LIST shows it."""

    address: str
    """Its host; of a single connection, with the port."""
    name: str = ""
    """What it called itself (CLIENT SETNAME)."""
    library: str = ""
    """What its library calls itself (CLIENT SETINFO); empty: it does not say, or the server is older than 7.2."""
    version: str = ""
    user: str = ""

    @property
    def host(self) -> str:
        """Return its address without the port of a single connection."""
        host, _, port = self.address.rpartition(":")
        return host if port.isdecimal() else self.address

    @property
    def words(self) -> str:
        """Return it in one line."""
        library = " ".join(filter(None, [self.library, self.version]))
        user = f"user {self.user}" if self.user not in {"", "default"} else ""
        return ", ".join(filter(None, [self.address, self.name, library, user]))


class ClientGroup(Message):
    """The connections of one host, user, client name, library and version; those that subscribe are apart."""

    who: Who
    connections: Count
    """Open at the end."""
    opened: Count = 0
    """Seen that were opened during the watch; those that were closed before anybody looked are not among them."""
    subscribed: Count = 0
    """Channels, patterns and shard channels."""
    commands: dict[str, Count] = Field(default_factory=dict)
    """In lower case, each command that was the last of a connection when somebody looked, and of how many."""
    glimpses: Count = 0
    """How often new connections were seen between two looks."""
    in_set_up: Count = 0
    """How often of these they had sent nothing yet, or only what libraries send to set up a connection."""
    output_bytes: Count = 0
    """Replies that the server holds for the connection that has most: the least of the last three looks."""
    active: Count = 0
    """Of these, how many had sent something within a second when somebody looked last."""
    monitoring: Count = 0
    """Connections on which MONITOR is on."""
    grown: Count = 0
    """How many more are open than at the beginning, of those that somebody saw."""
    growths: Count = 0
    """At how many looks there were new ones that are still open."""
    idle_new: Count = 0
    """Of the new ones that are still open, those that sent nothing for a second."""
    idle_minute: Count = 0
    """Open ones that sent nothing for a minute, and neither wait for anything nor subscribe."""
    calls: Count | None = None
    """Commands of all during the watch; null: the server does not count them."""
    busiest_calls: Count | None = None
    """Of the connection with most."""
    busiest_command: str = ""
    """The command that this connection had sent last at most looks."""
    busiest_looks: Count = 0
    """How often somebody looked at it while it was at work."""
    busiest_same: Count = 0
    """How often it was that command."""
    sent_bytes: Count | None = None
    """What the server sent to all during the watch; null: it does not count that."""
    kept_calls: Count | None = None
    """Commands of connections that were open all the time; null: the server does not count them."""


class FailedNode(Message):
    """A node that the cluster says has failed."""

    address: str
    slots: Count = 0
    """Those that are still its own."""


class RoundTrips(Message):
    """How long respmark's own PINGs took, network included."""

    count: Count
    median_ms: float
    longest_ms: float
    own_delay_ms: float = 0.0
    """The longest that respmark itself had to wait for a processor, as its sleeps tell."""


class SlowCall(Message):
    """An entry of SLOWLOG: only the command's name is kept of its arguments."""

    command: str
    age_s: Count
    """Before the end of the watch."""
    us: Count
    who: Who


class LatencyEvent(Message):
    """An event of LATENCY LATEST."""

    event: str
    age_s: Count
    latest_ms: Count
    longest_ms: Count


class SampledKey(Message):
    """A key of the sample."""

    name: str | None
    """Null, unless names were asked for."""
    kind: str
    """Its type."""
    size_bytes: Count
    """By MEMORY USAGE, which samples the elements of a large one."""
    expires: bool


class KeyGroup(Message):
    """Keys of the sample that have something in common."""

    name: str
    """Their type; or the part of their names up to the first colon, only if names were asked for."""
    keys: Count
    bytes_of_all: Count
    expiring: Count


class KeySample(Message):
    """What SCAN came by: as good as drawn at random, because SCAN follows the order of hashes."""

    asked: Count
    """How many keys were wanted at most."""
    seen: Count
    largest: tuple[SampledKey, ...]
    """The largest of them."""
    hidden: Count = 0
    """Keys that this user may not look at."""
    without_expiry: Count
    bytes_of_all: Count
    kinds: tuple[KeyGroup, ...] = ()
    """By type, those with most memory first."""
    prefixes: tuple[KeyGroup, ...] = ()
    """By the beginning of the name, the same; empty, unless names were asked for."""


class MonitoredClient(Message):
    """What MONITOR saw of one client."""

    who: Who
    commands: Count
    set_then_expire: Count = 0
    """SETs that were followed by an EXPIRE of the same key on the same connection."""
    selects: Count = 0
    repeated_pops: Count = 0
    """Pops from the same list as the pop before, on the same connection."""
    longest_run: Count = 0
    """The most commands of one name in a row on one connection, each with another key."""
    watched: Count = 0
    """EXECs after a WATCH."""
    conflicts: Count = 0
    """Those of them that executed nothing."""


class HotKey(Message):
    """A key that many commands named first."""

    hash: str
    """Of its name, with a salt that nobody knows: it only tells keys of this sample apart."""
    commands: Count
    names: tuple[str, ...]
    """Of the commands."""
    who: tuple[Who, ...] = ()


class MonitorSample(Message):
    """What MONITOR saw; of arguments, only salted hashes were held, and only those of the hottest keys are kept."""

    seconds: Seconds
    commands: Count
    is_cut: bool = False
    """Whether it ended early because there was so much."""
    clients: tuple[MonitoredClient, ...]
    hot: tuple[HotKey, ...] = ()
    """The hottest keys."""


class Alone(Message):
    """Moments in which no other command was called, of clients' commands."""

    calls: Count
    reads: Count
    """How often the server read from a socket."""


class Refusal(Message):
    """A command that the server did not answer."""

    command: str
    said: str


class NodeSnapshot(Message):
    """One server."""

    address: str
    seconds: Seconds
    """Between the first INFO and the last."""
    first: dict[str, str]
    """INFO at the beginning."""
    last: dict[str, str]
    """INFO at the end."""
    own: dict[str, int] = Field(default_factory=dict)
    """Commands that respmark itself sent in between, as INFO counts them."""
    own_reads: Count = 0
    """How often the server read these: some were sent together."""
    clients: tuple[ClientGroup, ...] = ()
    slow: tuple[SlowCall, ...] = ()
    """Without respmark's own."""
    events: tuple[LatencyEvent, ...] = ()
    latency: dict[str, dict[int, int]] = Field(default_factory=dict)
    """By command, how many calls during the watch took up to so many microseconds, more than the bucket before."""
    alone: dict[str, Alone] = Field(default_factory=dict)
    """By command; only if many commands came in pipelines."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Of CONFIG GET."""
    keys: KeySample | None = None
    monitor: MonitorSample | None = None
    refused: tuple[Refusal, ...] = ()
    absent: tuple[str, ...] = ()
    """Commands whose replies a pasted text does not show."""
    left_out: tuple[str, ...] = ()
    """Commands that were not to be sent."""
    basis: str = ""
    """What rates are of, in words, if not of a watch."""
    round_trips: RoundTrips | None = None
    looks: Count = 0
    """How often CLIENT LIST was asked for."""
    resets: Count = 0
    """How often CONFIG RESETSTAT was seen; `first` is of the time after the last."""
    failed_nodes: tuple[FailedNode, ...] = ()
    """Of its cluster; only the node that was named says so."""
    failed_slots: Count = 0
    """Slots that no working node has, by the same."""
    reached: bool = True
    """Whether it ever answered."""
    lost: str | None = None
    """What happened to it during the watch, in one sentence; then nothing else is known."""

    @model_validator(mode="after")
    def _has_time(self) -> Self:
        if self.seconds == 0 and self.lost is None:
            raise ValueError("`seconds` is 0: nothing can be said of no time")
        return self


class ServerSnapshot(Message):
    """All that was seen."""

    format: Format = FORMAT
    respmark_version: str
    taken_at: datetime
    seconds: Seconds
    """How long was asked for."""
    nodes: tuple[NodeSnapshot, ...] = Field(min_length=1)
