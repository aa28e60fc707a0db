"""Whether a client can be run here at all."""

from respmark.errors import RunnerMissingError
from respmark.execute.describer import Describer
from respmark.specs.client import Client


def missing_reason(client: Client, describer: Describer) -> str | None:
    """Return why the client cannot be run here and what to do about it, or None; `describer` knows."""
    try:
        describer.describe(client)
    except RunnerMissingError as error:
        return str(error)
    return None
