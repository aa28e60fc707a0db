"""A workload in memory: which commands are sent, and which value belongs to which key.

No numpy here: importing it makes redis-py's own code take about 4 % more CPU time, which is not the client's fault.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Word = str | bytes
"""An argument of a command: keys and literals are text, values are bytes."""


@dataclass(frozen=True)
class Argument:
    """One argument of a kind of command: `key`, `value` or `literal`."""

    kind: str
    text: str = ""
    offset: int = 0
    """Added to the number of the command's key, gives that of this key, or of this value's key."""


@dataclass(frozen=True)
class Kind:
    """One kind of command in the mix."""

    name: str
    arguments: tuple[Argument, ...]

    @property
    def keys(self) -> int:
        """How many of the arguments are keys."""
        return sum(argument.kind == "key" for argument in self.arguments)


@dataclass(frozen=True)
class Columns:
    """The columns of the file; all but the block have one row per command."""

    kinds: bytes
    keys: Sequence[int]
    sizes: Sequence[int]
    block: bytes


@dataclass(frozen=True)
class Workload:
    """The commands, which every runner sends in the same order."""

    path: Path
    numbers: Mapping[str, int]
    """The header's numbers by name."""
    key_prefix: str
    mix: tuple[Kind, ...]
    columns: Columns

    @property
    def commands(self) -> int:
        """How many commands the file holds."""
        return len(self.columns.kinds)

    def words(self, index: int) -> tuple[Word, ...]:
        """Return the words of the command at `index`, after its name."""
        key, size = self.columns.keys[index], self.columns.sizes[index]
        words: dict[str, Callable[[Argument], Word]] = {
            "key": lambda argument: self.key(key + argument.offset),
            "value": lambda argument: self.value(key + argument.offset, size),
            "literal": lambda argument: argument.text,
        }
        return tuple(words[argument.kind](argument) for argument in self.kind(index).arguments)

    def kind(self, index: int) -> Kind:
        """Return the kind of the command at `index`."""
        return self.mix[self.columns.kinds[index]]

    def value(self, key: int, size: int) -> bytes:
        """Return the value of key number `key` with `size` bytes."""
        multiplier, mask = self.value_place
        start = key * multiplier & mask
        return self.columns.block[start : start + size]

    @property
    def value_place(self) -> tuple[int, int]:
        """The factor and the mask that turn the number of a key into the start of its value in the block."""
        return self.numbers["value_multiplier"], (1 << self.numbers["value_modulus_bits"]) - 1

    def line(self, index: int) -> str:
        """Return the command at `index` as messages show it: its name and its key."""
        kind = self.kind(index)
        has_key = any(argument.kind == "key" for argument in kind.arguments)
        return f"{kind.name} {self.key(self.columns.keys[index])}" if has_key else kind.name

    def key(self, number: int) -> str:
        """Return the key with this number."""
        return f"{self.key_prefix}{number:0{self.numbers['key_digits']}d}"
