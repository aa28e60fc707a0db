"""valkey-py, used as its documentation does; asyncio through valkey.asyncio.

Like redis.asyncio, from which it was forked, valkey.asyncio borrows one connection for each command in flight. Where
the server is a cluster, ValkeyCluster stands in Valkey's place, with a pool for each node; where sentinels name the
primary, Sentinel.master_for makes a client.
"""

import asyncio
import importlib
import socket
import sys
from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

METHODS: Final = (
    *("GET", "SET", "SETEX", "GETRANGE", "MGET", "MSET", "EXPIRE", "INCRBY"),
    *("LPUSH", "LTRIM", "LRANGE", "HGETALL", "SADD", "ZADD", "PING"),
)
"""Commands whose methods have the same names in lower case."""

WATCHED: Final = "respmark"
"""What sentinels call the primary."""
KEEP_ALIVE: Final = {
    socket.TCP_KEEPIDLE: 1,
    socket.TCP_KEEPINTVL: 1,
    socket.TCP_KEEPCNT: 1,
    socket.TCP_USER_TIMEOUT: 1000,
}
"""A connection is given up after a second or two without a sign of life."""


def load(trial: SimpleNamespace) -> "Blocking":
    """Import the library with the trial's options."""
    if trial.options["parser"] == "python":
        # What a user without libvalkey has: the import fails, so parser and packer are both pure Python.
        sys.modules["libvalkey"] = None  # type: ignore[assignment]
    return Asyncio(trial) if trial.options["api"] == "asyncio" else Blocking(trial)


