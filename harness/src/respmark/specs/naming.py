"""The names of clients, and what each means.

| name | means |
| --- | --- |
| `redis-py`, `redis-py[]` | the library as installed |
| `redis-py[parser=python]` | one configuration; options that are not named keep their defaults |
| `redis-py@3.5.3`, `redis-py@3.5.3[parser=python]` | the same in a version: pinned, or any of its registry |
| `redis-py@5`, `redis-py@5.0`, `redis-py@latest` | the newest version that begins so; only on the command line |
| `redis-py@file:../fork` | a build of one's own: a folder or a file, as the language's package manager takes it |
| `redis-py[*]` | all variants that its spec lists |
| `redis-py@*` | all pinned versions |
| `node/*`, `node/*[*]` | the same of one language: every library as installed, every variant of every library |
| `default/*` | the same of the libraries that have a tag |
| `*`, `*[*]` | every library as installed; every variant of every library; no reference driver |
"""

from collections.abc import Mapping, Sequence
from typing import Final

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.nearest import nearest_first
from respmark.specs.builds import OWN_BUILD
from respmark.specs.client import Client, ClientSpec, numbers
from respmark.specs.client_tables import Options, OptionValue, written
from respmark.specs.limits import INSTALLED, LIMITS
from respmark.specs.names import Name
from respmark.specs.versions import is_before

PROTOCOL: Final = "protocol"
"""The option whose value is the RESP version."""
RESP2: Final = 2
RESP3: Final = 3
ALL: Final = "*"
DEFAULT: Final = "default"
"""Tag of the libraries that are measured where nobody names any."""
VARIANTS: Final = "[*]"


def make_client(spec: ClientSpec, version: str | None, options: Options) -> Client:
    """Return the client with its canonical name, which names only what differs from the defaults."""
    values = spec.of_version(version).options
    chosen = {name: options.get(name, allowed[0]) for name, allowed in values.items()}
    different = [f"{name}={written(chosen[name])}" for name, allowed in values.items() if chosen[name] != allowed[0]]
    if chosen.get(LIMITS) == INSTALLED:
        del chosen[LIMITS]
    name = spec.library + (f"@{version}" if version else "") + (f"[{','.join(different)}]" if different else "")
    return Client(
        name=name,
        library=spec.library,
        runner=spec.runner,
        version=version,
        options=chosen,
        capabilities=spec.capabilities,
    )


def variants(spec: ClientSpec) -> list[Client]:
    """Return the library's variants in the order of its spec."""
    return [make_client(spec, variant.version, variant.options) for variant in spec.variants]


def telling_variants(spec: ClientSpec, scenario: Scenario) -> list[Client]:
    """Return the variants that differ the most in a scenario, as the library's spec says."""
    telling = (variant for variant in spec.variants if scenario in variant.scenarios)
    return [make_client(spec, variant.version, variant.options) for variant in telling]


def protocol_of(client: Client, spec: ClientSpec | None, loaded: Mapping[str, object]) -> int:
    """Return the RESP version that a trial is to speak: what the runner says, else the option `protocol`, or the spec.

    `loaded` are the settings of the trial that the runner has loaded.
    """
    asked = client.options.get(PROTOCOL, spec.protocol if spec else RESP2)
    return RESP3 if loaded.get(PROTOCOL, asked) == RESP3 else RESP2


def find_clients(name: str, specs: dict[str, ClientSpec]) -> list[Client]:
    """Return the clients that `name` means, in the order of the specs."""
    parts = Name.of_client(name)
    if parts is None:
        raise InvalidRequestError(
            f"`{name}` is not a client's name; write library, library@version or library[option=value]; "
            "library[*] is all variants, library@* all pinned versions"
        )
    library = parts.base
    every = [spec for spec in specs.values() if spec.capabilities.is_library]
    if parts.group:
        every = _of_group(name, parts.group, library, every)
    if library not in specs and library != ALL:
        known = nearest_first(library, specs)
        raise InvalidRequestError(f"there is no client library `{library}`; there are: {known}")
    libraries = every if library == ALL else [specs[library]]
    return [client for spec in libraries for client in _clients(spec, parts)]


