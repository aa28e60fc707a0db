"""coredis, used as its documentation does: clients are entered with `async with`, and pipelines end with their block.

Commands that do not block share a connection: a burst of tasks is pipelining on the wire.
"""

import asyncio
import contextlib
import importlib
import importlib.metadata
import os
import ssl
from collections.abc import AsyncIterator, Iterable
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

SAME: Final = (
    "GET",
    "SET",
    "GETRANGE",
    "MGET",
    "MSET",
    "EXPIRE",
    "INCRBY",
    "LTRIM",
    "LRANGE",
    "HGETALL",
    "ZADD",
    "PING",
)
"""Commands whose methods have the same names in lower case, and take their arguments in the same order."""
WATCHED: Final = "respmark"
"""What sentinels call the primary."""
FIRST_WITH_LIFETIMES: Final = 6
"""The first major version whose clients and pipelines are entered and left."""


def load(trial: SimpleNamespace) -> "Asyncio":
    """Import the library with the trial's options."""
    if trial.options["optimized"]:
        os.environ["COREDIS_OPTIMIZED"] = "true"
    is_old = int(importlib.import_module("coredis").__version__.partition(".")[0]) < FIRST_WITH_LIFETIMES
    if is_old:
        return OldAsyncio(trial)
    return Watched(trial) if trial.server.get("sentinels") else Asyncio(trial)


class Life(NamedTuple):
    """The task that has entered a client, and what ends it."""

    task: "asyncio.Task[None]"
    is_over: asyncio.Event


