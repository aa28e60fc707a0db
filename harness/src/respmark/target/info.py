"""Reads a section of INFO from a server."""

from respmark.errors import InfoError
from respmark.target.control import Control
from respmark.target.url import address


def info_text(control: Control, section: str) -> str:
    """Return a section of INFO as the server writes it.

    Raises:
        InfoError: the answer is not text.
        TargetError: there is no answer.
    """
    answer = control.command("INFO", section)
    if not isinstance(answer, bytes):
        message = f"the target at {address(control.endpoint)} answers INFO with something that is no text"
        raise InfoError(message)
    return answer.decode(errors="replace")


def parse_info(text: str) -> dict[str, str]:
    """Return every `name:value` line of INFO."""
    pairs = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}
