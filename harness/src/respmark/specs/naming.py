"""The names of clients: `library`, `library@version`, `library[option=value,...]`."""

import re
from typing import Final

from respmark.contract.description import Description, MissingClient
from respmark.errors import InvalidRequestError
from respmark.specs.client import Client, ClientSpec, OptionValue, written

PROTOCOL: Final = "protocol"
"""The option whose value is the RESP version."""
RESP2: Final = 2
NAME: Final = re.compile(r"^(?P<library>[A-Za-z0-9._-]+)(@(?P<version>[A-Za-z0-9._-]+))?(\[(?P<options>[^\[\]]*)\])?$")


def make_client(spec: ClientSpec, version: str | None, options: dict[str, OptionValue]) -> Client:
    """Return the client with its canonical name, which names only what differs from the defaults."""
    values = spec.option_values(version)
    chosen = {name: options.get(name, allowed[0]) for name, allowed in values.items()}
    different = [f"{name}={written(chosen[name])}" for name, allowed in values.items() if chosen[name] != allowed[0]]
    name = spec.library + (f"@{version}" if version else "") + (f"[{','.join(different)}]" if different else "")
    return Client(name=name, library=spec.library, runner=spec.runner, version=version, options=chosen)


def variants(spec: ClientSpec) -> list[Client]:
    """Return the library's variants in the order of its spec."""
    return [make_client(spec, variant.version, variant.options) for variant in spec.variants]


def missing_part(client: Client, description: Description) -> MissingClient | None:
    """Return what the runner says it lacks for this client: the library, or a value of one of its options."""
    parts = {client.library} | {f"{client.library}[{name}={written(value)}]" for name, value in client.options.items()}
    return next((missing for missing in description.missing if missing.library in parts), None)


def protocol_of(client: Client, description: Description) -> int:
    """Return the RESP version of the client's label: its option `protocol`, else what the runner says about it."""
    own = next((one.protocol for one in description.clients if one.library == client.library), RESP2)
    return int(client.options.get(PROTOCOL, own))


def find_clients(name: str, specs: dict[str, ClientSpec]) -> list[Client]:
    """Return the clients that `name` means: all variants of a library, or one by its name.

    Raises:
        InvalidRequestError: no such library, version, option or value; the message lists what there is.
    """
    match = NAME.match(name)
    if match is None:
        message = f"`{name}` is not a client's name; write library, library@version or library[option=value]"
        raise InvalidRequestError(message)
    spec = _library(match["library"], specs)
    if match["version"] is None and match["options"] is None:
        return variants(spec)
    version = _version(spec, match["version"])
    return [make_client(spec, version, _options(spec, version, match["options"] or ""))]


def one_client(name: str, specs: dict[str, ClientSpec]) -> Client:
    """Return the one client that `name` means in a comparison: a library's name alone means its default.

    Raises:
        InvalidRequestError: as `find_clients`.
    """
    match = NAME.match(name)
    is_library = match is not None and match["version"] is None and match["options"] is None
    return find_clients(f"{name}[]" if is_library else name, specs)[0]


def unambiguous_name(client: Client) -> str:
    """Return a name that `find_clients` takes for this client alone: for a library's default, it is `library[]`."""
    return client.name if client.name != client.library else f"{client.name}[]"


def _library(library: str, specs: dict[str, ClientSpec]) -> ClientSpec:
    if library not in specs:
        message = f"there is no client library `{library}`; there are: {', '.join(sorted(specs))}"
        raise InvalidRequestError(message)
    return specs[library]


def _version(spec: ClientSpec, version: str | None) -> str | None:
    if version is not None and version not in spec.versions:
        known = ", ".join(spec.versions) or "none"
        message = f"`{spec.library}` has no pinned version `{version}`; there are: {known}"
        raise InvalidRequestError(message)
    return version


def _options(spec: ClientSpec, version: str | None, text: str) -> dict[str, OptionValue]:
    return dict(_option(spec, version, part.strip()) for part in text.split(",") if part.strip())


def _option(spec: ClientSpec, version: str | None, part: str) -> tuple[str, OptionValue]:
    name, _, value_text = part.partition("=")
    values = spec.option_values(version)
    if name not in values:
        message = f"`{spec.library}` has no option `{name}`; it has: {', '.join(values)}"
        raise InvalidRequestError(message)
    for value in values[name]:
        if written(value) == value_text:
            return name, value
    allowed = ", ".join(written(value) for value in values[name])
    message = f"`{value_text}` is not a value of {spec.library}'s option `{name}`; allowed: {allowed}"
    raise InvalidRequestError(message)
