"""Which server answers: every server draws a `run_id` when it starts, and no two are the same."""

from respmark.errors import AnotherServerError
from respmark.target.control import Control
from respmark.target.url import address


def run_id_of(control: Control) -> str | None:
    """Return the `run_id` of the server that a connection leads to; None if it does not report one.

    Raises:
        TargetError: it refused, or went away.
    """
    reply = control.command("INFO", "server")
    lines = reply.decode(errors="replace").splitlines() if isinstance(reply, bytes) else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("run_id:")), None)


def check_run_id(control: Control, run_id: str | None) -> None:
    """Refuse a server that is not known to be the one with this `run_id`.

    Raises:
        AnotherServerError: it is another one, has been restarted, or reports no `run_id`.
    """
    found = run_id_of(control)
    if run_id is None or found is None:
        message = (
            f"the target at {address(control.endpoint)} does not tell its run_id (INFO server), so that it cannot be "
            "told from another server: the run stops here"
        )
        raise AnotherServerError(message)
    if found != run_id:
        message = (
            f"{address(control.endpoint)} leads to another server than before, or the server there has been restarted "
            "(its run_id has changed); what the run may do to one server it may not do to another, so it stops here"
        )
        raise AnotherServerError(message)
