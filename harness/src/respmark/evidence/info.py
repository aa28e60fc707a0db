"""Reads INFO; if a required field is missing or cannot be read, the error says so in a sentence."""

from typing import NamedTuple

from respmark.errors import InfoError
from respmark.redaction import redacted
from respmark.results.manifest import TargetDescription
from respmark.target.control import Control
from respmark.target.info import info_text, parse_info
from respmark.target.spawn import build_of
from respmark.target.target import Target
from respmark.target.url import address


class Calls(NamedTuple):
    """What a server counted for one command."""

    calls: int
    failed: int = 0
    """How many of these ended in an error reply."""
    rejected: int = 0
    """Calls that were refused before they ran (no permission, wrong state); not included in `calls`."""

    @property
    def sent(self) -> int:
        """Return how often it was sent."""
        return self.calls + self.rejected

    def since(self, before: "Calls") -> "Calls":
        """Return what was counted since an earlier reading."""
        return Calls(self.calls - before.calls, self.failed - before.failed, self.rejected - before.rejected)


def server_info(control: Control) -> dict[str, str]:
    """Return what the server says about itself, without passwords."""
    return {redacted(name): redacted(value) for name, value in parse_info(info_text(control, "server")).items()}


def whole(info: dict[str, str], name: str, default: str | None = None) -> int:
    """Return a count from INFO; raises InfoError if it is missing and has no default, or is not a whole number."""
    value = _value(info, name, default)
    try:
        return int(value)
    except ValueError as error:
        raise _no_number(name, value) from error


def nanoseconds(info: dict[str, str], name: str) -> int:
    """Return a time from INFO, which has it in seconds; see `whole`."""
    value = _value(info, name)
    try:
        return round(float(value) * 1e9)
    except (ValueError, OverflowError) as error:  # not a number, or not a finite one
        raise _no_number(name, value) from error


def command_calls(info: dict[str, str]) -> dict[str, Calls]:
    """Return the counters by lower-case command (`client|setinfo`: a subcommand); raises InfoError for no number."""
    prefix = "cmdstat_"
    return {name.removeprefix(prefix): _calls(name, info[name]) for name in info if name.startswith(prefix)}


def _calls(name: str, value: str) -> Calls:
    fields = {key: count for key, _, count in (part.partition("=") for part in value.split(","))}
    try:
        # Servers before 6.2 do not count failed and rejected calls separately.
        failed, rejected = (int(fields.get(f"{kind}_calls", 0)) for kind in ("failed", "rejected"))
        return Calls(int(fields["calls"]), failed, rejected)
    except (ValueError, KeyError) as error:
        raise _no_number(name, value) from error


def _value(info: dict[str, str], name: str, default: str | None = None) -> str:
    value = info.get(name, default)
    if value is None:
        raise InfoError(
            f"the target's INFO has no `{name}`: figures cannot be held against this server's counters; is it a proxy, "
            "or a server that hides its counters?"
        )
    return value


def _no_number(name: str, value: str) -> InfoError:
    return InfoError(f"the target's INFO says `{name}: {redacted(value)[:100]}`, which does not read as a count")


def server_version(info: dict[str, str]) -> str:
    """Return the server's name and version; Valkey reports a compatible `redis_version` in addition to its own."""
    if "valkey_version" in info:
        return f"valkey {info['valkey_version']}"
    return f"redis {info.get('redis_version', 'unknown')}"


def target_description(name: str, target: Target) -> TargetDescription:
    """Return what a manifest says of the server under test."""
    info, endpoint = server_info(target.control), target.for_runners
    return TargetDescription(
        name=name,
        address=address(endpoint) + (" over TLS" if endpoint.tls else ""),
        spawned=target.spawned,
        program=target.server.program,
        version=server_version(info) + build_of(target.server.program),
        info=info,
    )
