"""Loads of redis-py in this process, one mistake each, and what `respmark triage` is to find.

tests/triage runs each of them against a server of its own and compares; docs/triage.md has the table. `LOADS` are in
the order of that table.
"""

import asyncio
import contextlib
import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import redis
import redis.asyncio

Client = Any
"""redis-py's; much of it is untyped."""
Connect = Callable[..., Client]
"""Makes a client of the load's server; options as redis-py has them."""
MEBIBYTE: Final = 2**20


def _nothing(_: Client) -> None:
    """Prepare nothing."""


@dataclass(frozen=True)
class Load:
    """One way of using a server."""

    name: str
    does: str
    """What is wrong, as the table says it; of a clean load, what it does."""
    finds: tuple[str, ...]
    """The findings, and no others."""
    work: Callable[[Connect], Callable[[], object]] | None = None
    """Returns what is done again and again; None: nothing is done after the preparation."""
    prepare: Callable[[Client], object] = _nothing
    holds: Callable[[Connect], object] | None = None
    """Makes connections that stay open, and returns them."""
    settings: tuple[str, ...] = ()
    """Of the server."""
    keys: int = 0
    """How many keys triage is to look at."""


@contextlib.contextmanager
def running(load: Load, connect: Connect) -> Iterator[None]:
    """Let a load run on its server."""
    with contextlib.closing(connect()) as client:
        load.prepare(client)
        held = load.holds(connect) if load.holds else None
        client.slowlog_reset()  # the preparation is none of the load's
    stop, begun, threads = threading.Event(), threading.Event(), list[threading.Thread]()
    work = load.work(connect) if load.work else None
    if work:
        threads = [threading.Thread(target=_repeat, args=(work, stop, begun))]
        threads[0].start()
        begun.wait()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        if isinstance(work, _InFlight):
            work.close()
        del held


def _repeat(work: Callable[[], object], stop: threading.Event, begun: threading.Event) -> None:
    while not stop.is_set():
        with contextlib.suppress(redis.ResponseError):
            work()
        begun.set()


def _churn(connect: Connect) -> Callable[[], object]:
    client = connect()

    def work() -> None:
        client.get("key")
        client.connection_pool.disconnect()

    return work


def _loop(connect: Connect) -> Callable[[], object]:
    """Return SETs of one key after another, as fast as a connection of redis-py sends what was packed before."""
    client = connect()
    connection = client.connection_pool.get_connection()
    packed = itertools.cycle([connection.pack_command("SET", f"key:{number}", "value") for number in range(1_000)])

    def work() -> object:
        connection.send_packed_command(next(packed))
        connection.read_response()
        return client

    return work


def _each(send: Callable[[Client, int], object], **options: Any) -> Callable[[Connect], Callable[[], object]]:  # noqa: ANN401 - redis-py's
    """Return work that one client does with a number that grows."""

    def begin(connect: Connect) -> Callable[[], object]:
        client, numbers = connect(**options), itertools.count()
        return lambda: send(client, next(numbers))

    return begin


def _set_then_expire(client: Client, number: int) -> None:
    client.set(f"key:{number % 1000}", "value")
    client.expire(f"key:{number % 1000}", 60)


def _select(client: Client, number: int) -> None:
    client.execute_command("SELECT", number % 2)
    client.get("key")


def _authenticate(connect: Connect) -> Callable[[], object]:
    """Return what sends AUTH on one connection: redis-py's client would close it after the error."""
    client = connect()
    connection = client.connection_pool.get_connection()

    def work() -> object:
        for words in (("GET", "key"), ("AUTH", "")):
            connection.send_command(*words)
            with contextlib.suppress(redis.AuthenticationError):
                connection.read_response(disconnect_on_error=False)
        return client

    return work


def _contended(connect: Connect) -> Callable[[], object]:
    """Return what four clients do at the same time: of their transactions, the first changes what all have watched."""
    pipes = [connect().pipeline() for _ in range(4)]

    def work() -> None:
        for number, pipe in enumerate(pipes):
            pipe.watch("counter")
            pipe.get(f"step:{number}")
            pipe.get("counter")
        for pipe in pipes:
            pipe.multi()
            pipe.set("counter", "1")
            with contextlib.suppress(redis.WatchError):
                pipe.execute()

    return work


