"""Which client libraries this runner has."""

from typing import Final

from respmark_python.clients import null, redis_py_options
from respmark_python.clients.redis_py import RedisPySession
from respmark_python.clients.redis_py_asyncio import RedisPyTaskSession
from respmark_python.clients.session import Session
from respmark_python.contract.description import ClientDescription, MissingClient
from respmark_python.contract.fields import refuse
from respmark_python.contract.trial import Trial

LIBRARIES: Final = (redis_py_options.NAME,)


def describe_clients() -> list[ClientDescription | MissingClient]:
    """Say what each library can do here."""
    return [redis_py_options.describe()]


def make_session(trial: Trial) -> Session:
    """Load the trial's library and make its clients; nothing is connected yet."""
    if trial.client.library == null.NAME:
        return null.NullSession(trial)
    if trial.client.library not in LIBRARIES:
        refuse("trial.client.library", f"must be one of {', '.join(LIBRARIES)}, not {trial.client.library}")
    is_asynchronous = trial.scenario == "pipelining" or trial.client.options.get("api") == "asyncio"
    return RedisPyTaskSession(trial) if is_asynchronous else RedisPySession(trial)
