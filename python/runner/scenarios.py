"""The scenarios: which walkers there are, what a unit of theirs is, and the slices of a trial.

A walker is a thread's or task's way through the workload; the places of a sliding window are tasks that share one.
Threads and tasks live as long as the trial. Whoever arrives last notes the moment at which all go on, so no
hand-over to another thread lies between two moments.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any, Final

from answers import encoded
from arrivals import Alarm, Part, read_arrivals, run_arrival_tasks, run_arrivals, wait_until
from keep_going import Going, Log
from loops import burst, issued, run_bare, run_bare_tasks, run_unit_tasks, run_units
from samples import Samples, moment
from workload import Command, Workload

POOL_WAIT_S: Final = 3
"""A unit waits at most so long for a connection of a pool."""
Order = dict[str, Any]


class Slices:
    """A trial's slices, one thread a walker."""

    def __init__(self, trial: SimpleNamespace, adapter: Any, workload: Workload) -> None:
        self.trial, self.adapter, self.workload = trial, adapter, workload
        depth, is_sliding = trial.shape.get("depth", 1), trial.shape.get("window") == "sliding"
        self.walkers: int = trial.shape.get("connections" if trial.scenario == "batching" else "threads", 1)
        self.per_unit: int = 1 if is_sliding else depth
        places = self.walkers * (depth if is_sliding else 1)
        self.is_open: bool = getattr(trial, "open", False)
        self.samples = [Samples(trial.samples // places, is_open=self.is_open) for _ in range(places)]
        """Of each thread or task; number i belongs to walker i mod n."""
        self.clients: list[Any] = []
        """Each walker's; several may share one."""
        self._made: list[Any] = []
        """Every client once: what is to be closed."""
        self._log: Log | None = None
        """Of an application that keeps going; its last line says that the client is closed."""
        self.has_kept_going = False
        self._threads: list[Thread] = []
        self._is_over = False
        self.unit: Callable[..., Any] | None = None
        """Takes a client and a unit's commands and returns the replies; None: a unit is one command."""
        self.parts: list[tuple[int, bool]] = []
        """Duration of each part of the slice under way, and whether its latencies are kept."""
        self.arrivals: tuple[Part, ...] = ()
        """The same parts, where units are due at times of their own."""
        self.units_of_parts = [0] * places, [0] * places
        self._runner = asyncio.Runner()
        self.wait: Callable[[Any], Any] = self._awaited if adapter.kind == "async" else lambda result: result
        """Returns what an adapter's method returned; where its kind is `async`, what it returns when it is awaited."""

    def _awaited(self, result: Any) -> Any:
        async def awaited() -> Any:
            return await result

        return self._runner.run(awaited())

    def connect(self, _order: Order) -> Order:
        """Open every connection that the trial uses, and start threads or tasks."""
        adapter, shape, walkers = self.adapter, self.trial.shape, self.walkers
        match self.trial.scenario:
            case "new-connection":
                self.unit, self.clients = self.once, [None]
            case "threads":
                count = min(walkers, shape["connections"])
                users = [len(range(i, walkers, count)) for i in range(count)]
                shared = [self._opened(adapter.connect(connections), connections) for connections in users]
                self.clients = [shared[i % count] for i in range(walkers)]
            case "pool":
                made = adapter.pool(shape["max_total"], shape.get("max_idle"), POOL_WAIT_S)
                self.clients = [self._opened(made, min(walkers, shape["max_total"]))] * walkers
            case "caching":
                self.clients = [self._opened(adapter.cache(shape["cache_entries"]), 1)]
            case "pipelining":
                self.unit, depth = burst if shape["window"] == "burst" else None, shape["depth"]
                self.clients = [self._opened(adapter.connect(depth), depth) for _ in range(walkers)]
            case scenario:
                forms = {"batching": "batch", "batched": "transaction", "queued": "queued_transaction"}
                self.unit = getattr(adapter, forms.get(shape.get("form", scenario), ""), None)
                self.clients = [self._opened(adapter.connect(), 1) for _ in range(walkers)]
        self.wait(self.start())
        return {}

    def _opened(self, made: Any, connections: int) -> Any:
        client = self.wait(made)
        self._made.append(client)
        self.wait(self.adapter.open(client, connections))
        return client

    def close_clients(self) -> None:
        """End threads, and close every connection as the library's users do."""
        if self._threads:
            self._is_over = True
            self._outer.wait()
        for thread in self._threads:
            thread.join()
        failure: Exception | None = None
        for client in self._made:
            try:
                self.wait(self.adapter.close(client))
            except Exception as error:
                if self._log is None:
                    raise
                failure = error
        self._threads, self._made = [], []
        if self._log is not None:
            self._log.close(failure)
            self._log = None

    def close(self) -> None:
        """End all that the trial has."""
        self.close_clients()
        self._runner.close()

    def once(self, _client: None, commands: Iterator[Command]) -> Any:
        """Perform a unit of `new-connection`."""
        client = self.adapter.connect()
        try:
            return [issued(client, command) for command in commands]
        finally:
            self.adapter.close(client)

    def walk(self, first: int) -> Iterator[Command]:
        """Return a walker's units in the form of commands: with a `unit`, the key is an iterator over its commands."""
        commands = self.workload.walk(first)
        if self.unit is None:
            return commands
        return zip(map(islice, repeat(commands), repeat(self.per_unit)), repeat((self.unit, None)), strict=False)

    def echo(self, order: Order) -> list[Any]:
        """Perform units of the first walker; return the replies."""
        units, replies, size = self.walk(order["first"]), list[Any](), 0
        while len(replies) < order["commands"] and size < order["bytes"]:
            reply = self.wait(issued(self.clients[0], next(units)))
            new = [reply] if self.unit is None else reply
            replies += map(encoded, new)
            size += len(repr(new))
        if self.trial.scenario == "caching":
            self.adapter.counts()
        return replies

    def work(self, order: Order) -> Order:
        """Work for one slice."""
        self.walks = [self.walk(first) for first in order["first"]]
        self.parts = [(order["lead_in_ns"], False), (order["ns"], order["keep"])]
        self.arrivals = read_arrivals(order) if "arrivals" in order else ()
        self._moments: list[tuple[int, int, int]] = []
        for samples in self.samples:
            samples.errors, samples.first_error = Counter(), None
        self.wait(self.perform())
        units = [[sum(units[i :: self.walkers]) for i in range(self.walkers)] for units in self.units_of_parts]
        return {
            **dict(zip(("started", "measured_from", "ended"), self._moments, strict=True)),
            **dict(zip(("lead_in", "measured"), units, strict=True)),
            "errors": sum((samples.errors for samples in self.samples), Counter()),
            "first_error": next((samples.first_error for samples in self.samples if samples.first_error), None),
            "cache": self.adapter.counts() if self.trial.scenario == "caching" else None,
        }

    def keep_going(self, order: Order) -> Order:
        """Work as an application does that keeps going, whatever becomes of its server."""
        going = Going(order)
        self.walks = [self.walk(first) for first in order["first"]]
        self._log, self.has_kept_going = going.log, True
        self.wait(self.go(going))
        return {}

    def bare(self, order: Order) -> Order:
        """Let a loop as a user would write it perform units of the only walker."""
        if self.walkers > 1:
            raise NotImplementedError("the bare loop has one walker")
        started, units = moment(), self.walk(order["first"])
        run = run_bare if self.adapter.kind == "blocking" else run_bare_tasks
        count = self.wait(run(self.clients[0], units, started[0] + order["ns"]))
        return {"units": count, "started": started, "ended": moment()}

    def advance(self) -> None:
        """Note the moment between two parts, and until when the next part lasts."""
        if self.arrivals and self._moments:
            # The last units may be done long before their part is over.
            wait_until(self.arrivals[len(self._moments) - 1].end_ns, 0)
        duration_ns, _ = self.parts[min(len(self._moments), 1)]
        self._moments.append(moment())
        self.end_ns = self._moments[-1][0] + duration_ns

    def start(self) -> Any:
        """Start the threads; a single one is the main thread."""
        count = len(self.samples)
        self._outer, self._inner = Barrier(count + 1), Barrier(count, action=self.advance)
        self._threads = [Thread(target=self._live, args=(i,), daemon=True) for i in range(count if count > 1 else 0)]
        for thread in self._threads:
            thread.start()

    def perform(self) -> Any:
        """Work for both parts of a slice, or wait until the last thread is done."""
        if len(self.samples) == 1:
            self._work(0)
        else:
            self._outer.wait()
            self._outer.wait()

    def go(self, going: Going) -> Any:
        """Let a thread of its own go for each walker, so that none that hangs is waited for, here or later."""
        every = zip(self.clients, self.walks, range(self.walkers), strict=True)
        threads = [Thread(target=going.perform, args=one, daemon=True) for one in every]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(going.left_s())

    def _live(self, i: int) -> None:
        self._outer.wait()
        while not self._is_over:
            self._work(i)
            self._outer.wait()
            self._outer.wait()

    def _work(self, i: int) -> None:
        self._inner.wait()
        for part, (duration_ns, keep) in enumerate(self.parts):
            if self.arrivals:
                run_arrivals(self.clients[i], self.walks[i], self.samples[i], self.arrivals[part])
            elif duration_ns:
                run_units(self.clients[i], self.walks[i], self.samples[i], self.end_ns)
            self.units_of_parts[part][i] = self.samples[i].end_part(keep=keep)
            self._inner.wait()


class TaskSlices(Slices):
    """Tasks on one event loop, which runs only in slices: every scenario of an asynchronous API."""

    _alarm: Alarm | None = None

    async def once(self, _client: None, commands: Iterator[Command]) -> list[Any]:
        """Perform a unit of `new-connection`."""
        client = await self.adapter.connect()
        try:
            return [await issued(client, command) for command in commands]
        finally:
            await self.adapter.close(client)

    def close(self) -> None:
        """Stop the timer as well."""
        if self._alarm is not None:
            self._alarm.close()
            self._alarm = None
        super().close()

    async def start(self) -> None:
        """Start the tasks, which end with the event loop."""
        self._alarm = Alarm() if self.is_open else None
        self._begin, self._everyone, self._done, self._arrived = asyncio.Event(), asyncio.Event(), asyncio.Event(), 0
        self._tasks = [asyncio.create_task(self._live_as_task(i)) for i in range(len(self.samples))]
        # Lets each of them run until it waits.
        await asyncio.sleep(0)

    async def perform(self) -> None:
        """Let the tasks work, and wait until the last one is done."""
        self._done.clear()
        self._begin.set()
        self._begin.clear()
        await self._done.wait()

    async def go(self, going: Going) -> None:
        """Let a task go for each walker."""
        every = zip(self.clients, self.walks, range(self.walkers), strict=True)
        tasks = [asyncio.create_task(going.perform_as_task(*one)) for one in every]
        done, _ = await asyncio.wait(tasks, timeout=going.left_s())
        for task in done:
            task.result()

    async def _live_as_task(self, i: int) -> None:
        walker = i % self.walkers
        while True:
            await self._begin.wait()
            await self._meet()
            for part, (duration_ns, keep) in enumerate(self.parts):
                if self._alarm is not None and self.arrivals:
                    given = self.clients[walker], self.walks[walker], self.samples[i], self.arrivals[part]
                    await run_arrival_tasks(*given, self._alarm)
                elif duration_ns:
                    await run_unit_tasks(self.clients[walker], self.walks[walker], self.samples[i], self.end_ns)
                self.units_of_parts[part][i] = self.samples[i].end_part(keep=keep)
                await self._meet()
            self._done.set()

    async def _meet(self) -> None:
        """Wait for the other tasks; asyncio's own barrier calls nothing when all have arrived."""
        self._arrived += 1
        if self._arrived < len(self.samples):
            await self._everyone.wait()
        else:
            self.advance()
            self._everyone.set()
            self._everyone, self._arrived = asyncio.Event(), 0
