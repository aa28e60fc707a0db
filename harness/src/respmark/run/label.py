"""Whether a trial is what its label says: the library's version, and the version of RESP."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from respmark.contract.lines import Loaded
from respmark.results.records import Handshake
from respmark.specs.client import Client
from respmark.specs.naming import RESP3


def version_mismatch(
    client: Client,
    loaded: Sequence[Loaded],
    before: Mapping[str, str] | None,
    absent: AbstractSet[str] = frozenset(),
) -> str | None:
    """Return why the versions that each process loaded are not those of the client, or None.

    `before` is what an earlier round loaded; `absent` are packages that, by its options, the client does without. A
    client's version that is a word, such as `distribution`, stands for whatever is installed.
    """
    for versions in (one.versions for one in loaded):
        found = versions.get(client.library)
        if found is None:
            return f"the runner does not say which version of {client.library} it loaded"
        if client.version is not None and client.version[0].isdigit() and found != client.version:
            return f"{client.library} {found} was loaded instead of {client.version}"
        if unwanted := sorted(absent & versions.keys()):
            return f"{unwanted[0]} was loaded, although {client.name} must run without it"
        before = versions if before is None else before
        for name in {**before, **versions}:
            if (now := versions.get(name, "none")) != (earlier := before.get(name, "none")):
                return f"{name} {now} was loaded, but another process or round loaded {earlier}"
    return None


def protocol_mismatch(handshake: Handshake) -> str | None:
    """Return why the connections did not speak the RESP version of the label; None if they did, or if it is unknown."""
    asked = f"RESP{handshake.protocol} was requested"
    if others := {version: n for version, n in (handshake.protocols or {}).items() if version != handshake.protocol}:
        version, count = min(others.items())
        return f"{asked}, but {count:,} connection{'' if count == 1 else 's'} of the trial spoke RESP{version}"
    if handshake.protocol == RESP3 and not handshake.calls.get("hello"):
        return f"{asked}, but the trial's connections sent no HELLO"
    return None
