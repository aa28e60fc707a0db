"""What bounds the waits of a library's users: as it is installed, and as its documentation says how to set it."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Count, Message
from respmark.specs.versions import VersionOrder, in_order, is_before, sort_key

LIMITS: Final = "limits"
"""The option whose values these are. It matters where a server fails, and is left out of all other trials."""
INSTALLED: Final = "installed"
HELP: Final = (
    "What bounds a wait, where a server fails. installed: what the library does by itself. 1s: one second for each of "
    "connecting, a command and a pool's connection, by the options that its documentation names. strict: the same, "
    "with what it takes to keep it, such as no retries."
)
Limit = Annotated[float, Field(ge=0, allow_inf_nan=False)] | Literal["none", "missing"]
"""In seconds. `none`: there is no limit. `missing`: the library has no such option."""
Setting = Literal["connect", "command", "pool", "retries", "keep_alive", "user_timeout"]


class LimitsSpec(Message):
    """The limits that are in force at one value of the option."""

    connect: Limit
    command: Limit
    pool: Limit
    """Of waiting for a connection of the pool."""
    retries: Count | Literal["none"] | None = None
    """How often the library repeats a command by itself; `none`: without a limit; null: the note says."""
    options: dict[Setting, str] = Field(default_factory=dict)
    """The names of the library's options that set them; those of the kernel's keep-alive and time-out, too."""
    note: str = ""
    """What a reader must know besides."""

    @model_validator(mode="after")
    def _says_what_is_repeated(self) -> Self:
        if self.retries is None and not self.note:
            raise ValueError("`retries` is missing: say how often a command is repeated, or explain it in `note`")
        return self


class LimitsRow(LimitsSpec):
    """Those of the library, of its clients with other options, and of its older versions."""

    at: dict[str, LimitsSpec] = Field(default_factory=dict)
    """Those in force with an option's value (`api=tokio`) instead, or with the cluster client (`cluster`)."""
    until: dict[str, LimitsSpec] = Field(default_factory=dict)
    """Those in force in versions before this one instead, whatever the options."""

    def before(self, version: str, order: VersionOrder) -> LimitsSpec | None:
        """Return those of an older version; None: the row's own are in force, or it is no version."""
        if sort_key(version, order) is None:
            return None
        newer = [one for one in in_order(self.until, order) if is_before(version, one, order)]
        return self.until[newer[0]] if newer else None


EveryLimits = dict[Literal["installed", "1s", "strict"], LimitsRow]
"""By the option's value."""