def _poll(client: Client, _: int) -> None:
    client.lpop("queue")
    time.sleep(0.001)


def _batch(client: Client, number: int, *, transaction: bool = False) -> None:
    with client.pipeline(transaction=transaction) as pipe:
        for place in range(50):
            key = f"key:{(number * 50 + place) % 5_000}"
            pipe.set(key, "value") if place % 5 == 0 else pipe.get(key)
        pipe.execute()


def _fill(client: Client, number: int) -> None:
    with client.pipeline(transaction=False) as pipe:
        for place in range(50):
            pipe.set(f"key:{number * 50 + place}", bytes(1_000))
        pipe.execute(raise_on_error=False)


def _filled(client: Client) -> None:
    for number in range(100, 200):
        _fill(client, number)


def _keys(count: int) -> Callable[[Client], object]:
    def prepare(client: Client) -> None:
        for first in range(0, count, 10_000):
            client.mset({f"key:{number}": "value" for number in range(first, min(count, first + 10_000))})

    return prepare


def _members(name: str, count: int) -> Callable[[Client], object]:
    def prepare(client: Client) -> None:
        for first in range(0, count, 10_000):
            client.sadd(name, *(f"m{number}" for number in range(first, first + 10_000)))

    return prepare


def _two_sets(client: Client) -> None:
    _members("one", 100_000)(client)
    _members("two", 100_000)(client)


def _mixed(client: Client, _number: int = 0) -> None:
    """Send a SET or four times as often a GET: not by turns, or what a thread sent last is always the same."""
    number = random.randrange(5_000)  # noqa: S311 - a load's key, no secret
    key = f"key:{number // 5}"
    client.set(key, "value") if number % 5 == 0 else client.get(key)


def _deaf_subscriber(connect: Connect) -> object:
    """Return a subscriber that never reads, for whom messages wait."""
    client, publisher = connect(), connect()
    subscriber = client.pubsub()
    subscriber.subscribe("news")
    subscriber.get_message(timeout=5)
    for _ in range(200):
        publisher.publish("news", bytes(65_536))
    publisher.close()
    return client, subscriber


def _deaf_reader(connect: Connect) -> object:
    """Return a connection that asks and never reads."""
    client = connect()
    connection = client.connection_pool.get_connection()
    for _ in range(20):
        connection.send_command("GET", "large")
    return client, connection


def _many_connections(connect: Connect) -> object:
    clients = [connect() for _ in range(18)]
    for client in clients:
        client.ping()
    return clients


def _threads(connect: Connect) -> Callable[[], object]:
    """Return the work of ten threads that share a client."""
    return _of_threads(connect())


def _pool(connect: Connect) -> Callable[[], object]:
    """Return the work of ten threads that borrow from a pool of ten connections, and wait where none is free."""
    settings = connect().connection_pool.connection_kwargs
    pool: Any = redis.BlockingConnectionPool  # untyped
    return _of_threads(redis.Redis.from_pool(pool(max_connections=10, **settings)))  # closes it, too


class _InFlight:
    """Fifty GETs and SETs at a time, awaited together."""

    def __init__(self, connect: Connect) -> None:
        settings = connect().connection_pool.connection_kwargs
        self._client = redis.asyncio.Redis(host=settings["host"], port=settings["port"])
        self._loop = asyncio.new_event_loop()

    def __call__(self) -> None:
        self._loop.run_until_complete(self._together())

    def close(self) -> None:
        """Close its connections, which takes the loop that opened them."""
        self._loop.run_until_complete(self._client.aclose())
        self._loop.close()

    async def _together(self) -> None:
        sent = (
            self._client.set(f"key:{place}", "value") if place % 5 == 0 else self._client.get(f"key:{place}")
            for place in range(50)
        )
        await asyncio.gather(*sent)


