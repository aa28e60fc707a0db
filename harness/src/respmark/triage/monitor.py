"""MONITOR for a moment: which commands follow each other on which connection.

Of every line, the command's name and a hash of its first argument are kept while the stream lasts. The hash is salted
for this one use, so that it says whether two commands name the same key and nothing about the key.
"""

import hashlib
import re
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from respmark.errors import ServerError, ServerLostError
from respmark.servers.control import Control
from respmark.triage.asking import Asker
from respmark.triage.clients import Connections
from respmark.triage.logs import logged_name
from respmark.triage.snapshot import HotKey, MonitoredClient, MonitorSample, Who

MOST_S: Final = 1.0
"""The longest that MONITOR runs."""
MOST_BYTES: Final = 32 * 2**20
"""What is read at most: MONITOR repeats every value that clients write."""
CHUNK: Final = 256 * 1024
LINE: Final = re.compile(rb'\+\d+\.\d+ \[\d+ (?P<client>[^\]]*)\] "(?P<words>.*)"\r?', re.DOTALL)
BETWEEN: Final = b'" "'
EXPIRES: Final = frozenset({"expire", "pexpire", "expireat", "pexpireat"})
POPS: Final = frozenset({"lpop", "rpop", "rpoplpush", "lmove", "lmpop", "spop", "zpopmin", "zpopmax"})
WATCHED_UNTIL: Final = frozenset({"exec", "discard", "unwatch"})
HOTTEST: Final = 5
HASH_SHOWN: Final = 8
MOST_NAMED: Final = 5
WITHOUT_KEY: Final = frozenset(
    {"select", "ping", "auth", "hello", "publish", "subscribe", "eval", "evalsha", "info", "scan"}
)
"""Commands whose first argument is no key; those with subcommands are not, either, but seldom."""
IN_SCRIPTS: Final = b"lua"
"""The client of commands that a script sends."""


@dataclass(frozen=True)
class Sent:
    """One command that MONITOR showed."""

    client: str
    command: str
    key: bytes
    """A salted hash of its first argument; empty: it has none."""


class Reader:
    """Turns the bytes of MONITOR into commands, and forgets the rest at once."""

    def __init__(self) -> None:
        self._salt = secrets.token_bytes(16)
        self._rest = b""

    def read(self, data: bytes) -> Iterator[Sent]:
        """Yield the commands of the lines that end in these bytes."""
        *lines, self._rest = (self._rest + data).split(b"\r\n")
        for line in lines:
            if (found := LINE.fullmatch(line)) and found["client"] != IN_SCRIPTS:
                name, *arguments = found["words"].split(BETWEEN, 2)
                yield Sent(found["client"].decode(errors="replace"), self._name(name, arguments), self._hash(arguments))

    def _name(self, name: bytes, arguments: list[bytes]) -> str:
        words = [name, *arguments[:1]]
        return logged_name([word.decode(errors="replace") for word in words])

    def _hash(self, arguments: list[bytes]) -> bytes:
        return hashlib.blake2b(arguments[0], key=self._salt, digest_size=8).digest() if arguments else b""


@dataclass
class _Seen:
    """What is counted of one connection."""

    commands: int = 0
    set_then_expire: int = 0
    selects: int = 0
    repeated_pops: int = 0
    longest_run: int = 0
    watched: int = 0
    conflicts: int = 0
    run: int = 0
    is_watching: bool = False
    before: Sent | None = None

    def see(self, sent: Sent) -> None:
        before, self.before = self.before or Sent("", "", b""), sent
        is_same_key = before.key == sent.key
        self.commands += 1
        self.selects += sent.command == "select"
        self.set_then_expire += sent.command in EXPIRES and before.command == "set" and is_same_key
        self.repeated_pops += sent.command in POPS and before.command == sent.command and is_same_key
        self.run = self.run + 1 if before.command == sent.command and not is_same_key else 1
        self.longest_run = max(self.longest_run, self.run)
        self._see_transaction(sent.command, before.command)

    def _see_transaction(self, command: str, before: str) -> None:
        """Count a transaction that ends: nothing between MULTI and EXEC was executed if a watched key had changed."""
        if command == "exec" and self.is_watching:
            self.watched += 1
            self.conflicts += before == "multi"
        self.is_watching = command == "watch" or (self.is_watching and command not in WATCHED_UNTIL)


class Counts:
    """What MONITOR saw, by connection and by key."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._keys: Counter[bytes] = Counter()
        self._of_key: defaultdict[bytes, Counter[tuple[str, str]]] = defaultdict(Counter)

    def see(self, sent: Sent) -> None:
        """Take one command."""
        self._seen.setdefault(sent.client, _Seen()).see(sent)
        if sent.key and sent.command not in WITHOUT_KEY:
            self._keys[sent.key] += 1
            self._of_key[sent.key][sent.command, sent.client] += 1

    def hot(self, who: Callable[[str], Who]) -> tuple[HotKey, ...]:
        """Return the hottest keys, with the commands and the clients that name them most."""
        return tuple(
            HotKey(
                hash=key.hex()[:HASH_SHOWN],
                commands=count,
                names=tuple(dict.fromkeys(name for (name, _), _ in self._of_key[key].most_common(MOST_NAMED))),
                who=tuple(dict.fromkeys(who(client) for (_, client), _ in self._of_key[key].most_common(MOST_NAMED))),
            )
            for key, count in self._keys.most_common(HOTTEST)
        )

    @property
    def commands(self) -> int:
        """Return how many there were."""
        return sum(one.commands for one in self._seen.values())

    def clients(self, who: Callable[[str], Who]) -> tuple[MonitoredClient, ...]:
        """Return the connections that sent most."""
        busiest = sorted(self._seen.items(), key=lambda one: -one[1].commands)[:MOST_CLIENTS]
        return tuple(
            MonitoredClient(
                who=who(address),
                commands=one.commands,
                set_then_expire=one.set_then_expire,
                selects=one.selects,
                repeated_pops=one.repeated_pops,
                longest_run=one.longest_run,
                watched=one.watched,
                conflicts=one.conflicts,
            )
            for address, one in busiest
        )


MOST_CLIENTS: Final = 50
"""How many connections are kept."""


def monitored(asker: Asker, seconds: float, connections: Connections) -> MonitorSample | None:
    """Watch every command for at most a second, on a connection of its own; None if the server refuses.

    Raises ServerLostError if the server is gone.
    """
    with closing(Control(asker.control.endpoint).open("INFO", "server")) as control:
        try:
            control.command("MONITOR")
        except ServerLostError:
            raise
        except ServerError as error:
            asker.refuse("MONITOR", error)
            return None
        return _listen(control, min(seconds, MOST_S), connections)


def _listen(control: Control, seconds: float, connections: Connections) -> MonitorSample:
    reader, counts, received = Reader(), Counts(), 0
    began = time.monotonic()
    while (left_s := began + seconds - time.monotonic()) > 0 and received < MOST_BYTES:
        data = control.receive_within(CHUNK, left_s)
        received += len(data)
        for sent in reader.read(data):
            counts.see(sent)
    return MonitorSample(
        seconds=time.monotonic() - began,
        commands=counts.commands,
        is_cut=received >= MOST_BYTES,
        clients=counts.clients(connections.at),
        hot=counts.hot(connections.at),
    )
