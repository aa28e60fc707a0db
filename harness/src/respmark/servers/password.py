"""The server's password if it is not in the URL: it must not show in the process list.

A command measures one server, so a process has at most one such password.
"""

import os
from getpass import getpass
from pathlib import Path
from typing import Final

from respmark.errors import InvalidRequestError
from respmark.redaction import conceal, forget

PASSWORD_VARIABLE: Final = "RESPMARK_SERVER_PASSWORD"  # noqa: S105 - the name of a variable, not a password
LENGTH_LIMIT: Final = 64 * 1024
"""No server accepts a longer one, and a larger file is not a password file."""
WAYS: Final = f"{PASSWORD_VARIABLE}, --password-file or --ask-password"
"""Ways to give a password that do not show it in the process list."""

_given: list[str] = []


def take_from_environment() -> None:
    """Keep the password from the environment, and remove it there: what we start must not get it."""
    _given.clear()
    forget()
    if password := os.environ.pop(PASSWORD_VARIABLE, None):
        give(password)


def give(password: str) -> None:
    """Keep a password for the server; it takes precedence over the one from the environment."""
    conceal(password)
    try:
        password.encode()
    except UnicodeEncodeError:
        # Without its cause, which would contain the password.
        raise InvalidRequestError("the password of the server is not UTF-8") from None
    _given[:] = [password]


def given() -> str | None:
    """Return the password that was given apart from the URL."""
    return _given[0] if _given else None


def read_password(file: str) -> str:
    """Return the first line of a file, or of standard input for `-`."""
    try:
        with open(0 if file == "-" else file, "rb", closefd=file != "-") as opened:
            content = opened.readline(LENGTH_LIMIT + 1)
        password = content.removesuffix(b"\n").removesuffix(b"\r").decode()
    except OSError as error:
        raise InvalidRequestError(f"the password file {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidRequestError(f"the password file {file} is not UTF-8") from error
    if not password or len(content) > LENGTH_LIMIT:
        raise InvalidRequestError(
            f"the password file {file} {'holds more than a password' if password else 'has an empty first line'}"
        )
    return password


def ask_password() -> str:
    """Ask on the terminal, without showing what is typed."""
    try:
        with Path("/dev/tty").open("rb"):
            password = getpass("password of the server: ")
    except (OSError, EOFError) as error:
        raise InvalidRequestError(
            f"--ask-password needs a terminal; give the password with {PASSWORD_VARIABLE} or --password-file"
        ) from error
    if not password:
        raise InvalidRequestError("no password was typed; leave --ask-password out where the server asks for none")
    return password