class Blocking:
    """valkey.Valkey, or valkey.ValkeyCluster."""

    kind = "blocking"
    name = "valkey"

    def __init__(self, trial: SimpleNamespace) -> None:
        self.module = importlib.import_module(self.name)
        self.limits = trial.options.get("limits")
        """What bounds a wait, where the server is to fail."""
        self.is_cluster: bool = trial.server.get("cluster", False)
        self.sentinels = [tuple(one) for one in trial.server.get("sentinels", [])]
        self.arguments = arguments(trial) | limit_arguments(self.limits)
        self.client_class = self.module.ValkeyCluster if self.is_cluster else self.module.Valkey
        self.commands = {name: getattr(self.client_class, name.lower()) for name in METHODS}
        if self.is_cluster and trial.scenario != "batching":
            self.commands |= self.across_slots()
        self.commands["*"] = lambda client, words: client.execute_command(*words)
        self.versions = {"valkey": importlib.import_module("valkey").__version__}
        if trial.options["parser"] == "libvalkey":
            self.versions["libvalkey"] = importlib.import_module("libvalkey").__version__
        values = "str" if trial.options["decode"] == "text" else "bytes"
        self.settings = {"keys_given_as": "str", "values_given_as": values}

    def across_slots(self) -> dict[str, Any]:
        """Return the methods that split keys by their slots, which a pipeline does not have."""
        mget, mset = self.client_class.mget_nonatomic, self.client_class.mset_nonatomic
        return {"MGET": mget, "MSET": lambda client, pairs: all(mset(client, pairs))}

    def connect(self, _connections: int = 1) -> Any:
        """Return a client; its pool has room for any number of connections."""
        if not self.sentinels:
            return self.client_class(**self.arguments)
        # A client of the primary, whose pool asks a sentinel before it connects.
        own = {"password": self.arguments["password"], **limit_arguments(self.limits)}
        module = importlib.import_module(f"{self.name}.sentinel")
        return module.Sentinel(self.sentinels, sentinel_kwargs=own).master_for(WATCHED, **self.arguments)

    def asked(self, client: Any) -> Any:
        """Return the clients of sentinels that a client's pool asks: whoever has closed it closes those, too."""
        return client.connection_pool.sentinel_manager.sentinels if self.sentinels else []

    def open(self, client: Any, connections: int) -> Any:
        """Open connections to each node that is used, so that no unit has to."""
        nodes = map(client.get_valkey_connection, read_nodes(client)) if self.is_cluster else [client]
        for pool in [node.connection_pool for node in nodes]:
            opened = [pool.get_connection("_") for _ in range(connections)]
            for connection in opened:
                pool.release(connection)

    def batch(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once, in a pipeline."""
        return filled(client.pipeline(transaction=False), commands).execute()

    def transaction(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once, between MULTI and EXEC."""
        return filled(client.pipeline(transaction=True), commands).execute()

    def pool(self, max_total: int, _max_idle: int | None, wait_s: float) -> Any:
        """Return a client whose pool makes threads wait for a connection."""
        module, given = self.module, dict(self.arguments)
        waits = {} if self.limits == "installed" else {"timeout": wait_s if self.limits is None else 1}
        if self.is_cluster:
            # A pool for each node, of a class that can be chosen only with a URL.
            scheme = "valkeys" if given.pop("ssl", False) else "valkey"
            url = f"{scheme}://{given.pop('host')}:{given.pop('port')}"
            given["connection_pool_class"] = partial(module.BlockingConnectionPool, **waits)
            return module.ValkeyCluster.from_url(url, max_connections=max_total, **given)
        if given.pop("ssl", False):
            given["connection_class"] = module.SSLConnection
        if path := given.pop("unix_socket_path", None):
            given |= {"connection_class": module.UnixDomainSocketConnection, "path": path}
        pool = module.BlockingConnectionPool(max_connections=max_total, **given, **waits)
        return module.Valkey(connection_pool=pool)

    def close(self, client: Any) -> Any:
        """Close a client."""
        for one in (client, *self.asked(client)):
            one.close()


class Asyncio(Blocking):
    """valkey.asyncio.Valkey, or valkey.asyncio.ValkeyCluster."""

    kind = "async"
    name = "valkey.asyncio"

    def across_slots(self) -> dict[str, Any]:
        """Return the methods that split keys by their slots, which a pipeline does not have."""
        mget, mset = self.client_class.mget_nonatomic, self.client_class.mset_nonatomic

        async def mset_all(client: Any, pairs: Any) -> bool:
            return all(await mset(client, pairs))

        return {"MGET": mget, "MSET": mset_all}

    async def connect(self, _connections: int = 1) -> Any:
        """Return a client; its pool has room for any number of connections."""
        return super().connect()

    async def open(self, client: Any, connections: int) -> None:
        """Open connections to each node that is used, so that no unit has to."""
        if self.is_cluster:
            await client.initialize()
            pings = (client.ping(target_nodes=node) for node in read_nodes(client) for _ in range(connections))
            await asyncio.gather(*pings)
            return
        pool = client.connection_pool
        opened = [await pool.get_connection("_") for _ in range(connections)]
        for connection in opened:
            await pool.release(connection)

    async def pool(self, max_total: int, max_idle: int | None, wait_s: float) -> Any:
        """Return a client whose pool makes tasks wait for a connection."""
        return super().pool(max_total, max_idle, wait_s)

    async def close(self, client: Any) -> None:
        """Close a client."""
        for one in (client, *self.asked(client)):
            await one.aclose()


def read_nodes(cluster: Any) -> Any:
    """Return the nodes of a cluster that commands are sent to."""
    return cluster.get_nodes() if cluster.read_from_replicas else cluster.get_primaries()


def arguments(trial: SimpleNamespace) -> dict[str, Any]:
    """Return the arguments of a client; what the trial does not ask for stays as installed."""
    server, tls = trial.server, trial.server["tls"]
    if server.get("sentinels"):
        given = {}
    elif server["unix_socket"] is None:
        given = {"host": server["host"], "port": server["port"]}
    else:
        given = {"unix_socket_path": server["unix_socket"]}
    given |= {"username": server["username"], "password": server["password"]}
    if not server.get("cluster"):
        given["db"] = server["database"]
    elif trial.options["reads"] == "any":
        given["read_from_replicas"] = True
    given |= {"protocol": trial.options["protocol"], "decode_responses": trial.options["decode"] == "text"}
    if tls is None:
        return given
    files = {"ssl_ca_certs": tls["ca_file"], "ssl_certfile": tls["certificate_file"], "ssl_keyfile": tls["key_file"]}
    checks = {} if tls["verify"] else {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
    return given | {"ssl": True, **{name: file for name, file in files.items() if file}, **checks}


def limit_arguments(limits: str | None) -> dict[str, Any]:
    """Return the arguments that bound a wait; none where all is as installed."""
    given: dict[str, Any] = {"socket_connect_timeout": 1, "socket_timeout": 1}
    strict = {"socket_keepalive": True, "socket_keepalive_options": KEEP_ALIVE}
    return {"1s": given, "strict": given | strict}.get(limits or "", {})


def filled(pipeline: Any, commands: Iterable[Any]) -> Any:
    """Return the pipeline with these commands in it."""
    for key, (call, value) in commands:
        if value is None:
            call(pipeline, key)
        else:
            call(pipeline, key, value)
    return pipeline
