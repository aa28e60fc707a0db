"""What INFO says of a server, and by that which server it is: each draws a `run_id` when it starts."""

from respmark.errors import AnotherServerError, InfoError
from respmark.target.control import Control
from respmark.target.url import address


def info_text(control: Control, section: str) -> str:
    """Return a section of INFO as the server writes it; refuse an answer that is not text."""
    answer = control.command("INFO", section)
    if not isinstance(answer, bytes):
        raise InfoError(f"the target at {address(control.endpoint)} answers INFO with something that is no text")
    return answer.decode(errors="replace")


def parse_info(text: str) -> dict[str, str]:
    """Return every `name:value` line of INFO."""
    pairs = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}


def run_id_of(control: Control) -> str | None:
    """Return the `run_id` of the server that a connection leads to; None if it does not report one."""
    return parse_info(info_text(control, "server")).get("run_id")


def known_run_id(control: Control, run_id: str | None) -> str:
    """Return the `run_id`; refuse a server that does not report one."""
    if run_id is not None:
        return run_id
    raise AnotherServerError(
        f"the target at {address(control.endpoint)} does not tell its run_id (INFO server), so that it cannot be told "
        "from another server: nothing is written to it"
    )


def check_run_id(control: Control, run_id: str | None) -> None:
    """Refuse, with an `AnotherServerError`, a server that is not known to be the one with this `run_id`."""
    if known_run_id(control, run_id_of(control)) != known_run_id(control, run_id):
        raise AnotherServerError(
            f"{address(control.endpoint)} leads to another server than before, or the server there has been restarted "
            "(its run_id has changed); what the run may do to one server it may not do to another, so it stops here"
        )
