"""redis-py from version 3 on, as its documentation has it; asyncio, clusters and Sentinel by its own modules.

redis.asyncio's pipelining, many commands awaited together, is not pipelining on the wire: it borrows one connection for
each command in flight. Only the commands of a pipeline object share a connection, and that is batching.
"""

import importlib
import re
import socket
import ssl
import sys
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, Final

COMMANDS: Final = {
    name: name.lower()
    for name in (
        *("GET", "SET", "SETEX", "GETRANGE", "MGET", "MSET", "EXPIRE", "INCRBY"),
        *("LPUSH", "LTRIM", "LRANGE", "HGETALL", "SADD", "ZADD", "PING"),
    )
}
ON_PIPELINES: Final = frozenset({"batching", "transaction"})
"""Scenarios whose commands are sent on a pipeline, where those of several keys are of one slot."""
MAX_CONNECTIONS: Final = 100
"""Of each node's pool, as installed since version 8; more before."""
WATCHED: Final = "respmark"
"""What sentinels call the primary."""
WITH_CLIENTS: Final = frozenset({"sync", "pipelining", "threads", "pool"})
"""Scenarios whose commands are sent on a client, and not on a pipeline."""
KEEP_ALIVE: Final = {
    socket.TCP_KEEPIDLE: 1,
    socket.TCP_KEEPINTVL: 1,
    socket.TCP_KEEPCNT: 1,
    socket.TCP_USER_TIMEOUT: 1000,
}
"""A connection is given up after a second or two without a sign of life."""
NO_CACHE: Final = "client-side caching is supported by"
"""Part of what the library says if it does not cache for this server."""


def load(trial: SimpleNamespace) -> "Blocking":
    """Import the library with the trial's options."""
    if trial.options["parser"] == "python":
        # What a user without hiredis has: the import fails, so parser and packer are both pure Python.
        sys.modules["hiredis"] = None  # type: ignore[assignment]
    return Asyncio(trial) if trial.options["api"] == "asyncio" else Blocking(trial)


