"""What a workload is made from: mix, key spaces and value sizes."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Message, PositiveCount


class KeyArgument(Message):
    """A key, drawn from the command's key space."""

    kind: Literal["key"] = "key"


class ValueArgument(Message):
    """A value; its bytes follow from the key, its size is drawn."""

    kind: Literal["value"] = "value"


class LiteralArgument(Message):
    """A fixed text."""

    kind: Literal["literal"] = "literal"
    text: str


Argument = Annotated[KeyArgument | ValueArgument | LiteralArgument, Field(discriminator="kind")]


class CommandSpec(Message):
    """One kind of command in the mix."""

    name: str = Field(pattern=r"^[A-Z]+$")
    share: float = Field(gt=0, le=1)
    """Part of the commands that are of this kind; the shares add up to 1."""
    keys: PositiveCount
    """Keys are drawn from the first `keys` of the key space."""
    arguments: tuple[Argument, ...]


class SizeSpec(Message):
    """Value sizes: a normal distribution, rounded and clipped."""

    mean_bytes: float = Field(gt=0)
    standard_deviation_bytes: float = Field(ge=0)
    min_bytes: PositiveCount
    max_bytes: PositiveCount
    distinct: PositiveCount = 16
    """So many sizes stand for the distribution, each for an equal share of it: a workload has few distinct values."""

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
    """Keys 0 to preload_keys - 1 are written before each trial."""
    key_prefix: str = "key:"
    key_digits: PositiveCount = 7
    modulus_bits: int = Field(default=4, ge=1, le=24)
    """2**modulus_bits keys in a row have values that begin at places of their own; then they come again."""
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
        """A GET misses exactly when its key was not preloaded: no command may write another key."""
        for command in self.mix:
            writes = any(isinstance(argument, ValueArgument) for argument in command.arguments)
            if writes and command.keys > self.preload_keys:
                message = f"{command.name} writes {command.keys} keys, more than preload_keys = {self.preload_keys}"
                raise ValueError(message)
        return self

    def _keys_fit(self) -> Self:
        largest = max(self.preload_keys, *(command.keys for command in self.mix))
        if largest > 10**self.key_digits:
            message = f"{largest} keys do not fit key_digits = {self.key_digits}"
            raise ValueError(message)
        return self
