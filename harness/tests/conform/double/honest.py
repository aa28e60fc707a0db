"""A runner that does what it says."""

import queue
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from respmark.contract.events import LocalCache
from respmark.contract.trial import Form, Scenario, TrialRequest, Window
from respmark.workload.file import Workload, read
from respmark.workload.spec import Argument, KeyArgument, ValueArgument
from tests.conform.double.tinyresp import Connection, ReplyError, encoded

LANES = frozenset({Scenario.THREADS, Scenario.POOL})
LOST_AFTER = 25
RESP3 = 3

Command = tuple[bytes, ...]
Reply = Any


class WrongReplyError(Exception):
    """A reply does not follow from its command."""


class TargetLostError(Exception):
    """Too many units failed in a row."""


class Resp3Connection(Connection):
    """A connection that says HELLO 3, and knows as much of RESP3 as its reply and a GET's have."""

    def connect(self) -> socket.socket:
        """Open the connection."""
        opened = super().connect()
        opened.sendall(encoded((b"HELLO", b"3")))
        self.read(1)
        return opened

    def _reply(self) -> Reply:
        kind = self._file.peek(1)[:1]
        if kind == b"%":
            return self.read(2 * int(self._line()[1:]))
        if kind == b"_":
            self._line()
            return None
        return super()._reply()