def _of_threads(client: Client) -> Callable[[], object]:
    def one_thread() -> None:
        for _ in range(20):
            _mixed(client)

    def work() -> None:
        threads = [threading.Thread(target=one_thread) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return work


SCRIPT: Final = "local sum = 0 for i = 1, 1000000 do sum = sum + i end return sum"
WRONG: Final = (
    Load("a connection for each command", "connect, GET, close", ("connection-churn",), _churn),
    Load(
        "one SET after another",
        "SET of one key after another in a loop, on one connection",
        ("one-at-a-time",),
        _loop,
    ),
    Load(
        "KEYS",
        "KEYS * in a database of 10,000 keys",
        ("keys-command",),
        _each(lambda client, _: client.keys("*")),
        _keys(10_000),
    ),
    Load(
        "SMEMBERS of a large set",
        "SMEMBERS of 50,000 members",
        ("whole-key-reads",),
        _each(lambda client, _: client.smembers("set")),
        _members("set", 50_000),
    ),
    Load(
        "a slow script",
        "EVAL of a loop of a million steps",
        ("slow-scripts",),
        _each(lambda client, _: client.eval(SCRIPT, 0)),
    ),
    Load(
        "a slow command",
        "SUNIONSTORE of two sets of 100,000 members",
        ("slow-commands",),
        _each(lambda client, _: client.sunionstore("both", ["one", "two"])),
        _two_sets,
    ),
    Load("SET, then EXPIRE", "SET and EXPIRE of the same key, in turn", ("set-then-expire",), _each(_set_then_expire)),
    Load(
        "SELECT before each command",
        "SELECT and GET in turn, between two databases",
        ("select-churn",),
        _each(_select, single_connection_client=True),
    ),
    Load(
        "AUTH with an empty password",
        'AUTH "" and GET in turn, on a server without a password',
        ("auth-churn",),
        _authenticate,
    ),
    Load("a list is polled", "LPOP of an empty list, every millisecond", ("polling",), _each(_poll)),
    Load(
        "conflicts of WATCH",
        "four clients that change one key with WATCH, GET, MULTI, SET and EXEC",
        ("watch-conflicts",),
        _contended,
    ),
    Load(
        "the wrong type",
        "LPUSH to a string",
        ("errors-in-series",),
        _each(lambda client, _: client.lpush("text", "value")),
        lambda client: client.set("text", "value"),
    ),
    Load(
        "full memory",
        "SET with `maxmemory 3mb` and no eviction",
        ("out-of-memory",),
        _each(_fill),
        settings=("--maxmemory", "3mb"),
    ),
    Load(
        "evictions",
        "SET with `maxmemory 5mb` and `allkeys-lru`",
        ("evictions",),
        _each(_fill),
        _filled,
        settings=("--maxmemory", "5mb", "--maxmemory-policy", "allkeys-lru"),
    ),
    Load(
        "a slow subscriber",
        "a subscriber that does not read 12.5 MiB of messages",
        ("slow-subscribers",),
        holds=_deaf_subscriber,
    ),
    Load(
        "a slow reader",
        "GETs of a large value, whose replies are not read",
        ("slow-readers",),
        prepare=lambda client: client.set("large", bytes(MEBIBYTE)),
        holds=_deaf_reader,
    ),
    Load(
        "too many connections",
        "18 connections with `maxclients 20`",
        ("clients-near-limit",),
        holds=_many_connections,
        settings=("--maxclients", "20"),
    ),
    Load(
        "a large key",
        "a value of 3 MiB, with `--keys 100`",
        ("big-keys",),
        prepare=lambda client: client.set("large", bytes(3 * MEBIBYTE)),
        keys=100,
    ),
    Load(
        "keys without an expiry",
        "2,000 keys without an expiry, with `volatile-lru`",
        ("keys-without-expiry",),
        prepare=_keys(2_000),
        settings=("--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru"),
    ),
)
CLEAN: Final = (
    Load("`sync`", "GETs and SETs, one at a time, 80 % and 20 %", (), _each(_mixed)),
    Load("`batching`", "batches of 50 GETs and SETs", (), _each(_batch)),
    Load(
        "`transaction`",
        "MULTI, 50 GETs and SETs, EXEC",
        (),
        _each(lambda client, number: _batch(client, number, transaction=True)),
    ),
    Load("`threads`", "ten threads that share a client", (), _threads),
    Load("`pool`", "ten threads that borrow from a pool of ten connections", (), _pool),
    Load("`pipelining`", "50 GETs and SETs that are awaited together", (), _InFlight),
    Load("nothing", "an idle server", ()),
)
LOADS: Final[Sequence[Load]] = (*WRONG, *CLEAN)
