"""Target URLs: redis://, rediss:// and unix://, as the client libraries themselves read them."""

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from pydantic import SecretStr

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError
from respmark.redaction import HIDDEN, conceal
from respmark.specs.target import TargetSpec, UrlTarget
from respmark.target.password import WAYS, given

DEFAULT_PORT: Final = 6379
SCHEMES: Final = ("redis", "rediss", "unix", "valkey", "valkeys")
PARAMETERS: Final = {"db", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs"}
SECRET: Final = re.compile("pass|pwd|auth|secret|token|user", re.IGNORECASE)
"""Names that other programs give to a parameter with a password."""


def is_here(spec: TargetSpec) -> bool:
    """Return whether the server that a spec names runs on this machine, as far as its address shows."""
    return not isinstance(spec, UrlTarget) or is_loopback(parse_url(spec.url))


def is_loopback(endpoint: Endpoint) -> bool:
    """Return whether an address is this machine itself: a Unix socket, or an address that never leaves it."""
    host = endpoint.host
    if host is None or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse_url(url: str) -> Endpoint:
    """Return the endpoint that a URL names.

    Raises:
        InvalidRequestError: the URL does not name a server; the message never shows the password.
    """
    parts, port = _split(url)
    parameters = _parameters(url, parts.query)
    _check(url, parts.scheme, parts.hostname, parts.path)
    unix = parts.scheme == "unix"
    return Endpoint(
        host=None if unix else parts.hostname,
        port=None if unix else port or DEFAULT_PORT,
        unix_socket=unquote(parts.path) if unix else None,
        database=_database(url, "" if unix else parts.path, parameters),
        username=unquote(parts.username) if parts.username else None,
        password=_password(parts.password),
        tls=_tls(parameters) if parts.scheme in {"rediss", "valkeys"} else None,
    )


def redact(url: str) -> str:
    """Return the URL without its password, even if the password was not escaped as it must be.

    Only values of parameters that respmark knows are shown: another one may be a password.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    user_info, at, place = rest.rpartition("@")
    user, colon, _password = user_info.partition(":")
    who = f"{user}:{HIDDEN}@" if colon else f"{user}@"
    place, fragment, _ = place.partition("#")
    path, question, query = place.partition("?")
    shown = "&".join(map(_parameter_shown, query.split("&"))) if question else ""
    return f"{scheme}{separator}{who if at else ''}{path}{question}{shown}{f'#{HIDDEN}' if fragment else ''}"


def holds_password(url: str) -> bool:
    """Return whether a password is written into a URL."""
    user_info, at, _ = url.partition("://")[2].rpartition("@")
    return bool(at and user_info.partition(":")[2])


def _parameter_shown(parameter: str) -> str:
    name, equals, _ = parameter.partition("=")
    if name in PARAMETERS or not parameter:
        return parameter
    return f"{name}={HIDDEN}" if equals else HIDDEN


def address(endpoint: Endpoint) -> str:
    """Return where the endpoint is, in words."""
    if endpoint.unix_socket is not None:
        return f"unix socket {endpoint.unix_socket}"
    host = f"[{endpoint.host}]" if ":" in str(endpoint.host) else endpoint.host
    return f"{host}:{endpoint.port}"


def _split(url: str) -> tuple[SplitResult, int | None]:
    """Split a URL; if that fails, the message does not quote it, because any part of it may belong to the password."""
    message = (
        f"the target URL does not read; write redis://user@host:port and give the password with {WAYS} (in a URL, "
        "/ ? # @ of a password are %2F %3F %23 %40, and @ of a path is %40)"
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidRequestError(message) from error
    if "@" in parts.path + parts.query + parts.fragment and (parts.scheme != "unix" or "@" in parts.netloc):
        raise InvalidRequestError(message)
    if parts.scheme == "unix" and parts.netloc and not parts.netloc.endswith("@"):
        raise InvalidRequestError("the target URL does not read; write unix:///path/of/the.sock, with three slashes")
    if port == 0:
        raise InvalidRequestError(f"`{redact(url)}`: 0 is not a port")
    return parts, port


def _check(url: str, scheme: str, host: str | None, path: str) -> None:
    if scheme not in SCHEMES:
        message = f"`{redact(url)}` is not a target URL; it must begin with redis://, rediss:// or unix://"
        raise InvalidRequestError(message)
    if scheme == "unix" and not path.strip("/"):
        message = f"`{redact(url)}` names no socket; write unix:///path/of/the.sock"
        raise InvalidRequestError(message)
    if scheme != "unix" and not host:
        message = f"`{redact(url)}` names no host; write {scheme}://host:port"
        raise InvalidRequestError(message)


def _parameters(url: str, query: str) -> dict[str, str]:
    parameters = {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := sorted(set(parameters) - PARAMETERS):
        raise InvalidRequestError(_unknown(url, query, unknown))
    _check_tls(url, {name for name in parameters if name.startswith("ssl_")}, parameters.get("ssl_cert_reqs"))
    return parameters


def _unknown(url: str, query: str, names: list[str]) -> str:
    """Return a message about parameters that respmark does not know; one without a value may itself be the password."""
    if any(SECRET.search(name) for name in names):
        return (
            f"`{redact(url)}`: the user goes before the host (redis://user@host:port), the password into {WAYS}; "
            f"parameters are {', '.join(sorted(PARAMETERS))}"
        )
    shown = ", ".join(name if f"{name}=" in query else HIDDEN for name in names)
    return (
        f"`{redact(url)}` has parameters that respmark does not know: {shown}; it knows {', '.join(sorted(PARAMETERS))}"
    )


def _check_tls(url: str, names: set[str], verification: str | None) -> None:
    if names and not url.startswith(("rediss://", "valkeys://")):
        message = f"`{redact(url)}` has {', '.join(sorted(names))} but no TLS; write rediss://"
        raise InvalidRequestError(message)
    if verification not in {None, "required", "none"}:
        message = f"`{redact(url)}`: ssl_cert_reqs is `required` or `none`, not `{verification}`"
        raise InvalidRequestError(message)


def _database(url: str, path: str, parameters: dict[str, str]) -> int:
    written = parameters.get("db") or path.strip("/") or "0"
    if not written.isdecimal():
        message = f"`{redact(url)}`: `{written}` is not a database number"
        raise InvalidRequestError(message)
    return int(written)


def _password(written: str | None) -> SecretStr | None:
    if not written:
        password = given()
    else:
        password = unquote(written)
        conceal(written)
        conceal(password)
    return None if password is None else SecretStr(password)


def _tls(parameters: dict[str, str]) -> Tls:
    return Tls(
        ca_file=parameters.get("ssl_ca_certs"),
        certificate_file=parameters.get("ssl_certfile"),
        key_file=parameters.get("ssl_keyfile"),
        verify=parameters.get("ssl_cert_reqs", "required") != "none",
    )
