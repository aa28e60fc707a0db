"""The scenarios: which walkers there are, what a unit of theirs is, and the slices of a trial.

A walker is a thread's or task's way through the workload; the places of a sliding window are tasks that share one.
Threads and tasks live from the first slice to the last. Whoever arrives last notes the moment at which all go on, so no
hand-over to another thread lies between two moments.
"""

import asyncio
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, repeat
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any, Final

from loops import burst, run_unit_tasks, run_units
from samples import Moment, Samples, closing_moment, opening_moment
from workload import Command, Workload

POOL_WAIT_S: Final = 3
"""A unit waits at most so long for a connection of a pool."""
WALKING: Final = frozenset({"threads", "pool", "pipelining"})
MOMENTS: Final = ("started", "measured_from", "ended")
PARTS: Final = ("lead_in", "measured")


class Slices:
    """A trial's slices, in which the main thread works."""

    def __init__(self, trial: SimpleNamespace, adapter: Any, workload: Workload) -> None:
        self.trial, self.adapter, self.workload = trial, adapter, workload
        window, threads = trial.shape.get("window"), trial.shape.get("threads", 1)
        self.walkers: int = threads if trial.scenario in WALKING else 1
        self.per_unit: int = trial.shape.get("depth", 1) if window != "sliding" else 1
        places = self.walkers * (trial.shape["depth"] if window == "sliding" else 1)
        self.samples = [Samples(trial.samples // places) for _ in range(places)]
        """Of each thread or task; number i belongs to walker i mod n."""
        self.clients: list[Any] = []
        """Each walker's; several may share one."""
        self._unit: Callable[..., Any] | None = None
        """Takes a client and a unit's commands and returns the replies; None: a unit is one command."""
        self._cache = (None, None, None)
        """What the client's own cache has done so far: hits, misses, invalidations."""
        self.walks: list[Iterator[Command]] = []
        self._order: dict[str, Any] = {}
        self._moments: list[Moment] = []
        self.end_ns = 0
        self._units = [[0] * places for _ in PARTS]

    def wait(self, result: Any) -> Any:
        """Return what an adapter's method returned; where its kind is `async`, what it returns when it is awaited."""
        return result

    def connect(self) -> None:
        """Open every connection that the trial uses, and start threads or tasks."""
        adapter, shape, walkers = self.adapter, self.trial.shape, self.walkers
        match self.trial.scenario:
            case "new-connection":
                self._unit, self.clients = self.once(), [None]
            case "threads":
                count = min(walkers, shape["connections"])
                shared = [self._opened(len(range(i, walkers, count))) for i in range(count)]
                self.clients = [shared[i % count] for i in range(walkers)]
            case "pool":
                client = self.wait(adapter.pool(shape["max_total"], shape.get("max_idle"), POOL_WAIT_S))
                self.wait(adapter.open(client, min(walkers, shape["max_total"])))
                self.clients = [client] * walkers
            case "caching":
                self.clients = [self.wait(adapter.cache(shape["cache_entries"]))]
                self.wait(adapter.open(self.clients[0], 1))
            case "batching":
                self._unit, self.clients = adapter.batch, [self._opened(1)]
            case "transaction":
                self._unit, self.clients = partial(adapter.transaction, form=shape["form"]), [self._opened(1)]
            case "pipelining":
                self._unit = burst if shape["window"] == "burst" else None
                self.clients = [self._opened(shape["depth"]) for _ in range(walkers)]
            case _:
                self.clients = [self._opened(1)]
        self.start()

    def _opened(self, connections: int) -> Any:
        client = self.wait(self.adapter.connect(connections))
        self.wait(self.adapter.open(client, connections))
        return client

    def once(self) -> Callable[..., Any]:
        """Return a unit of `new-connection`."""
        connect, close = self.adapter.connect, self.adapter.close

        def once(_client: None, commands: Iterator[Command]) -> list[Any]:
            client = connect()
            try:
                return [
                    call(client, key) if value is None else call(client, key, value) for key, (call, value) in commands
                ]
            finally:
                close(client)

        return once

    def walk(self, walker: int, first: int) -> Iterator[Command]:
        """Return a walker's units in the form of commands: with a `unit`, the key is an iterator over its commands."""
        number, count = self.trial.part * self.walkers + walker, self.trial.parts * self.walkers
        commands = self.workload.walk(first + number * len(self.workload.numbers) // count)
        if self._unit is None:
            return commands
        return zip(map(islice, repeat(commands), repeat(self.per_unit)), repeat((self._unit, None)), strict=False)

    def echo(self, commands: int, size: int) -> list[Any]:
        """Perform units of the first walker; return the replies as JSON has them."""
        units, replies, had = self.walk(0, 0), [], 0
        while len(replies) < commands and had < size:
            key, (call, value) = next(units)
            reply = self.wait(call(self.clients[0], key) if value is None else call(self.clients[0], key, value))
            new = [_as_json(one) for one in ([reply] if self._unit is None else reply)]
            replies += new
            had += len(json.dumps(new))
        self._cache_since()
        return replies

    def work(self, order: dict[str, Any]) -> dict[str, Any]:
        """Work for one slice."""
        self.walks = [self.walk(i, order["first"]) for i in range(self.walkers)]
        self._order, self._moments = order, []
        for samples in self.samples:
            samples.begin_slice()
        self.perform()
        first_errors = (samples.first_error for samples in self.samples if samples.first_error)
        units = [[sum(units[i :: self.walkers]) for i in range(self.walkers)] for units in self._units]
        return {
            **dict(zip(MOMENTS, self._moments, strict=True)),
            **dict(zip(PARTS, units, strict=True)),
            "errors": sum((samples.errors for samples in self.samples if samples.errors), Counter()),
            "first_error": next(first_errors, None),
            "cache": self._cache_since(),
        }

    def _cache_since(self) -> dict[str, int | None] | None:
        if self.trial.scenario != "caching":
            return None
        before, self._cache = self._cache, self.adapter.counts()
        since = [None if now is None else now - (then or 0) for then, now in zip(before, self._cache, strict=True)]
        return dict(zip(("hits", "misses", "invalidations"), since, strict=True))

    def close(self) -> None:
        """Close every connection."""
        for client in {id(client): client for client in self.clients if client is not None}.values():
            self.wait(self.adapter.close(client))

    def start(self) -> None:
        """Start threads or tasks, which then wait for work."""

    def perform(self) -> None:
        """Work for both parts of a slice."""
        self.advance()
        for part in range(len(PARTS)):
            if self.is_due(part):
                run_units(self.clients[0], self.walks[0], self.samples[0], self.end_ns)
            self.end_part(part, 0)
            self.advance()

    def advance(self) -> None:
        """Note the moment between two parts, and until when the next part lasts."""
        number = len(self._moments)
        now = closing_moment() if number == len(PARTS) else opening_moment()
        self._moments.append(now)
        self.end_ns = now[0] + (0, self._order["ns"], self._order["lead_in_ns"])[-1 - number]

    def is_due(self, part: int) -> bool:
        """Return whether the part has any time."""
        return part == 1 or self._order["lead_in_ns"] > 0

    def end_part(self, part: int, place: int) -> None:
        """Count what a thread or task did in this part."""
        self._units[part][place] = self.samples[place].end_part(keep=part == 1 and self._order["keep"])


class ThreadSlices(Slices):
    """One thread a walker."""

    def start(self) -> None:
        """Start the threads, which end with the process."""
        count = len(self.samples)
        self._outer, self._inner = Barrier(count + 1), Barrier(count, action=self.advance)
        for i in range(count):
            Thread(target=self._live, args=(i,), daemon=True).start()

    def perform(self) -> None:
        """Let the threads work, and wait until the last one is done."""
        self._outer.wait()
        self._outer.wait()

    def _live(self, i: int) -> None:
        while True:
            self._outer.wait()
            self._inner.wait()
            for part in range(len(PARTS)):
                if self.is_due(part):
                    run_units(self.clients[i], self.walks[i], self.samples[i], self.end_ns)
                self.end_part(part, i)
                self._inner.wait()
            self._outer.wait()


class TaskSlices(Slices):
    """Tasks on one event loop, which runs only in slices: every scenario of an asynchronous API."""

    def __init__(self, trial: SimpleNamespace, adapter: Any, workload: Workload) -> None:
        super().__init__(trial, adapter, workload)
        self._runner = asyncio.Runner()
        self._tasks: list[asyncio.Task[None]] = []

    def wait(self, result: Any) -> Any:
        """Run the coroutine on the event loop."""
        return self._runner.run(result)

    def once(self) -> Callable[..., Any]:
        """Return a unit of `new-connection`."""
        connect, close = self.adapter.connect, self.adapter.close

        async def once(_client: None, commands: Iterator[Command]) -> list[Any]:
            client = await connect()
            try:
                return [
                    await (call(client, key) if value is None else call(client, key, value))
                    for key, (call, value) in commands
                ]
            finally:
                await close(client)

        return once

    def start(self) -> None:
        """Start the tasks, which end with the event loop."""
        self.wait(self._start())

    def perform(self) -> None:
        """Let the tasks work, and wait until the last one is done."""
        self.wait(self._perform())

    async def _start(self) -> None:
        count = len(self.samples)
        self._outer, self._inner = TaskBarrier(count + 1), TaskBarrier(count, self.advance)
        self._tasks = [asyncio.create_task(self._live(i)) for i in range(count)]
        # Lets each of them run until it waits.
        await asyncio.sleep(0)

    async def _perform(self) -> None:
        await self._outer.wait()
        await self._outer.wait()

    async def _live(self, i: int) -> None:
        walker = i % self.walkers
        while True:
            await self._outer.wait()
            await self._inner.wait()
            for part in range(len(PARTS)):
                if self.is_due(part):
                    await run_unit_tasks(self.clients[walker], self.walks[walker], self.samples[i], self.end_ns)
                self.end_part(part, i)
                await self._inner.wait()
            await self._outer.wait()


class TaskBarrier:
    """Lets tasks go on when all of them have arrived; asyncio's own calls nothing at that moment."""

    def __init__(self, count: int, action: Callable[[], None] = lambda: None) -> None:
        self._count, self._action, self._arrived, self._all = count, action, 0, asyncio.Event()

    async def wait(self) -> None:
        """Wait for the others; the last one calls the action and goes on at once."""
        self._arrived += 1
        if self._arrived < self._count:
            await self._all.wait()
            return
        self._action()
        everyone, self._arrived, self._all = self._all, 0, asyncio.Event()
        everyone.set()


def make_slices(trial: SimpleNamespace, adapter: Any, workload: Workload) -> Slices:
    """Return the trial's slices."""
    kinds: Sequence[type[Slices]] = (Slices, ThreadSlices) if adapter.kind == "blocking" else (TaskSlices, TaskSlices)
    return kinds[trial.scenario in WALKING](trial, adapter, workload)


def _as_json(reply: Any) -> Any:
    match reply:
        case None | bool() | int() | float() | str():
            return reply
        case bytes():
            return {"bytes": b64encode(reply).decode()}
        case dict():
            return {"map": [[_as_json(name), _as_json(value)] for name, value in reply.items()]}
        case list() | tuple() | set():
            return [_as_json(one) for one in reply]
        case Exception():
            raise reply
    return str(reply)
