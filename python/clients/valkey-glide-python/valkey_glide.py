"""Valkey GLIDE, used as its documentation does: one client, whose commands share a connection.

It has two packages with the same names, glide for asyncio and glide_sync for threads. The core of both is native code
with threads of its own, which the process's CPU time includes.
"""

import importlib
import importlib.metadata
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

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
REQUEST_TIMEOUT_MS: Final = 10_000
READ_FROM: Final = {"primary": "PRIMARY", "replica": "PREFER_REPLICA", "any": "ALL_NODES"}
"""By the option `reads`: which nodes of a cluster are read from."""
LIMIT_MS: Final = 1_000
"""Where a server is to fail, and all is not as installed."""


def load(trial: SimpleNamespace) -> "Blocking":
    """Import the package that the client is named after."""
    return Blocking(trial) if trial.client == "valkey-glide-sync" else Asyncio(trial)


class Blocking:
    """glide_sync.GlideClient, or glide_sync.GlideClusterClient."""

    kind = "blocking"
    name = "glide_sync"
    package = "valkey-glide-sync"

    def __init__(self, trial: SimpleNamespace) -> None:
        self.glide = importlib.import_module(self.name)
        self.glide.Logger.set_logger_config(self.glide.LogLevel.OFF)
        self.configuration = configuration(self.glide, trial)
        is_cluster = trial.server.get("cluster", False)
        self.client_class = self.glide.GlideClusterClient if is_cluster else self.glide.GlideClient
        self.batch_class = self.glide.ClusterBatch if is_cluster else self.glide.Batch
        in_batch = trial.scenario in {"batching", "transaction"}
        self.commands = commands(self.batch_class if in_batch else self.client_class)
        self.versions = {trial.client: importlib.metadata.version(self.package)}
        self.settings = {"keys_given_as": "str", "values_given_as": "bytes", "native_core": "Rust"}

    def connect(self, _connections: int = 1) -> Any:
        """Return a client, whose connections are open; where the API is asynchronous, what it is awaited from."""
        return self.client_class.create(self.configuration)

    def open(self, client: Any, connections: int) -> Any:
        """Do nothing: the connections are open."""

    def batch(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once."""
        return client.exec(filled(self.batch_class(is_atomic=False), commands), raise_on_error=True)

    def transaction(self, client: Any, commands: Iterable[Any]) -> Any:
        """Send commands at once, between MULTI and EXEC."""
        return client.exec(filled(self.batch_class(is_atomic=True), commands), raise_on_error=True)

    def close(self, client: Any) -> Any:
        """Close a client."""
        return client.close()


class Asyncio(Blocking):
    """glide.GlideClient, or glide.GlideClusterClient: what its methods return is awaited."""

    kind = "async"
    name = "glide"
    package = "valkey-glide"

    async def open(self, client: Any, connections: int) -> None:
        """Do nothing: the connections are open."""


def commands(of: Any) -> dict[str, Any]:
    """Return the methods of a client or of a batch; for others, SETEX among them, GLIDE has a list of words."""
    return {
        **{name: getattr(of, name.lower()) for name in SAME},
        "LPUSH": lambda on, key, value: on.lpush(key, [value]),
        "SADD": lambda on, key, value: on.sadd(key, [value]),
        "*": lambda on, words: on.custom_command(words),
        "*words": lambda *words: list(words),
    }


def filled(batch: Any, commands: Iterable[Any]) -> Any:
    """Return the batch with these commands in it."""
    for key, (call, value) in commands:
        if value is None:
            call(batch, key)
        else:
            call(batch, key, value)
    return batch


def configuration(glide: Any, trial: SimpleNamespace) -> Any:
    """Return the configuration of a client; what the trial does not ask for stays as installed."""
    server, tls = trial.server, trial.server["tls"]
    if server["unix_socket"] is not None:
        raise NotImplementedError("GLIDE connects to a host and port, not to a unix socket")
    has_password = server["password"] is not None
    versions = {2: glide.ProtocolVersion.RESP2, 3: glide.ProtocolVersion.RESP3}
    limits = trial.options.get("limits")
    limit_ms = {None: REQUEST_TIMEOUT_MS, "installed": None}.get(limits, LIMIT_MS)
    advanced = {"connection_timeout": LIMIT_MS} if limits in {"1s", "strict"} else {}
    advanced |= {} if tls is None else {"tls_config": secured(glide, tls)}
    configured, advanced_class = glide.GlideClientConfiguration, glide.AdvancedGlideClientConfiguration
    if server.get("cluster"):
        configured, advanced_class = (
            glide.GlideClusterClientConfiguration,
            glide.AdvancedGlideClusterClientConfiguration,
        )
    return configured(
        [glide.NodeAddress(server["host"], server["port"])],
        use_tls=tls is not None,
        credentials=glide.ServerCredentials(server["password"], server["username"]) if has_password else None,
        read_from=glide.ReadFrom[READ_FROM[trial.options["reads"]]],
        request_timeout=limit_ms,
        database_id=server["database"],
        protocol=versions[trial.options["protocol"]],
        advanced_config=advanced_class(**advanced) if advanced else None,
    )


def secured(glide: Any, tls: dict[str, Any]) -> Any:
    """Return how a client checks the server's certificate, and what it shows of its own."""
    given: dict[str, Any] = {"use_insecure_tls": not tls["verify"]}
    if tls["ca_file"] and tls["verify"]:
        given["root_pem_cacerts"] = Path(tls["ca_file"]).read_bytes()
    if tls["certificate_file"]:
        given["client_cert_pem"] = Path(tls["certificate_file"]).read_bytes()
        given["client_key_pem"] = Path(tls["key_file"] or tls["certificate_file"]).read_bytes()
    return glide.TlsAdvancedConfiguration(**given)