class Blocking:
    """redis.Redis."""

    kind = "blocking"
    name = "redis"

    def __init__(self, trial: SimpleNamespace) -> None:
        self.trial = trial
        self.redis = importlib.import_module("redis")
        self.version = tuple(map(int, re.findall(r"\d+", self.redis.__version__)[:2]))
        self.module = importlib.import_module(self.name)
        """What the API's clients and pools come from."""
        self.is_cluster = trial.server.get("cluster", False)
        self.sentinels = [tuple(one) for one in trial.server.get("sentinels", [])]
        self.client = getattr(self.module, "RedisCluster" if self.is_cluster else "Redis")
        """What a client is made of."""
        self.limits = trial.options.get("limits")
        """What bounds a wait, where the server is to fail."""
        self.arguments = self.server_arguments() | self.limit_arguments()
        self.commands = {name: getattr(self.client, method) for name, method in COMMANDS.items()}
        if self.is_cluster and trial.scenario not in ON_PIPELINES:
            self.commands |= self.across_slots()
        self.commands["*"] = lambda client, words: client.execute_command(*words)
        if trial.options["client"] == "per-call" and trial.scenario in WITH_CLIENTS:
            self.commands = {name: self.called_anew(method) for name, method in self.commands.items()}
        self.versions = {"redis-py": self.redis.__version__}
        if trial.options["parser"] != "python":
            self.versions["hiredis"] = importlib.import_module("hiredis").__version__
        if trial.server["tls"]:
            self.versions["OpenSSL"] = ssl.OPENSSL_VERSION
        values = "str" if trial.options["decode"] == "text" else "bytes"
        self.settings = {"keys_given_as": "str", "values_given_as": values}
        self.misses = self.invalidations = 0
        self.parser = self.parser_class()

    def server_arguments(self) -> dict[str, Any]:
        """Return the arguments of a client; what the trial does not ask for stays as installed."""
        server, options = self.trial.server, self.trial.options
        if self.sentinels:
            given = {}
        elif server["unix_socket"] is None:
            given = {"host": server["host"], "port": server["port"]}
        else:
            given = {"unix_socket_path": server["unix_socket"]}
        given["password"] = server["password"]
        if self.is_cluster:
            given |= self.read_arguments(options.get("reads", "primary"))
        else:
            given["db"] = server["database"]
        if server["username"] is not None:
            given["username"] = server["username"]
        if options["decode"] == "text":
            given["decode_responses"] = True
        # The default is not passed: old versions do not take it, and since version 8 RESP3 replies look like those of
        # RESP2 by default, and do not when it is passed.
        if options["protocol"] != (3 if self.version >= (8,) else 2):
            given["protocol"] = options["protocol"]
        return given | tls_arguments(server["tls"])

    def read_arguments(self, reads: str) -> dict[str, Any]:
        """Return the arguments that say which nodes of a cluster are read from; none where it is the primary."""
        if reads == "primary":
            return {}
        if self.version < (5, 3):
            return {"read_from_replicas": True}
        ways = importlib.import_module("redis.cluster").LoadBalancingStrategy
        return {"load_balancing_strategy": ways.ROUND_ROBIN if reads == "any" else ways.ROUND_ROBIN_REPLICAS}

    def limit_arguments(self) -> dict[str, Any]:
        """Return the arguments that bound a wait; none where all is as installed."""
        if self.limits not in {"1s", "strict"}:
            return {}
        given: dict[str, Any] = {"socket_connect_timeout": 1, "socket_timeout": 1}
        if self.limits == "1s":
            return given
        given |= {"socket_keepalive": True, "socket_keepalive_options": KEEP_ALIVE}
        if self.version >= (4,):
            no_backoff = importlib.import_module("redis.backoff").NoBackoff()
            given["retry"] = importlib.import_module(f"{self.name}.retry").Retry(no_backoff, 0)
        return given

    def parser_class(self) -> Any:
        """Return the pure-Python parser for a client that still packs with hiredis; None: as installed."""
        if self.trial.options["parser"] != "python-parser":
            return None
        if self.version < (5,):
            return importlib.import_module(f"{self.name}.connection").PythonParser
        parsers = importlib.import_module("redis._parsers")
        prefix = "_Async" if self.kind == "async" else "_"
        return getattr(parsers, f"{prefix}RESP{self.trial.options['protocol']}Parser")

    def called_anew(self, method: Any) -> Any:
        """Return the method, called on a client that each call makes for itself, with the pool of the shared one."""
        redis = self.module.Redis
        return lambda client, *words: method(redis(connection_pool=client.connection_pool), *words)

    def connect(self, connections: int = 1) -> Any:
        """Return a client; its pool has room for so many connections."""
        if self.is_cluster:
            # A client connects as soon as it is made: none is made to be looked at.
            more = {"max_connections": connections} if connections > MAX_CONNECTIONS else {}
            return self.client(**self.arguments, **more)
        make = self.watched if self.sentinels else self.client
        client = make(**self.arguments)
        if connections > client.connection_pool.max_connections:
            client = make(**self.arguments, max_connections=connections)
        return self.with_parser(client)

    def watched(self, **arguments: Any) -> Any:
        """Return a client of the primary, whose pool asks a sentinel before it connects."""
        own = {"password": self.trial.server["password"], **self.limit_arguments()}
        sentinels = importlib.import_module(f"{self.name}.sentinel").Sentinel(self.sentinels, sentinel_kwargs=own)
        return sentinels.master_for(WATCHED, **arguments)

    def with_parser(self, client: Any) -> Any:
        """Set the parser before the client's pool makes any connection."""
        if self.parser is not None and not self.is_cluster:
            client.connection_pool.connection_kwargs["parser_class"] = self.parser
        return client

    def open(self, client: Any, connections: int) -> Any:
        """Open connections, so that no unit has to."""
        for pool in self.pools(client):
            try:
                opened = [pool.get_connection(*self.command_name) for _ in range(connections)]
            except self.redis.ConnectionError as error:
                raise self.explained(error) from error
            for connection in opened:
                pool.release(connection)

    def explained(self, error: Exception) -> Exception:
        """Return what it means that a client cannot connect: the library may not cache for this server."""
        if NO_CACHE not in str(error):
            return error
        return NotImplementedError(f"this server is none that redis-py caches for: {error}")

    def pools(self, client: Any) -> list[Any]:
        """Return a client's pools: of a cluster, that of each node that it uses."""
        if not self.is_cluster:
            return [client.connection_pool]
        return [client.get_redis_connection(node).connection_pool for node in self.nodes(client)]

    def nodes(self, client: Any) -> Any:
        """Return the nodes of a cluster that a client uses."""
        is_primary = self.trial.options.get("reads", "primary") == "primary"
        return client.get_primaries() if is_primary else client.get_nodes()

    def across_slots(self) -> dict[str, Any]:
        """Return the methods that send commands of several keys to whichever nodes of a cluster have them."""
        mget, mset = self.client.mget_nonatomic, self.client.mset_nonatomic
        return {"MGET": mget, "MSET": lambda client, mapping: all(mset(client, mapping))}

    @property
    def command_name(self) -> tuple[str, ...]:
        """Return the arguments of a pool's `get_connection`: before version 5.3 it wants the name of a command."""
        return ("_",) if self.version < (5, 3) else ()

    def batch(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once, in a pipeline."""
        return filled(client.pipeline(transaction=False), commands).execute()

    def transaction(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once, between MULTI and EXEC."""
        return filled(client.pipeline(transaction=True), commands).execute()

    def pool(self, max_total: int, _max_idle: int | None, wait_s: float) -> Any:
        """Return a client whose pool makes threads wait for a connection, otherwise set as elsewhere."""
        module, given = self.module, dict(self.arguments)
        if self.is_cluster:
            # Its nodes have pools of a class of one's own only if it is made from a URL.
            scheme = "rediss" if given.pop("ssl", False) else "redis"
            url = f"{scheme}://{given.pop('host')}:{given.pop('port')}"
            pools = {"connection_pool_class": module.BlockingConnectionPool, "max_connections": max_total}
            return self.client.from_url(url, **given, **pools, timeout=wait_s)
        # A pool that is made by hand does not retry; one that a client makes retries as the client does.
        plain = module.Redis(**given).connection_pool.connection_kwargs
        if "retry" in plain and self.limits is None:
            given["retry"] = plain["retry"]
        if given.pop("ssl", False):
            given["connection_class"] = module.SSLConnection
        if path := given.pop("unix_socket_path", None):
            given |= {"connection_class": module.UnixDomainSocketConnection, "path": path}
        if self.limits != "installed":
            given["timeout"] = wait_s if self.limits is None else 1
        pool = module.BlockingConnectionPool(max_connections=max_total, **given)
        return self.with_parser(module.Redis(connection_pool=pool))

    def cache(self, entries: int) -> Any:
        """Return a client with a cache of its own, of which misses and invalidations are counted: a hit costs nothing.

        The library reports them only if OpenTelemetry is set up, which would cost every command.
        """
        library = importlib.import_module("redis.cache")
        config = library.CacheConfig(max_size=entries, cache_class=self.counted_cache)
        try:
            return self.with_parser(self.client(**self.arguments, cache_config=config))
        except importlib.import_module("redis.exceptions").RedisClusterException as error:
            raise self.explained(error) from error

    def counted_cache(self, cache_config: Any) -> Any:
        """Return the library's own cache."""
        library = importlib.import_module("redis.cache")
        cache = library.DefaultCache(cache_config)
        take_in, drop, about_to_be_sent = cache.set, cache.delete_by_redis_keys, library.CacheEntryStatus.IN_PROGRESS

        def counted_take_in(entry: Any) -> Any:
            self.misses += entry.status is about_to_be_sent
            return take_in(entry)

        def counted_drop(keys: Any) -> Any:
            dropped = drop(keys)
            self.invalidations += len(dropped)
            return dropped

        cache.set, cache.delete_by_redis_keys = counted_take_in, counted_drop
        return cache

    def asked(self, client: Any) -> Any:
        """Return the clients of sentinels that a client's pool asks: whoever has closed it closes those, too."""
        return client.connection_pool.sentinel_manager.sentinels if self.sentinels else []

    def counts(self) -> dict[str, int | None]:
        """Return what the cache did since the last time; hits are not counted."""
        since = {"hits": None, "misses": self.misses, "invalidations": self.invalidations}
        self.misses = self.invalidations = 0
        return since

    def close(self, client: Any) -> Any:
        """Close a client; before version 5, its `close` leaves the connections to the garbage collector."""
        for one in self.asked(client):
            one.close()
        if self.version < (5,) and not self.is_cluster:
            client.connection_pool.disconnect()
        else:
            client.close()


class Asyncio(Blocking):
    """redis.asyncio.Redis."""

    kind = "async"
    name = "redis.asyncio"

    async def connect(self, connections: int = 1) -> Any:
        """Return a client; its pool has room for so many connections."""
        return super().connect(connections)

    async def open(self, client: Any, connections: int) -> None:
        """Open connections, so that no unit has to."""
        if self.is_cluster:
            await opened_on(self.nodes(await client.initialize()), connections)
            return
        pool = client.connection_pool
        opened = [await pool.get_connection(*self.command_name) for _ in range(connections)]
        for connection in opened:
            await pool.release(connection)

    def across_slots(self) -> dict[str, Any]:
        """Return the methods that send commands of several keys to whichever nodes of a cluster have them."""
        mget, mset = self.client.mget_nonatomic, self.client.mset_nonatomic

        async def mset_all(client: Any, mapping: Any) -> bool:
            return all(await mset(client, mapping))

        return {"MGET": mget, "MSET": mset_all}

    async def pool(self, max_total: int, max_idle: int | None, wait_s: float) -> Any:
        """Return a client whose pool makes tasks wait for a connection."""
        return super().pool(max_total, max_idle, wait_s)

    async def close(self, client: Any) -> None:
        """Close a client; `aclose` came with version 5.0.1."""
        for one in (client, *self.asked(client)):
            await (one.aclose if hasattr(one, "aclose") else one.close)()


async def opened_on(nodes: Any, connections: int) -> None:
    """Open so many connections to each of these nodes."""
    for node in nodes:
        opened = [node.acquire_connection() for _ in range(connections)]
        for connection in opened:
            await connection.connect()
            node.release(connection)


def filled(pipeline: Any, commands: Iterable[Any]) -> Any:
    """Return the pipeline with these commands in it."""
    for key, (call, value) in commands:
        if value is None:
            call(pipeline, key)
        else:
            call(pipeline, key, value)
    return pipeline


def tls_arguments(tls: dict[str, Any] | None) -> dict[str, Any]:
    """Return the arguments of a client that speaks TLS."""
    if tls is None:
        return {}
    given = {"ssl_ca_certs": tls["ca_file"], "ssl_certfile": tls["certificate_file"], "ssl_keyfile": tls["key_file"]}
    checks = {} if tls["verify"] else {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
    return {"ssl": True, **{name: file for name, file in given.items() if file}, **checks}
