"""Checks that the versions that were loaded are those asked for, and the same as in the rounds before."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from respmark.contract.events import Result
from respmark.specs.client import Client


def version_mismatch(
    client: Client, results: Sequence[Result], before: Mapping[str, str] | None, absent: AbstractSet[str] = frozenset()
) -> str | None:
    """Return why these versions are not those of the client, or None; `before` is what an earlier round loaded.

    `absent` are packages that, by its options, the client does without. A client's version that is a word, such as
    `distribution`, stands for whatever is installed.
    """
    for result in results:
        loaded = result.versions.get(client.library)
        if loaded is None:
            return f"the runner does not say which version of {client.library} it loaded"
        if client.version is not None and client.version[0].isdigit() and loaded != client.version:
            return f"{client.library} {loaded} was loaded, where {client.version} was asked for"
        if unwanted := sorted(absent & result.versions.keys()):
            return f"{unwanted[0]} was loaded: {client.name} is measured without it"
        before = result.versions if before is None else before
        if changed := [name for name in {**before, **result.versions} if before.get(name) != result.versions.get(name)]:
            name = changed[0]
            now, earlier = result.versions.get(name, "none"), before.get(name, "none")
            return f"{name} {now} was loaded, where another process or round loaded {earlier}"
    return None
