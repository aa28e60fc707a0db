"""A workload in memory: which commands are sent, and which value belongs to which key.

Without numpy: importing it makes redis-py's own code take some 4 % more CPU time, and that is not the client's fault.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Word = str | bytes
Words = tuple[Word, ...]
"""The arguments of one command in order, without its name: keys and literals as text, values as bytes."""


@dataclass(frozen=True)
class Argument:
    """One argument of a kind of command: `key`, `value` or `literal`."""

    kind: str
    text: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of command of the mix."""

    name: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Columns:
    """The columns of the file; all but the block have one row a command."""

    kinds: bytes
    keys: Sequence[int]
    sizes: Sequence[int]
    block: bytes


@dataclass(frozen=True)
class Workload:
    """The commands that every runner sends in the same order."""

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

    def kind(self, index: int) -> Kind:
        """Return the kind of the command at `index`."""
        return self.mix[self.columns.kinds[index]]

    def value(self, key: int, size: int) -> bytes:
        """Return the value of key number `key` with `size` bytes."""
        start = key * self.numbers["value_multiplier"] & ((1 << self.numbers["value_modulus_bits"]) - 1)
        return self.columns.block[start : start + size]

    def first_command(self, walker: int, walkers: int) -> int:
        """Return where walker number `walker` of `walkers` starts."""
        return walker * self.commands // walkers

    def line(self, index: int) -> str:
        """Return the command at `index` as messages show it: its name and its key."""
        kind = self.kind(index)
        has_key = any(argument.kind == "key" for argument in kind.arguments)
        return f"{kind.name} {self.key(self.columns.keys[index])}" if has_key else kind.name

    def key(self, number: int) -> str:
        """Return the key with this number."""
        return f"{self.key_prefix}{number:0{self.numbers['key_digits']}d}"

    def words(self) -> list[Words]:
        """Return the arguments of every command, each value as bytes of its own."""
        rows: list[Words] = [()] * self.commands
        for number, kind in enumerate(self.mix):
            indices = self.indices(number)
            columns = [self._column(argument, indices) for argument in kind.arguments]
            for index, words in zip(indices, zip(*columns, strict=True), strict=bool(columns)):
                rows[index] = words
        return rows

    def indices(self, number: int) -> list[int]:
        """Return where the commands of the mix's kind `number` stand."""
        return [index for index, kind in enumerate(self.columns.kinds) if kind == number]

    def _column(self, argument: Argument, indices: Sequence[int]) -> Sequence[Word]:
        keys, sizes = self.columns.keys, self.columns.sizes
        if argument.kind == "literal":
            return [argument.text] * len(indices)
        if argument.kind == "value":
            return [self.value(keys[index], sizes[index]) for index in indices]
        form = f"{self.key_prefix.replace('%', '%%')}%0{self.numbers['key_digits']}d"
        return [form % keys[index] for index in indices]
