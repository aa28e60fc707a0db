"""Slots that move while clients work: the run moves them from primary to primary, as operators of clusters do."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from typing import Any, Final

from respmark.errors import ServerError, UnsupportedError
from respmark.servers.background import FIRST, Background, Sent
from respmark.servers.cluster import Cluster
from respmark.servers.control import Control
from respmark.servers.url import address
from respmark.workload.spec import MovesSpec

AT_ONCE: Final = 100
"""Keys that one MIGRATE moves: the node that gives them does nothing else meanwhile."""
MIGRATE_LIMIT_MS: Final = 5_000
LOOK_S: Final = 0.01
"""Between two looks at how far CLUSTER MIGRATESLOTS is."""
MOVED: Final = b"success"
NOT_MOVED: Final = frozenset({b"failed", b"cancelled"})


class SlotMover(Background):
    """Moves slots of a cluster that the run started, in turn from each primary to the next: none gets more of them."""

    def __init__(self, cluster: Cluster, slots: Iterable[int], spec: MovesSpec) -> None:
        """Connect to every primary.

        Args:
            cluster: The harness's connections; they are told where each slot is.
            slots: Those that may be moved.
            spec: How, and how often.

        Raises:
            UnsupportedError: The server cannot move slots so.
            ServerError: It refuses the connection.
        """
        super().__init__(cluster.endpoint)
        self._cluster, self._spec, self._slots = cluster, spec, sorted(slots)
        self._between_ns = 1e9 / spec.per_second
        self._turns = count()
        self._calls: Counter[str] = Counter()
        self._keys = self._moved = 0
        """In this slice."""
        with ExitStack() as held:
            held.callback(self._control.close)
            self._nodes = [self._control, *(held.enter_context(Control(one.endpoint)) for one in cluster.nodes[1:])]
            self._ids: list[bytes] = [node.command("CLUSTER", "MYID") for node in self._nodes]
            if spec.by == "migrateslots":
                self._check_migrates()
            held.pop_all()

    def close(self) -> None:
        """Stop, if it is at work, and close the connections."""
        super().close()
        for node in self._nodes:
            node.close()

    def _check_migrates(self) -> None:
        try:
            self._control.command("CLUSTER", "GETSLOTMIGRATIONS")
        except ServerError as error:
            raise UnsupportedError(
                f"{address(self._control.endpoint)} has no CLUSTER MIGRATESLOTS, which came with Valkey 9.0"
            ) from error

    def _work(self, at_ns: int) -> None:
        self._calls, self._keys, self._moved = Counter(), 0, 0
        move = {"setslot": self._set_slots, "migrateslots": self._migrate_slots}[self._spec.by]
        due_ns = at_ns + FIRST * self._between_ns
        while self._waits_until(due_ns):
            giver, slots = self._next()
            taker = (giver + 1) % len(self._nodes)
            move(slots, giver, taker, due_ns + self._between_ns / 2)
            for slot in slots:
                self._cluster.give(slot, taker)
            self._moved += len(slots)
            due_ns += self._between_ns

    def _done(self) -> Sent:
        return Sent(self._calls, 0, 0, hits=self._keys, moved_slots=self._moved)

    def _next(self) -> tuple[int, list[int]]:
        """Return whose turn it is to give slots, and which: those that have not been moved for the longest time."""
        places = {self._cluster.place_of(slot) for slot in self._slots}
        giver = next(place for turn in self._turns if (place := turn % len(self._nodes)) in places)
        own = [slot for slot in self._slots if self._cluster.place_of(slot) == giver][: self._spec.slots]
        self._slots = [*(slot for slot in self._slots if slot not in own), *own]
        return giver, own

    def _set_slots(self, slots: Sequence[int], giver: int, taker: int, until_ns: float) -> None:
        """Move their keys, and later the slots: until then clients are sent on with ASK, from then on with MOVED."""
        for slot in slots:
            self._tell(taker, "setslot", slot, "IMPORTING", self._ids[giver])
            self._tell(giver, "setslot", slot, "MIGRATING", self._ids[taker])
            while keys := self._tell(giver, "getkeysinslot", slot, AT_ONCE):
                self._migrate(keys, giver, taker)
        self._waits_until(until_ns)
        others = [place for place in range(len(self._nodes)) if place not in {giver, taker}]
        for slot in slots:
            for place in (taker, giver, *others):
                self._tell(place, "setslot", slot, "NODE", self._ids[taker])

    def _migrate(self, keys: Sequence[bytes], giver: int, taker: int) -> None:
        to = self._nodes[taker].endpoint
        password = to.password.get_secret_value() if to.password else ""
        where = (to.host or "", to.port or 0, "", 0, MIGRATE_LIMIT_MS)
        self._nodes[giver].command("MIGRATE", *where, "AUTH", password, "KEYS", *keys)
        # It introduces itself each time, sends the keys with a command that only nodes use, and looks each of them up.
        self._calls.update({"migrate": 1, "auth": 1, "restore-asking": len(keys)})
        self._keys += len(keys)

    def _migrate_slots(self, slots: Sequence[int], giver: int, taker: int, _until_ns: float) -> None:
        """Let the giver move them together: clients are told nothing before all of them have moved."""
        keys = sum(self._tell(giver, "countkeysinslot", slot) for slot in slots)
        ranges = [word for slot in slots for word in (slot, slot)]
        self._tell(giver, "migrateslots", "SLOTSRANGE", *ranges, "NODE", self._ids[taker])
        while (found := self._latest(giver))[b"state"] != MOVED:
            if found[b"state"] in NOT_MOVED:
                raise ServerError(f"{address(self._nodes[giver].endpoint)} did not move slots: {found!r}")
            time.sleep(LOOK_S)
        # It sends each key as a SET, after a SELECT.
        self._calls.update({"auth": 1, "select": keys, "set": keys})

    def _latest(self, giver: int) -> Mapping[bytes, Any]:
        latest, *_ = self._tell(giver, "getslotmigrations")
        return dict(zip(latest[::2], latest[1::2], strict=True))

    def _tell(self, place: int, subcommand: str, *words: str | bytes | int) -> Any:  # noqa: ANN401 - a server's reply
        self._calls[f"cluster|{subcommand}"] += 1
        return self._nodes[place].command("CLUSTER", subcommand, *words)
