"""What became of a server that does not answer any more, in one sentence."""

from contextlib import closing

import redis.exceptions

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError, ServerLostError
from respmark.servers import control
from respmark.servers.control import Control
from respmark.servers.info import parse_info
from respmark.servers.url import address
from respmark.triage.logs import text


def timed_out(error: BaseException | None) -> bool:
    """Return whether an error is that no answer came in time."""
    while error is not None:
        if isinstance(error, redis.exceptions.TimeoutError | TimeoutError):
            return True
        error = error.__cause__
    return False


def silent(endpoint: Endpoint, how: str) -> str:
    """Return the sentence about a server that does not answer; `how` says what it did before."""
    return (
        f"the server at {address(endpoint)} {how} it has not answered for {control.TIMEOUT_S:g} s: it is stopped, "
        "blocked by a long command, or its machine is overloaded"
    )


def restarted(endpoint: Endpoint, seconds: float) -> str:
    """Return the sentence about a server that counts from 0 again."""
    return (
        f"the server at {address(endpoint)} was restarted within {seconds:.0f} s of the watch, and counts from 0 "
        "again: run triage again"
    )


def what_became_of(endpoint: Endpoint, run_id: str | None, seconds: float, error: ServerError) -> str:
    """Return what became of a server that was watched for so long; one that closed our connection is asked again."""
    if timed_out(error):
        answered_s = max(0.0, seconds - control.TIMEOUT_S)
        return silent(endpoint, f"stopped answering {answered_s:.0f} s after the watch began:")
    if not isinstance(error, ServerLostError) or error.__cause__ is None:
        return str(error)
    try:
        with closing(Control(endpoint).open("INFO", "server")) as again:
            now = parse_info(text(again.command("INFO", "server"))).get("run_id")
    except ServerError:
        where = f"the server at {address(endpoint)}"
        return f"{where} ended, or cannot be reached any more, {seconds:.0f} s after the watch began"
    if now != run_id:
        return restarted(endpoint, seconds)
    return (
        f"the server at {address(endpoint)} closed respmark's connection {seconds:.0f} s after the watch began (CLIENT "
        "KILL, or its `timeout`): run triage again"
    )
