"""Loads redis-py with a trial's options, and says which options the loaded version has."""

import importlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from respmark_python.clients.redis_py_cache import has_cache
from respmark_python.contract.description import ClientDescription, Difference, MissingClient, ScenarioSupport
from respmark_python.contract.fields import one_of, refuse
from respmark_python.contract.limits import POOL_WAIT_S
from respmark_python.contract.trial import Client
from respmark_python.errors import RunnerError, UnsupportedError

Option = str | int | bool

NAME: Final = "redis-py"
OPTIONS: Final[Mapping[str, Sequence[Option]]] = {
    "parser": ("hiredis", "python", "python-parser"),
    "protocol": (3, 2),
    "decode": ("bytes", "text"),
    "api": ("sync", "asyncio"),
}
"""Every option, with every value that some version of redis-py has for it."""
RESP3: Final = 3
DIFFERENCES: Final = (
    Difference(
        "max_connections",
        "100; 2,147,483,648 before redis-py 8",
        "as many as threads or tasks use at once, where that is more",
        "none of them fails for want of a connection",
        ("pipelining", "threads"),
    ),
    Difference(
        "timeout of BlockingConnectionPool",
        "20 s",
        f"{POOL_WAIT_S} s",
        "one limit for every library's pool",
        ("pool",),
    ),
    Difference(
        "retry of BlockingConnectionPool",
        "none",
        "that of a client whose pool nobody made by hand: 10 retries in redis-py 8",
        "a failure means the same in every scenario",
        ("pool",),
    ),
    Difference(
        "max_size of CacheConfig",
        "10,000",
        "cache_entries",
        "the hit ratio is to follow from the shape",
        ("caching",),
    ),
    Difference(
        "cache_class of CacheConfig",
        "DefaultCache",
        "the same, whose misses and invalidations are counted",
        "the library counts neither; a hit costs nothing more",
        ("caching",),
    ),
    Difference(
        "gc.freeze()",
        "not called",
        "called before connecting",
        "no collection walks through the workload, which a user would not have in memory",
    ),
)
"""How redis-py and its runtime differ from a plain install."""


def load() -> Any:
    """Import the library.

    Raises:
        RunnerError: it is not installed in this environment.
    """
    try:
        return importlib.import_module("redis")
    except ImportError as error:
        raise RunnerError(f"{NAME} cannot be imported: {error}; run `make setup`") from error


def load_for(client: Client) -> tuple[Any, dict[str, Option]]:
    """Import the library as the trial wants it; return it with the value of every option.

    Raises:
        InvalidInputError: no version of the library has such an option or value.
        UnsupportedError: this version does not have it, or is not the version that the trial asks for.
    """
    for name, value in client.options.items():
        if name not in OPTIONS:
            refuse(f"trial.client.options.{name}", f"is unknown; known are {', '.join(OPTIONS)}")
        one_of(OPTIONS[name])(value, f"trial.client.options.{name}")
    if client.options.get("parser") == "python":
        # What a user without hiredis has: the import fails, so parser and packer are both pure Python.
        sys.modules["hiredis"] = None  # type: ignore[assignment]
    redis = load()
    return redis, _choose(redis, client)


def _choose(redis: Any, client: Client) -> dict[str, Option]:
    if client.version not in {None, redis.__version__}:
        raise UnsupportedError(
            f"this environment has {NAME} {redis.__version__}, not {client.version}: "
            f"run the trial in the environment {NAME}-{client.version}, which `make setup` makes"
        )
    available = options(redis)
    for name, value in client.options.items():
        if value not in available[name]:
            choices = ", ".join(map(str, available[name]))
            raise UnsupportedError(f"{NAME} {redis.__version__} here has {name} {choices}, not {value}")
    return {name: client.options.get(name, values[0]) for name, values in available.items()}


def options(redis: Any) -> dict[str, Sequence[Option]]:
    """Return the options of the loaded version, each with its values, the default first."""
    return {
        "parser": _parsers(redis),
        "protocol": _protocols(redis),
        "decode": OPTIONS["decode"],
        "api": _apis(redis),
    }


def _parsers(redis: Any) -> tuple[str, ...]:
    if not redis.utils.HIREDIS_AVAILABLE:
        return ("python",)
    # Before hiredis also packed commands, `python-parser` would have been the same as `python`.
    return ("hiredis", "python", "python-parser") if has_hiredis_packer(redis) else ("hiredis", "python")


def _protocols(redis: Any) -> tuple[int, ...]:
    if "protocol" not in inspect.signature(redis.Redis.__init__).parameters:
        return (2,)
    default = getattr(redis.utils, "DEFAULT_RESP_VERSION", 2)
    return (3, 2) if default == RESP3 else (2, 3)


def _apis(redis: Any) -> tuple[str, ...]:
    return ("sync", "asyncio") if hasattr(redis, "asyncio") else ("sync",)


def has_hiredis_packer(redis: Any) -> bool:
    """Return whether hiredis is loaded and also packs commands."""
    return redis.utils.HIREDIS_AVAILABLE and hasattr(redis.connection, "HiredisRespSerializer")


def dependencies() -> dict[str, str]:
    """Return the versions of the importable libraries that change how redis-py works."""
    try:
        return {"hiredis": importlib.import_module("hiredis").__version__}
    except ImportError:
        return {}


def describe() -> ClientDescription | MissingClient:
    """Say what this library can do here."""
    try:
        redis = load()
    except RunnerError as error:
        return MissingClient(NAME, str(error.__cause__), "run `make setup`")
    plain = ("sync", "batching", "threads", "pool", "new-connection")
    scenarios = {name: ScenarioSupport() for name in plain}
    scenarios["transaction"] = ScenarioSupport(forms=("batched",))
    if has_cache(redis):
        scenarios["caching"] = ScenarioSupport()
    if hasattr(redis, "asyncio"):
        scenarios["pipelining"] = ScenarioSupport(windows=("burst", "sliding"))
    return ClientDescription(NAME, redis.__version__, dependencies(), options(redis), scenarios, DIFFERENCES)
