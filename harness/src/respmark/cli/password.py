"""The options for the target's password: none of them shows in the process list."""

from dataclasses import dataclass
from typing import Annotated, Final

from cyclopts import Parameter

from respmark.cli.options import tell
from respmark.errors import InvalidRequestError
from respmark.specs.target import TargetSpec, UrlTarget
from respmark.target.password import WAYS, ask_password, give, read_password
from respmark.target.url import holds_password


@Parameter(name="*")
@dataclass(frozen=True)
class PasswordOptions:
    """How the target's password is given; RESPMARK_TARGET_PASSWORD serves where neither option is."""

    password_file: str | None = None
    """File whose first line is the target's password; `-`: standard input."""
    ask_password: Annotated[bool, Parameter(negative=())] = False
    """Ask for the target's password on the terminal."""

    def take(self, written: str | None, spec: TargetSpec) -> None:
        """Get the password for the target that `spec` names; `written` is what the command line says of it.

        Raises:
            InvalidRequestError: there is no use for it, it is given twice, or it cannot be read.
        """
        if written is not None and holds_password(written):
            tell(f"warning: everyone on this machine can read the password in --server while this runs; use {WAYS}")
        if self.password_file is None and not self.ask_password:
            return
        self._check(spec)
        give(ask_password() if self.password_file is None else read_password(self.password_file))

    def _check(self, spec: TargetSpec) -> None:
        if self.password_file is not None and self.ask_password:
            raise InvalidRequestError("--password-file and --ask-password both give the password; leave one out")
        if not isinstance(spec, UrlTarget):
            message = "a password is for a server that --server names by its URL; others are started by respmark itself"
            raise InvalidRequestError(message)
        if holds_password(spec.url):
            raise InvalidRequestError("the target's URL has a password already; leave it, or the option, out")


NO_PASSWORD: Final = PasswordOptions()
