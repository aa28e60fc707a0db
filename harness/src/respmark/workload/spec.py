"""What a workload is made from: mix, key spaces and value sizes."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Count, Message, PositiveCount
from respmark.workload.commands import StructureSpec, changes, structure_mismatch


class KeyArgument(Message):
    """A key: the command's, drawn from its key space, or one that follows it."""

    kind: Literal["key"] = "key"
    offset: Count = 0
    """Added to the number of the command's key."""


class ValueArgument(Message):
    """The value of such a key: its bytes follow from the key, its size is drawn, the same for all of a command."""

    kind: Literal["value"] = "value"
    offset: Count = 0
    """Added to the number of the command's key."""


class LiteralArgument(Message):
    """A fixed text."""

    kind: Literal["literal"] = "literal"
    text: str


Argument = Annotated[KeyArgument | ValueArgument | LiteralArgument, Field(discriminator="kind")]


class CommandSpec(Message):
    """One kind of command in the mix."""

    name: str = Field(pattern=r"^[A-Z]+$")
    share: float = Field(gt=0, le=1)
    """The share of the commands that are of this kind; all shares add up to 1."""
    first_key: Count = 0
    """Number of the first key of the command's key space."""
    keys: PositiveCount
    """Number of keys in the command's key space; every key that a command names, also with an offset, is in it."""
    arguments: tuple[Argument, ...]

    @property
    def most_offset(self) -> int:
        """Return how far the last key that the command names lies behind its first one."""
        return max((a.offset for a in self.arguments if not isinstance(a, LiteralArgument)), default=0)

    @property
    def key_space(self) -> range:
        """Return the numbers of the keys that the command may name."""
        return range(self.first_key, self.first_key + self.keys)

    @model_validator(mode="after")
    def _offsets_fit(self) -> Self:
        if self.most_offset >= self.keys:
            message = f"{self.name} names a key {self.most_offset} behind its first, but its key space has {self.keys}"
            raise ValueError(message)
        return self


class SizeSpec(Message):
    """Value sizes: a normal distribution, rounded and clipped."""

    mean_bytes: float = Field(gt=0)
    standard_deviation_bytes: float = Field(ge=0)
    min_bytes: PositiveCount
    max_bytes: PositiveCount
    distinct: PositiveCount = 16
    """How many sizes represent the distribution, each for an equal share of it: a workload has few distinct values."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.min_bytes <= self.mean_bytes <= self.max_bytes:
            message = "min_bytes <= mean_bytes <= max_bytes must hold"
            raise ValueError(message)
        return self


class WorkloadSpec(Message):
    """A workload, as `specs/workloads/*.toml` gives it."""

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    summary: str
    commands: PositiveCount
    """Commands in the file; runners replay them cyclically."""
    preload_keys: PositiveCount
    """Keys 0 to preload_keys - 1 exist before each block."""
    key_prefix: str = "key:"
    key_digits: PositiveCount = 7
    structures: tuple[StructureSpec, ...] = ()
    """The preloaded keys that are not plain strings."""
    list_length: PositiveCount = 100
    """Elements of each preloaded list."""
    hash_fields: PositiveCount = 10
    """Fields of each preloaded hash."""
    modulus_bits: int = Field(default=4, ge=1, le=24)
    """2**modulus_bits consecutive keys have values that begin at different places; then the places repeat."""
    sizes: SizeSpec
    mix: tuple[CommandSpec, ...] = Field(min_length=1, max_length=255)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = sum(command.share for command in self.mix)
        if not math.isclose(total, 1, abs_tol=1e-9):
            message = f"the shares of the mix add up to {total:g}, not to 1"
            raise ValueError(message)
        return self._keys_fit()

    @model_validator(mode="after")
    def _writes_are_preloaded(self) -> Self:
        """A GET misses exactly if its key was not preloaded, so no command may write another key."""
        for command in self.mix:
            values = any(isinstance(argument, ValueArgument) for argument in command.arguments)
            if (values or changes(command.name)) and command.key_space.stop > self.preload_keys:
                last = command.key_space.stop
                message = f"{command.name} writes keys up to {last}, more than preload_keys = {self.preload_keys}"
                raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _commands_find_their_structures(self) -> Self:
        for command in self.mix:
            if problem := structure_mismatch(command.name, command.key_space, self.structures):
                raise ValueError(problem)
        return self

    @model_validator(mode="after")
    def _structures_are_preloaded(self) -> Self:
        for one in self.structures:
            if one.key_space.stop > self.preload_keys:
                message = f"a {one.kind} at key {one.key_space.stop - 1} is beyond preload_keys = {self.preload_keys}"
                raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _lists_keep_their_length(self) -> Self:
        """Lists that grow are trimmed, but never below the length at which every LRANGE finds all its elements."""
        names = {command.name for command in self.mix}
        if "LPUSH" in names and "LTRIM" not in names:
            message = f"LPUSH makes lists grow without end: add LTRIM of their keys to 0 {self.list_length - 1}"
            raise ValueError(message)
        for command in self.mix:
            if (ends := range_ends(command)) and not self._is_right_range(command.name, *ends):
                message = f"{command.name} {ends[0]} {ends[1]} does not fit lists with list_length = {self.list_length}"
                raise ValueError(message)
        return self

    def _is_right_range(self, name: str, first: int, last: int) -> bool:
        if name == "LTRIM":
            return (first, last) == (0, self.list_length - 1)
        return 0 <= first <= last < self.list_length

    def _keys_fit(self) -> Self:
        largest = max(self.preload_keys, *(command.key_space.stop for command in self.mix))
        if largest > 10**self.key_digits:
            message = f"{largest} keys do not fit key_digits = {self.key_digits}"
            raise ValueError(message)
        return self


def range_ends(command: CommandSpec) -> tuple[int, int] | None:
    """Return the first and the last index in an LRANGE or LTRIM; None for other commands."""
    if command.name not in {"LRANGE", "LTRIM"}:
        return None
    match command.arguments:
        case (KeyArgument(), LiteralArgument(text=first), LiteralArgument(text=last)):
            return int(first), int(last)
    message = f"{command.name} takes a key and two literals"
    raise ValueError(message)
