"""Target URLs: redis://, rediss:// and unix://, as the client libraries themselves read them."""

import os
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from pydantic import SecretStr

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError

PASSWORD_VARIABLE: Final = "RESPMARK_TARGET_PASSWORD"  # noqa: S105 - the name of a variable, not a password
DEFAULT_PORT: Final = 6379
SCHEMES: Final = ("redis", "rediss", "unix", "valkey", "valkeys")
PARAMETERS: Final = {"db", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs"}


def parse_url(url: str) -> Endpoint:
    """Return the endpoint that a URL names.

    Raises:
        InvalidRequestError: the URL is not one of a server; the message never shows the password.
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
    """Return the URL without its password, even where the password was not escaped as it must be."""
    scheme, separator, rest = url.partition("://")
    user_info, at, host = rest.rpartition("@")
    user, colon, _password = user_info.partition(":")
    return f"{scheme}{separator}{user}:***@{host}" if separator and at and colon else url


def address(endpoint: Endpoint) -> str:
    """Return where the endpoint is, in words."""
    if endpoint.unix_socket is not None:
        return f"unix socket {endpoint.unix_socket}"
    host = f"[{endpoint.host}]" if ":" in str(endpoint.host) else endpoint.host
    return f"{host}:{endpoint.port}"


def _split(url: str) -> tuple[SplitResult, int | None]:
    """Split a URL; what is wrong with it is not quoted, it may be a part of the password."""
    message = (
        "the target URL does not read; write redis://user:password@host:port, "
        "with / ? # @ in a password as %2F %3F %23 %40"
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidRequestError(message) from error
    if "@" in parts.path + parts.query + parts.fragment and "@" not in parts.netloc and parts.scheme != "unix":
        raise InvalidRequestError(message)
    if port == 0:
        raise InvalidRequestError(f"`{redact(url)}`: 0 is not a port")
    return parts, port


def _check(url: str, scheme: str, host: str | None, path: str) -> None:
    if scheme not in SCHEMES:
        message = f"`{redact(url)}` is not a target URL; it must begin with redis://, rediss:// or unix://"
        raise InvalidRequestError(message)
    if scheme == "unix" and not path:
        message = f"`{redact(url)}` names no socket; write unix:///path/of/the.sock"
        raise InvalidRequestError(message)
    if scheme != "unix" and not host:
        message = f"`{redact(url)}` names no host; write {scheme}://host:port"
        raise InvalidRequestError(message)


def _parameters(url: str, query: str) -> dict[str, str]:
    parameters = {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := set(parameters) - PARAMETERS:
        message = (
            f"`{redact(url)}` has parameters that respmark does not know: {', '.join(sorted(unknown))}; "
            f"it knows {', '.join(sorted(PARAMETERS))}"
        )
        raise InvalidRequestError(message)
    _check_tls(url, {name for name in parameters if name.startswith("ssl_")}, parameters.get("ssl_cert_reqs"))
    return parameters


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
    password = unquote(written) if written else os.environ.get(PASSWORD_VARIABLE)
    return SecretStr(password) if password else None


def _tls(parameters: dict[str, str]) -> Tls:
    return Tls(
        ca_file=parameters.get("ssl_ca_certs"),
        certificate_file=parameters.get("ssl_certfile"),
        key_file=parameters.get("ssl_keyfile"),
        verify=parameters.get("ssl_cert_reqs", "required") != "none",
    )