class Honest:
    """One trial."""

    least_commands = 0
    """What a walker completes in each part of a slice, however little time it gets."""

    def __init__(self, trial: TrialRequest) -> None:
        self.trial = trial
        self.workload: Workload = read(Path(trial.workload.path))
        self.shape = trial.shape
        self.depth = trial.shape.depth or 1
        self.lanes = (trial.shape.threads or 1) if trial.scenario in LANES else 1
        self.errors: Counter[str] = Counter()
        self.first_error: str | None = None
        self.units = 0
        self.sampled_ns = 0
        """Latencies of the units, together."""
        self.begin = 0
        """The first command of the slice; 0 while verifying."""
        self.taken = [0] * self.lanes
        """How far each walker has come in the slice."""
        self.misses = 0
        """GETs of the slice that the client's own cache, which never holds a thing, had no answer to."""
        self.lock = threading.Lock()
        self.idle: queue.LifoQueue[Connection] = queue.LifoQueue()
        self.connections: dict[int, Connection] = {}

    # What the walkers walk.

    @property
    def commands(self) -> int:
        """Return how many commands the workload has."""
        return self.workload.header.commands

    @property
    def firsts(self) -> list[int]:
        """Return where each walker begins."""
        part, count = self.trial.workload.part, self.trial.workload.parts * self.lanes
        places = [(part * self.lanes + lane) * self.commands // count for lane in range(self.lanes)]
        return [(self.begin + place) % self.commands for place in places]

    def command(self, index: int) -> Command:
        """Return a command of the workload, cyclically."""
        index %= self.commands
        kind, key = self.workload.header.mix[self.workload.kinds[index]], int(self.workload.keys[index])
        size = int(self.workload.sizes[index])
        return kind.name.encode(), *(self.word(argument, key, size) for argument in kind.arguments)

    def word(self, argument: Argument, key: int, size: int) -> bytes:
        """Return a word of a command."""
        if isinstance(argument, KeyArgument):
            return self.workload.key(key + argument.offset)
        if isinstance(argument, ValueArgument):
            return self.value(key + argument.offset, size)
        return argument.text.encode()

    def value(self, key: int, size: int) -> bytes:
        """Return a value."""
        return self.workload.value(key, size)

    # What is connected.

    def connect(self) -> Connection:
        """Open a connection."""
        target = self.trial.target
        password = None if target.password is None else target.password.get_secret_value()
        kind = Resp3Connection if self.speaks_resp3() else Connection
        connection = kind(target.host, target.port, target.unix_socket, password)
        connection.connect()
        return connection

    def speaks_resp3(self) -> bool:
        """Tell whether connections say HELLO 3."""
        return self.trial.client.options["protocol"] == RESP3

    def open(self) -> None:
        """Open what slices need."""
        if self.trial.scenario is Scenario.POOL:
            self.permits = threading.Semaphore(self.pool_size())
            for _ in range(min(self.pool_size(), self.most_idle())):
                self.idle.put(self.connect())
        elif self.trial.scenario is not Scenario.NEW_CONNECTION:
            self.connections = {lane: self.connect() for lane in range(self.lanes)}
        if self.trial.scenario is Scenario.CACHING:
            self.track()

    def track(self) -> None:
        """Ask the server to say what changes."""
        self.connections[0].call(b"CLIENT", b"TRACKING", b"ON")

    def local_cache(self) -> LocalCache | None:
        """Return what the client's own cache did in the slice."""
        is_caching = self.trial.scenario is Scenario.CACHING
        return LocalCache(hits=0, misses=self.misses, invalidations=0) if is_caching else None

    def pool_size(self) -> int:
        """Return how many connections the pool has."""
        return min(self.lanes, self.shape.max_total or 1)

    def close(self) -> None:
        """Close everything."""
        for connection in [*self.connections.values(), *self.idle.queue]:
            connection.close()

    # One unit of work in each scenario.

    @property
    def unit_size(self) -> int:
        """Return the commands of a unit."""
        return 1 if self.shape.window is Window.SLIDING else self.depth

    def perform(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Perform a unit; return its replies."""
        units: dict[Scenario, Callable[[int, Sequence[Command]], list[Reply]]] = {
            Scenario.POOL: self.pooled,
            Scenario.NEW_CONNECTION: self.once,
            Scenario.TRANSACTION: self.transaction,
        }
        return units.get(self.trial.scenario, self.batch)(lane, commands)

    def batch(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Send all, read all; one command is a batch of one."""
        connection = self.connections[lane]
        self.misses += sum(command[0] == b"GET" for command in commands)
        connection.send(commands)
        return connection.read(len(commands))

    def transaction(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Send a block, at once or command by command."""
        block = [(b"MULTI",), *commands, (b"EXEC",)]
        if self.shape.form is Form.QUEUED:
            replies = [self.connections[lane].call(*command) for command in block]
        else:
            replies = self.batch(lane, block)
        result = replies[-1]
        return result if isinstance(result, list) else []

    def pooled(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Borrow, one command, give back."""
        with self.permits:
            self.connections[lane] = self.borrow()
            try:
                return self.batch(lane, commands)
            except OSError:
                self.connections[lane] = self.connect()
                raise
            finally:
                self.give_back(self.connections.pop(lane))

    def borrow(self) -> Connection:
        """Take an idle connection, or open one."""
        try:
            return self.idle.get_nowait()
        except queue.Empty:
            return self.connect()

    def give_back(self, connection: Connection) -> None:
        """Keep a connection, if not enough are idle already."""
        with self.lock:
            if self.idle.qsize() < self.most_idle():
                self.idle.put(connection)
                return
        connection.close()

    def most_idle(self) -> int:
        """Return how many idle connections the pool keeps."""
        return self.pool_size() if self.shape.max_idle is None else self.shape.max_idle

    def once(self, lane: int, commands: Sequence[Command]) -> list[Reply]:
        """Connect, one command, close."""
        self.connections[lane] = self.connect()
        try:
            return self.batch(lane, commands)
        finally:
            self.connections.pop(lane).close()

    # The loops.

    def verify(self) -> int:
        """Check every reply of the first commands."""
        first = self.firsts[0]
        checked = 0
        while checked < self.trial.verify_commands:
            unit = range(first + checked, first + checked + self.unit_size)
            replies = self.perform(0, [self.command(index) for index in unit])
            for index, reply in zip(unit, replies, strict=True):
                self.check(index, reply)
            checked += self.unit_size
        return checked

    def check(self, index: int, reply: Reply) -> None:
        """Check one reply; of commands other than GET and SET, that it is no error, is all that this runner knows."""
        index %= self.commands
        name, key = self.command(index)[0], int(self.workload.keys[index])
        if name not in {b"GET", b"SET"}:
            return
        exists = key < self.workload.header.preload_keys
        if name == b"SET":
            right = reply == b"OK"
        elif isinstance(reply, bytes):
            right = exists and reply == self.workload.value(key, len(reply))
        else:
            right = not exists and reply is None
        if not right:
            message = f"wrong reply to command {index}, {name.decode()} of key {key}"
            raise WrongReplyError(message)

    def go_to(self, first_command: int) -> None:
        """Begin a slice."""
        self.begin, self.taken = first_command, [0] * self.lanes
        self.errors.clear()
        self.first_error = None

    def walk(self, seconds: float) -> list[int]:
        """Run every lane until the time is over, from where it stopped; return the commands that each completed."""
        done = [0] * self.lanes
        deadline = time.monotonic() + seconds
        work = self.slide if self.shape.window is Window.SLIDING else self.closed_loop

        def lane_loop(lane: int) -> None:
            done[lane] = work(lane, deadline)

        threads = [threading.Thread(target=lane_loop, args=(lane,)) for lane in range(self.lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if -1 in done:
            message = "too many units failed in a row"
            raise TargetLostError(message)
        return done

    def closed_loop(self, lane: int, deadline: float) -> int:
        """Perform one unit after the other."""
        done = failed = 0
        while failed < LOST_AFTER:
            first = self.firsts[lane] + self.taken[lane]
            self.taken[lane] += self.unit_size
            commands = [self.command(index) for index in range(first, first + self.unit_size)]
            begun_ns = time.monotonic_ns()
            try:
                self.perform(lane, commands)
                done, failed = done + self.unit_size, 0
                self.completed(begun_ns)
            except (ReplyError, OSError) as error:
                failed += 1
                self.failed(error)
                self.reconnect(lane, error)
            if done >= self.least_commands and time.monotonic() >= deadline:
                return done
        return -1

    def slide(self, lane: int, deadline: float) -> int:
        """Keep `depth` commands in flight, one sent for each reply."""
        first = self.firsts[lane] + self.taken[lane]
        done, taken, flying = 0, self.depth, self.depth
        begun_ns = deque([time.monotonic_ns()] * self.depth)
        self.connections[lane].send([self.command(first + offset) for offset in range(self.depth)])
        while flying:
            try:
                self.connections[lane].read(1)
                done += 1
                self.completed(begun_ns[0])
            except ReplyError as error:
                self.failed(error)
            except OSError as error:
                for _ in range(flying):
                    self.failed(error)
                self.reconnect(lane, error)
                flying = 1
            flying -= 1
            begun_ns.popleft()
            if time.monotonic() < deadline:
                begun_ns.append(time.monotonic_ns())
                self.connections[lane].send([self.command(first + taken)])
                taken, flying = taken + 1, flying + 1
        self.taken[lane] += taken
        return done

    def completed(self, begun_ns: int) -> None:
        """Count a unit, and how long it took."""
        with self.lock:
            self.units += 1
            self.sampled_ns += time.monotonic_ns() - begun_ns

    def failed(self, error: Exception) -> None:
        """Count an error."""
        with self.lock:
            self.errors[type(error).__name__] += 1
            self.first_error = self.first_error or str(error) or type(error).__name__

    def reconnect(self, lane: int, error: Exception) -> None:
        """Replace a connection that is lost."""
        if isinstance(error, OSError) and lane in self.connections:
            self.connections[lane] = self.connect()