class Asyncio:
    """coredis.Redis, or coredis.RedisCluster."""

    kind = "async"
    packages: tuple[str, ...] = ("coredis", "anyio")

    def __init__(self, trial: SimpleNamespace) -> None:
        self.module = importlib.import_module("coredis")
        self.is_cluster: bool = trial.server.get("cluster", False)
        self.client_class = self.module.RedisCluster if self.is_cluster else self.module.Redis
        self.arguments = arguments(trial) | limit_arguments(trial.options.get("limits"))
        self.commands = {
            **{name: getattr(self.client_class, name.lower()) for name in SAME},
            "SETEX": lambda client, key, seconds, value: client.setex(key, value, seconds),
            "LPUSH": lambda client, key, value: client.lpush(key, [value]),
            "SADD": lambda client, key, value: client.sadd(key, [value]),
            "*": lambda client, words: client.create_request(*words, callback=unchanged),
            "*words": lambda name, *words: (name.encode(), *words),
        }
        if self.is_cluster:
            # By these keys it finds the node.
            self.commands["*key"] = importlib.import_module("coredis.typing").Key
        self.versions = {package: importlib.metadata.version(package) for package in self.packages}
        if trial.server["tls"]:
            self.versions["OpenSSL"] = ssl.OPENSSL_VERSION
        values = "str" if trial.options["decode"] == "text" else "bytes"
        self.settings = {"keys_given_as": "str", "values_given_as": values}
        self.is_entered_here = trial.scenario == "new-connection"
        """Whether the task that connects also closes, as a program does that has one command to send."""
        self.lives: dict[Any, Life] = {}
        self.misses = self.invalidations = 0

    async def connect(self, _connections: int = 1) -> Any:
        """Return a client; commands of any number of tasks share its connection."""
        return await self.entered(self.client_class(**self.arguments))

    async def entered(self, context: Any) -> Any:
        """Enter a client. The task that enters one must leave it: where several share it, it has a task of its own."""
        if self.is_entered_here:
            return await context.__aenter__()
        entered, is_over = asyncio.get_running_loop().create_future(), asyncio.Event()
        task = asyncio.create_task(live(context, entered, is_over))
        await asyncio.wait([task, entered], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        client = entered.result()
        self.lives[client] = Life(task, is_over)
        return client

    async def open(self, client: Any, _connections: int) -> None:
        """Open the connection, or one to each node that is used, so that no unit has to."""
        pool = client.connection_pool
        if not self.is_cluster:
            pool.release(await pool.get_connection())
            return
        for node in pool.cluster_layout.nodes:
            if pool.read_from_replicas or node.server_type == "primary":
                pool.release(await pool.get_connection(node=node))

    async def batch(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once, in a pipeline."""
        return await self.executed(client.pipeline(transaction=False), commands)

    async def transaction(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once, between MULTI and EXEC."""
        return await self.executed(client.pipeline(transaction=True), commands)

    async def executed(self, pipeline: Any, commands: Iterable[Any]) -> Any:
        """Return the replies to these commands, which are sent when the pipeline is left."""
        async with pipeline:
            fill(pipeline, commands)
        return pipeline.results

    async def cache(self, entries: int) -> Any:
        """Return a client with a cache of its own, of which misses and invalidations are counted."""
        return await self.entered(self.client_class(**self.arguments, cache=self.counted_cache(entries)))

    def counted_cache(self, entries: int) -> Any:
        """Return the library's own cache, in which keys that do not exist are not kept: they are misses every time."""
        cache = importlib.import_module("coredis.patterns.cache").LRUCache(max_keys=entries)
        put, invalidate, stored = cache.put, cache.invalidate, cache._storage  # noqa: SLF001 - it counts no entries

        def counted_put(*words: Any, value: Any) -> None:
            self.misses += 1
            if value is not None:
                put(*words, value=value)

        def counted_invalidate(*keys: Any) -> None:
            before = len(stored)
            invalidate(*keys)
            self.invalidations += before - len(stored)

        cache.put, cache.invalidate = counted_put, counted_invalidate
        return cache

    def counts(self) -> dict[str, int | None]:
        """Return what the cache did since the last time; hits are not counted."""
        since = {"hits": None, "misses": self.misses, "invalidations": self.invalidations}
        self.misses = self.invalidations = 0
        return since

    async def close(self, client: Any) -> None:
        """Leave a client, which closes its connections."""
        if self.is_entered_here:
            await client.__aexit__(None, None, None)
        else:
            life = self.lives.pop(client)
            life.is_over.set()
            await life.task


class Watched(Asyncio):
    """What coredis.Sentinel makes: a client of the primary, whose pool asks sentinels before it connects."""

    def __init__(self, trial: SimpleNamespace) -> None:
        super().__init__(trial)
        location = importlib.import_module("coredis.connection").TCPLocation
        self.sentinels = [location(*one) for one in trial.server["sentinels"]]
        self.of_primary = {name: value for name, value in self.arguments.items() if name not in {"host", "port"}}
        self.contexts: dict[Any, Any] = {}
        """Of clients that the task enters which also leaves them."""

    async def connect(self, _connections: int = 1) -> Any:
        """Return a client; commands of any number of tasks share its connection."""
        context = self.both()
        client = await self.entered(context)
        if self.is_entered_here:
            self.contexts[client] = context
        return client

    @contextlib.asynccontextmanager
    async def both(self) -> AsyncIterator[Any]:
        """Enter the clients of sentinels, and the primary's."""
        own = {"password": self.arguments["password"]}
        sentinels = self.module.Sentinel(self.sentinels, sentinel_kwargs=own, **self.of_primary)
        async with sentinels, sentinels.primary_for(WATCHED) as client:
            yield client

    async def close(self, client: Any) -> None:
        """Leave a client and those of sentinels."""
        if self.is_entered_here:
            await self.contexts.pop(client).__aexit__(None, None, None)
        else:
            await super().close(client)


class OldAsyncio(Asyncio):
    """Before version 6, clients are used as they are made, and pipelines are executed."""

    packages = ("coredis",)

    async def entered(self, client: Any) -> Any:
        """Return the client."""
        return client

    async def open(self, client: Any, _connections: int) -> None:
        """Open the connection, which the pool only makes, so that no unit has to."""
        await client.ping()

    async def executed(self, pipeline: Any, commands: Iterable[Any]) -> Any:
        """Return the replies to these commands."""
        made = await pipeline
        fill(made, commands)
        return await made.execute()

    async def close(self, client: Any) -> None:
        """Close its connections."""
        client.connection_pool.disconnect()


async def live(context: Any, entered: "asyncio.Future[Any]", is_over: asyncio.Event) -> None:
    """Enter a client, and leave it when it is over."""
    async with context as client:
        entered.set_result(client)
        await is_over.wait()


def unchanged(reply: Any, **_options: Any) -> Any:
    """Return the reply as it was decoded: how it looks otherwise is each method's own business."""
    return reply


def fill(pipeline: Any, commands: Iterable[Any]) -> None:
    """Put these commands into a pipeline."""
    for key, (call, value) in commands:
        if value is None:
            call(pipeline, key)
        else:
            call(pipeline, key, value)


def limit_arguments(limits: str | None) -> dict[str, Any]:
    """Return the arguments that bound a wait where a server is to fail; none where all is as installed."""
    if limits not in {"1s", "strict"}:
        return {}
    given: dict[str, Any] = {"connect_timeout": 1, "stream_timeout": 1, "pool_timeout": 1}
    if limits == "strict":
        given["retry_policy"] = importlib.import_module("coredis.retry").NoRetryPolicy()
    return given


def arguments(trial: SimpleNamespace) -> dict[str, Any]:
    """Return the arguments of a client; what the trial does not ask for stays as installed."""
    server, tls = trial.server, trial.server["tls"]
    if server["unix_socket"] is None:
        given = {"host": server["host"], "port": server["port"]}
    else:
        given = {"unix_socket_path": server["unix_socket"]}
    given |= {"username": server["username"], "password": server["password"]}
    if not server.get("cluster"):
        given["db"] = server["database"]
    elif trial.options["reads"] == "replica":
        given["read_from_replicas"] = True
    given |= {"decode_responses": trial.options["decode"] == "text"}
    if tls is None:
        return given
    files = {"ssl_ca_certs": tls["ca_file"], "ssl_certfile": tls["certificate_file"], "ssl_keyfile": tls["key_file"]}
    checks = {"ssl_cert_reqs": "required" if tls["verify"] else "none", "ssl_check_hostname": tls["verify"]}
    return given | {"ssl": True, **{name: file for name, file in files.items() if file}, **checks}
