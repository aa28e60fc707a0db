"""What a runner says in its library's words, freed of passwords before anyone keeps it."""

from respmark.contract.events import Progress, Ready, Result
from respmark.redaction import redacted


def without_secrets(event: Ready | Progress | Result) -> Ready | Progress | Result:
    """Return the event; of a result, errors, versions and settings are text that a library made."""
    if not isinstance(event, Result):
        return event
    return event.model_copy(
        update={
            "first_error": None if event.first_error is None else redacted(event.first_error),
            "errors": _named(event.errors),
            "versions": {name: redacted(version) for name, version in event.versions.items()},
            "runtime_settings": {
                name: redacted(value) if isinstance(value, str) else value
                for name, value in event.runtime_settings.items()
            },
        }
    )


def _named(errors: dict[str, int]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for kind, count in errors.items():
        counted[redacted(kind)] = counted.get(redacted(kind), 0) + count
    return counted
