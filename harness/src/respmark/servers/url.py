"""Where the server is: a URL (redis://, rediss:// or unix://), as the client libraries themselves read them."""

import ipaddress
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from pydantic import SecretStr

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError
from respmark.redaction import conceal
from respmark.servers.password import WAYS, given
from respmark.specs.server import ServerSpec, UrlServer

DEFAULT_PORT: Final = 6379
SCHEMES: Final = {"redis": "redis:", "rediss": "rediss:", "unix": "unix:", "valkey": "redis:", "valkeys": "rediss:"}
"""What redis-py reads in place of each scheme."""
PARAMETERS: Final = ("db", "ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_keyfile")
UNREADABLE: Final = (
    f"the server URL cannot be parsed; write redis://user@host:port and give the password with {WAYS} (in a URL, "
    "/ ? # @ of a password are %2F %3F %23 %40, and @ of a path is %40)"
)
"""Does not quote the URL, because any part of it may belong to the password."""


def is_here(spec: ServerSpec) -> bool:
    """Return whether the server that a spec names runs on this machine, as far as its address shows."""
    return not isinstance(spec, UrlServer) or is_loopback(parse_url(spec.url))


def is_loopback(endpoint: Endpoint) -> bool:
    """Return whether an address is this machine itself: a Unix socket, or an address that never leaves it."""
    if endpoint.host is None or endpoint.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(endpoint.host).is_loopback
    except ValueError:
        return False


def address(endpoint: Endpoint) -> str:
    """Return where the endpoint is, in words."""
    if endpoint.unix_socket is not None:
        return f"unix socket {endpoint.unix_socket}"
    host = f"[{endpoint.host}]" if ":" in str(endpoint.host) else endpoint.host
    return f"{host}:{endpoint.port}"


def parse_url(url: str) -> Endpoint:
    """Return the endpoint that a URL names."""
    parts = _split(url)
    parameters = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    unix = parts.scheme == "unix"
    database = parameters.get("db") or ("" if unix else parts.path.strip("/")) or "0"
    if wrong := _wrong(parts, parameters, database):
        raise InvalidRequestError(f"the server URL {wrong}")
    from redis.connection import parse_url as read_url  # noqa: PLC0415 - takes long to load, and few commands need it

    read = read_url(SCHEMES[parts.scheme] + url.partition(":")[2])  # type: ignore[no-untyped-call]
    return Endpoint(
        host=read.get("host"),
        port=None if unix else read.get("port", DEFAULT_PORT),
        unix_socket=read.get("path"),
        database=int(database),
        username=read.get("username") or None,
        password=_password(parts.password),
        tls=_tls(parameters) if SCHEMES[parts.scheme] == "rediss:" else None,
    )


def holds_password(url: str) -> bool:
    """Return whether a password is written into a URL."""
    user_info, at, _ = url.partition("://")[2].rpartition("@")
    return bool(at and user_info.partition(":")[2])


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidRequestError(UNREADABLE) from error
    if "@" in parts.path + parts.query + parts.fragment and (parts.scheme != "unix" or "@" in parts.netloc):
        raise InvalidRequestError(UNREADABLE)
    if parts.scheme == "unix" and parts.netloc and not parts.netloc.endswith("@"):
        raise InvalidRequestError("the server URL cannot be parsed; write unix:///path/of/the.sock, with three slashes")
    if port == 0:
        raise InvalidRequestError("the server URL has port 0, which is not a port")
    return parts


def _wrong(parts: SplitResult, parameters: dict[str, str], database: str) -> str | None:
    """Return what is wrong with a URL, to be read after `the server URL`; None if nothing is."""
    for_tls, verification = [name for name in parameters if name.startswith("ssl_")], parameters.get("ssl_cert_reqs")
    problems = {
        "must begin with redis://, rediss:// or unix://": parts.scheme not in SCHEMES,
        "names no socket; write unix:///path/of/the.sock": parts.scheme == "unix" and not parts.path.strip("/"),
        f"names no host; write {parts.scheme}://host:port": parts.scheme != "unix" and not parts.hostname,
        # They are not named: one without a value may itself be the password.
        (
            f"has parameters that respmark does not know; it knows {', '.join(PARAMETERS)}. The user goes before the "
            f"host (redis://user@host:port), the password into {WAYS}"
        ): not parameters.keys() <= set(PARAMETERS),
        f"has {', '.join(for_tls)} but no TLS; write rediss://": for_tls and SCHEMES.get(parts.scheme) != "rediss:",
        f"has ssl_cert_reqs={verification}; it is `required` or `none`": verification not in {None, "required", "none"},
        f"names database `{database}`, which is not a number": not database.isdecimal(),
    }
    return next((problem for problem, holds in problems.items() if holds), None)


def _password(written: str | None) -> SecretStr | None:
    if not written:
        return SecretStr(apart) if (apart := given()) else None
    conceal(written)
    conceal(password := unquote(written))
    return SecretStr(password)


def _tls(parameters: dict[str, str]) -> Tls:
    return Tls(
        ca_file=parameters.get("ssl_ca_certs"),
        certificate_file=parameters.get("ssl_certfile"),
        key_file=parameters.get("ssl_keyfile"),
        verify=parameters.get("ssl_cert_reqs", "required") != "none",
    )
