"""Reads the text of INFO."""

from respmark.records import Calls


def parse_info(text: str) -> dict[str, str]:
    """Return every `name:value` line of INFO."""
    pairs = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}


def command_calls(info: dict[str, str]) -> dict[str, Calls]:
    """Return the counters of every command, by its lower-case name (`client|setinfo` for a subcommand)."""
    prefix = "cmdstat_"
    return {name.removeprefix(prefix): _calls(value) for name, value in info.items() if name.startswith(prefix)}


def _calls(value: str) -> Calls:
    fields = dict(part.split("=", 1) for part in value.split(","))
    return Calls(
        calls=int(fields["calls"]),
        # Servers before 6.2 do not tell failed and rejected calls apart from the others.
        failed=int(fields.get("failed_calls", 0)),
        rejected=int(fields.get("rejected_calls", 0)),
    )


def server_version(info: dict[str, str]) -> str:
    """Return the server's name and version; Valkey reports a compatible `redis_version` beside its own."""
    if "valkey_version" in info:
        return f"valkey {info['valkey_version']}"
    return f"redis {info.get('redis_version', 'unknown')}"
