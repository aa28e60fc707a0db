"""Removes passwords from text that a runner passes on from its library, before anyone keeps it."""

from respmark.contract.events import Result, Slice
from respmark.execute.protocol import RunnerEvent
from respmark.redaction import redacted


def without_secrets(event: RunnerEvent) -> RunnerEvent:
    """Return the event, without passwords in a library's text: a slice's errors, a result's versions and settings."""
    if isinstance(event, Slice):
        first_error = None if event.first_error is None else redacted(event.first_error)
        return event.model_copy(update={"first_error": first_error, "errors": _named(event.errors)})
    if isinstance(event, Result):
        versions = {name: redacted(version) for name, version in event.versions.items()}
        settings = {
            name: redacted(value) if isinstance(value, str) else value for name, value in event.runtime_settings.items()
        }
        return event.model_copy(update={"versions": versions, "runtime_settings": settings})
    return event


def _named(errors: dict[str, int]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for kind, count in errors.items():
        counted[redacted(kind)] = counted.get(redacted(kind), 0) + count
    return counted