def _of_group(name: str, group: str, library: str, every: list[ClientSpec]) -> list[ClientSpec]:
    """Return the libraries of a language or with a tag, the default ones first.

    Raises InvalidRequestError if there is none, or a library is named, too.
    """
    if library != ALL:
        raise InvalidRequestError(
            f"`{name}`: write `{library}` alone, or `{group}/*` for every library of a language or with a tag"
        )
    found = [spec for spec in every if group in {spec.runner, *spec.tags}]
    if not found:
        groups = dict.fromkeys(one for spec in every for one in (spec.runner, *spec.tags))
        raise InvalidRequestError(f"there is no language or tag `{group}`; there are: {nearest_first(group, groups)}")
    return sorted(found, key=lambda spec: DEFAULT not in spec.tags)


def one_client(name: str, specs: dict[str, ClientSpec]) -> Client:
    """Return the one client that `name` means."""
    return only(name, find_clients(name, specs))


def only(name: str, found: Sequence[Client]) -> Client:
    """Return the one client that was found; raises InvalidRequestError if `name` means several."""
    if len(found) > 1:
        names = ", ".join(client.name for client in found)
        raise InvalidRequestError(f"`{name}` is {len(found)} clients, but a single client is needed: {names}")
    return found[0]


def _clients(spec: ClientSpec, name: Name) -> list[Client]:
    if name.settings == VARIANTS and not name.version:
        return variants(spec)
    versions = _versions(spec, name.version or None)
    if name.settings != VARIANTS:
        return [make_client(spec, one, _options(spec, one, name)) for one in versions]
    found = [make_client(spec, one, {}) for one in versions]
    found += [client for client in variants(spec) if client.version in versions]
    return list({client.name: client for client in found}.values())


def _versions(spec: ClientSpec, version: str | None) -> list[str | None]:
    """Return the versions that a name means; None: as installed."""
    if version == ALL and spec.pinned:
        return list(spec.pinned)
    if version is None or version in spec.pinned:
        return [version]
    if not spec.version:
        known = nearest_first(version, spec.pinned)
        raise InvalidRequestError(f"`{spec.library}` has no pinned version `{version}`; there are: {known}")
    if not version.startswith(OWN_BUILD) and not numbers(version):
        known = f" (pinned: {', '.join(spec.pinned)})" if spec.pinned else ""
        raise InvalidRequestError(
            f"`{version}` is not a version of `{spec.library}`: write a number{known}, or file:PATH, "
            "which is that of a checkout for a branch or a commit"
        )
    own = spec.own_version(version)
    if own and spec.since and is_before(own, spec.since, spec.version_order):
        of = "" if own == version else f", which {version} is"
        raise InvalidRequestError(f"{too_old(spec, own)}{of}")
    return [version]


def too_old(spec: ClientSpec, version: str) -> str:
    """Return why a version before the oldest that the adapters know is not measured."""
    why = f" ({spec.older})" if spec.older else ""
    return f"`{spec.library}` can be measured from version {spec.since} on{why}, not {version}"


def _options(spec: ClientSpec, version: str | None, name: Name) -> Options:
    return {option: _option(spec, version, option, value) for option, value in name.values.items()}


def _option(spec: ClientSpec, version: str | None, name: str, value_text: str) -> OptionValue:
    values = spec.of_version(version).options
    if name not in values:
        raise InvalidRequestError(f"`{spec.library}` has no option `{name}`; it has: {nearest_first(name, values)}")
    for value in values[name]:
        if written(value) == value_text:
            return value
    of = spec.library + (f"@{version}" if version else "")
    allowed = nearest_first(value_text, map(written, values[name]))
    raise InvalidRequestError(f"`{value_text}` is not a value of {of}'s option `{name}`; allowed: {allowed}")
