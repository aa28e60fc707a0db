"""What a user writes to name something: NAME@VERSION[setting=value,…]."""

import re
from dataclasses import dataclass
from typing import Final, Self

from respmark.errors import InvalidRequestError

CLIENT: Final = re.compile(
    r"((?P<group>[a-z]+)/)?(?P<base>[A-Za-z0-9._-]+|\*)(@(?P<version>[A-Za-z0-9._+-]+|\*|file:[^\[\]]+))?"
    r"(?P<settings>\[[^\[\]]*\])?"
)
FOLDER: Final = re.compile(
    r"(?P<base>(?:\.{1,2}(?=/|$)|[/~])[^\[\]@]*)(@(?P<version>[^\[\]]+))?(?P<settings>\[[^\[\]]*\])?"
)
"""A client in a folder of the user's own: `./my-client`, `../my-client@1.2[parser=fast]`."""


@dataclass(frozen=True)
class Name:
    """A name in its parts, each as it was written."""

    base: str
    """A library or its folder, a server, a workload, a way to run."""
    version: str = ""
    group: str = ""
    """Of a client: the language or tag before a slash."""
    settings: str = ""
    """In their brackets; empty: there are none."""

    @classmethod
    def of_client(cls, text: str) -> Self | None:
        """Return the parts of a client's name; None if it is none."""
        found = FOLDER.fullmatch(text) or CLIENT.fullmatch(text)
        return None if found is None else cls(**{key: part or "" for key, part in found.groupdict().items()})

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the parts of any other name, whose base has its version: `valkey@9.1[io-threads=2]`."""
        base, bracket, settings = text.partition("[")
        return cls(base, settings=bracket + settings)

    @property
    def options(self) -> str:
        """Return the settings without their brackets."""
        return self.settings[1:-1]

    @property
    def is_folder(self) -> bool:
        """Return whether it is a client in a folder of the user's own."""
        return FOLDER.fullmatch(self.base) is not None

    @property
    def values(self) -> dict[str, str]:
        """Return the settings' values; raises InvalidRequestError if one has none."""
        parts = (part.strip() for part in self.settings.removeprefix("[").removesuffix("]").split(","))
        return dict(map(self._value, filter(None, parts)))

    def _value(self, part: str) -> tuple[str, str]:
        name, equals, value = map(str.strip, part.partition("="))
        if not equals:
            raise InvalidRequestError(f"{self}: `{part}` has no value; write {part}=VALUE")
        return name, value

    def __str__(self) -> str:
        """Write it as it was written."""
        group, version = f"{self.group}/" if self.group else "", f"@{self.version}" if self.version else ""
        return f"{group}{self.base}{version}{self.settings}"


def name_parts(client: str) -> Name:
    """Return the parts of a client's name; one that is none, which a file may have, is a library's without more."""
    return Name.of_client(client) or Name(client)
