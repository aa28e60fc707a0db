"""What redis-py's synchronous and asynchronous sessions have in common."""

import importlib
import platform
import ssl
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from respmark_python.clients import redis_py_commands, redis_py_options
from respmark_python.clients.refusals import refusal, unreachable
from respmark_python.clients.session import Lane
from respmark_python.contract.events import LocalCache
from respmark_python.contract.limits import POOL_WAIT_S
from respmark_python.contract.trial import Endpoint, Shape, Trial
from respmark_python.errors import TargetError, UnsupportedError
from respmark_python.workload.commands import Call, Command
from respmark_python.workload.workload import Kind, Word


class RedisPyBase:
    """The library, loaded with one trial's options; how it reaches the trial's target; and the scenarios.

    The lanes here are the same for methods and for coroutines: the loop that drives them does the awaiting.
    """

    parser_prefix: ClassVar[str] = ""
    """Prefix of the names of this API's pure-Python parsers, after the underscore."""
    ok: object = True
    pong: object = True

    def __init__(self, trial: Trial) -> None:
        _check_shape(trial.shape)
        self.endpoint: Endpoint = trial.target
        self.redis, self.options = redis_py_options.load_for(trial.client)
        self.module: Any = self.redis
        """The module that the API's clients and pools come from: redis, or redis.asyncio."""
        self.pools: list[tuple[Any, int]] = []
        """Each pool, with how many of its connections the trial uses."""
        self.failures: tuple[type[Exception], ...] = (self.redis.RedisError, OSError)
        self.settings: dict[str, str | int | float | bool] = {
            **self.options,
            "packer": "hiredis" if redis_py_options.has_hiredis_packer(self.redis) else "python",
            "keys_given_as": "str",
            "values_given_as": "str" if self.decodes_to == "text" else "bytes",
        }

    @property
    def versions(self) -> dict[str, str]:
        """The versions that are really loaded."""
        openssl = {"OpenSSL": ssl.OPENSSL_VERSION} if self.endpoint.tls else {}
        library = {redis_py_options.NAME: self.redis.__version__, **redis_py_options.dependencies()}
        return {**library, **openssl, "CPython": platform.python_version()}

    @property
    def decodes_to(self) -> str:
        """What values are in both directions: bytes or text."""
        return str(self.options["decode"])

    def local_cache(self) -> LocalCache | None:
        """Return what the client's own cache has done so far; None: the client has none."""
        return None

    def method(self, target: Any, kind: Kind) -> Call:
        """Return the target's method for this kind of command."""
        return redis_py_commands.method(self.redis, target, kind)

    def arguments(self, kind: Kind, words: Sequence[Word]) -> tuple[Any, ...]:
        """Return the method's arguments for a command's words."""
        return redis_py_commands.arguments(kind, words)

    def refusal(self, error: Exception) -> TargetError | None:
        """Return what a refusal or a lost connection means; None for a reply that concerns one command."""
        if known := refusal(error, self.endpoint.address):
            return known
        is_reply = isinstance(error, self.redis.ResponseError | self.redis.DataError)
        return None if is_reply else unreachable(error, self.endpoint.address)

    def check_target(self) -> None:
        """Connect once, without the library's own retries, so a refusal is reported at once."""
        pool = self.redis.Redis(**self.client_settings()).connection_pool
        if "retry" in pool.connection_kwargs:
            pool.connection_kwargs["retry"] = None
        connection = pool.make_connection()
        try:
            connection.connect()
        except self.failures as error:
            raise self.explain(error) from error
        finally:
            connection.disconnect()

    def explain(self, error: Exception) -> TargetError:
        """Return what an error while connecting means."""
        return refusal(error, self.endpoint.address) or unreachable(error, self.endpoint.address)

    def sync(self, _shape: Shape) -> list[Lane]:
        """One client; a unit calls one of its methods."""
        return [Lane(self.client(connections=1))]

    def batching(self, _shape: Shape) -> list[Lane]:
        """One pipeline without MULTI; a unit fills and executes it."""
        return [self._pipeline(transaction=False)]

    def transaction(self, _shape: Shape) -> list[Lane]:
        """One pipeline with MULTI and EXEC around it; a unit fills and executes it."""
        return [self._pipeline(transaction=True)]

    def pool(self, shape: Shape) -> list[Lane]:
        """Threads or tasks share a client whose pool makes them wait for a connection, otherwise set as elsewhere."""
        users, most = shape.threads or 1, shape.max_total or 1
        pool = self.module.BlockingConnectionPool(max_connections=most, **self._pool_settings())
        self.settings["max_connections"] = most
        self._add(pool, min(users, most))
        client = self.module.Redis(connection_pool=pool)
        return [Lane(client) for _ in range(users)]

    def client(self, connections: int, **more: Any) -> Any:
        """Return a client set as installed, whose pool has room for this many connections."""
        make, settings = self.module.Redis, self.client_settings() | more
        client = make(**settings)
        if connections > client.connection_pool.max_connections:
            client = make(**settings, max_connections=connections)
        self.settings["max_connections"] = client.connection_pool.max_connections
        self._add(client.connection_pool, connections)
        return client

    def _add(self, pool: Any, connections: int) -> None:
        self.set_parser(pool)
        self.pools.append((pool, connections))

    def _pipeline(self, *, transaction: bool) -> Lane:
        pipeline = self.client(connections=1).pipeline(transaction=transaction)
        execute = pipeline.execute

        def flush(commands: Iterable[Command]) -> Any:
            for key, (call, value) in commands:
                if value is None:
                    call(key)
                else:
                    call(key, value)
            return execute()

        return Lane(pipeline, flush)

    def client_settings(self) -> dict[str, Any]:
        """Return the arguments of a client; what the trial does not ask for stays as installed."""
        target = self.endpoint
        settings: dict[str, Any] = {"db": target.database}
        if target.unix_socket is None:
            settings |= {"host": target.host, "port": target.port}
        else:
            settings["unix_socket_path"] = target.unix_socket
        settings |= {name: value for name in ("username", "password") if (value := getattr(target, name)) is not None}
        if self.decodes_to == "text":
            settings["decode_responses"] = True
        # The default is not passed: by default, RESP3 replies look like those of RESP2; when it is passed, they do not.
        if self.options["protocol"] != redis_py_options.options(self.redis)["protocol"][0]:
            settings["protocol"] = self.options["protocol"]
        return settings | self._tls_settings()

    def _pool_settings(self) -> dict[str, Any]:
        module, settings = self.module, self.client_settings()
        # A pool that is made by hand does not retry; one that a client makes retries as the client does.
        plain = module.Redis(**settings).connection_pool.connection_kwargs
        retries = {name: plain[name] for name in ("retry",) if name in plain}
        if settings.pop("ssl", False):
            settings["connection_class"] = module.SSLConnection
        if path := settings.pop("unix_socket_path", None):
            settings |= {"connection_class": module.UnixDomainSocketConnection, "path": path}
        self.settings["max_wait_ms"] = POOL_WAIT_S * 1000
        return settings | retries | {"timeout": POOL_WAIT_S}

    def _tls_settings(self) -> dict[str, Any]:
        tls = self.endpoint.tls
        if tls is None:
            return {}
        files = {"ssl_ca_certs": tls.ca_file, "ssl_certfile": tls.certificate_file, "ssl_keyfile": tls.key_file}
        checks = {} if tls.verify else {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
        return {"ssl": True, **{name: file for name, file in files.items() if file}, **checks}

    def set_parser(self, pool: Any) -> None:
        """Set the parser that the trial asks for, before the pool makes any connection."""
        if self.options["parser"] == "python-parser":
            parsers = importlib.import_module("redis._parsers")
            pool.connection_kwargs["parser_class"] = getattr(
                parsers, f"_{self.parser_prefix}RESP{self.options['protocol']}Parser"
            )


def _check_shape(shape: Shape) -> None:
    """Refuse a shape that the library has no API for."""
    if shape.form == "queued":
        raise UnsupportedError("redis-py sends a transaction as one block: it has form batched, not queued")
    if shape.max_idle is not None:
        raise UnsupportedError("redis-py's BlockingConnectionPool keeps every connection: it has no max_idle")
