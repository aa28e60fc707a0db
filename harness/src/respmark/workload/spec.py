"""What a workload is made from: mix, key spaces and value sizes."""

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Count, Message, PositiveCount
from respmark.contract.trial import Scenario
from respmark.workload.commands import Kind, known

Slots = Literal["one", "across"]
"""Where the keys are in a cluster: all in one slot, or each in the slot of its own name."""


class KeyArgument(Message):
    """A key: the command's, drawn from its key space, or one that follows it."""

    kind: Literal["key"] = "key"
    offset: Count = 0
    """Added to the number of the command's key."""


class ValueArgument(Message):
    """The value of such a key: its bytes follow from the key, its size is drawn, the same for all of a command."""

    kind: Literal["value"] = "value"
    offset: Count = 0


class LiteralArgument(Message):
    """A fixed text."""

    kind: Literal["literal"] = "literal"
    text: str


Argument = Annotated[KeyArgument | ValueArgument | LiteralArgument, Field(discriminator="kind")]


class KeySpace(Message):
    """Consecutive keys."""

    first_key: Count = 0
    keys: PositiveCount
    """How many; every key that a command names, also with an offset, is among them."""

    @property
    def key_space(self) -> range:
        """Return the numbers of the keys."""
        return range(self.first_key, self.first_key + self.keys)


class StructureSpec(KeySpace):
    """Keys that are preloaded as something other than a plain string."""

    kind: Kind
    """`counter`: the string 0. `list`: `list_length` values of the key. `hash`: `hash_fields` fields with values of
    the key. `set`, `sorted-set`: the key's value in every size that the workload draws. `numbers`: a set of the whole
    numbers below `set_members`."""


class CommandSpec(KeySpace):
    """One kind of command in the mix."""

    name: str = Field(pattern=r"^[A-Z]+$")
    share: float = Field(gt=0, le=1)
    """The share of the commands that are of this kind; all shares add up to 1."""
    arguments: tuple[Argument, ...]
    calls: dict[str, PositiveCount] = Field(default_factory=dict)
    """A script's: how often each call of it runs other commands; the server counts those, too."""

    @property
    def has_value(self) -> bool:
        """Return whether it sends a value."""
        return any(isinstance(argument, ValueArgument) for argument in self.arguments)

    @property
    def key_arguments(self) -> int:
        """Return how many keys it names."""
        return sum(isinstance(argument, KeyArgument) for argument in self.arguments)

    @property
    def most_offset(self) -> int:
        """Return how far the last key that the command names lies behind its first one."""
        return max((a.offset for a in self.arguments if not isinstance(a, LiteralArgument)), default=0)

    @model_validator(mode="after")
    def _offsets_fit(self) -> Self:
        if self.most_offset >= self.keys:
            raise ValueError(
                f"{self.name} names a key {self.most_offset} behind its first, but its key space has {self.keys}"
            )
        return self


class BesideSpec(Message):
    """What the run itself sends while a slice works, as another client would: on a connection of its own."""

    command: tuple[str | Count, ...] = Field(min_length=1)
    """The command's words; a whole number is that of a key. SCAN goes through all keys, from 0 on to the end: its words
    are sent with each cursor."""
    per_second: float = Field(gt=0, allow_inf_nan=False)
    """How often it is sent, or a SCAN begun."""

    @property
    def keys(self) -> int:
        """Return how many keys it names."""
        return sum(isinstance(word, int) for word in self.command)


class MovesSpec(Message):
    """Slots of a cluster that the run moves while a slice works, in turn from each primary to the next."""

    by: Literal["setslot", "migrateslots"]
    """setslot: CLUSTER SETSLOT and MIGRATE, as redis-cli does it: clients are sent on meanwhile. migrateslots: CLUSTER
    MIGRATESLOTS of Valkey 9: a slot moves from one moment to the next."""
    slots: PositiveCount = 1
    """How many are moved together."""
    per_second: float = Field(gt=0, allow_inf_nan=False)
    """How often."""


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
            raise ValueError("min_bytes <= mean_bytes <= max_bytes must hold")
        return self


class WorkloadSpec(Message):
    """A workload; `from_toml` says how the sections of `specs/workloads/*.toml` become one."""

    name: str = Field(pattern=r"^[a-z0-9-]+(\[[^\[\]]+\])?$")
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
    set_members: PositiveCount = 100
    """Members of each preloaded set of numbers."""
    setup: tuple[tuple[str, ...], ...] = ()
    """Commands that the server gets before each block, such as SCRIPT LOAD; only one that respmark starts."""
    modulus_bits: int = Field(default=4, ge=1, le=24)
    """2**modulus_bits consecutive keys have values that begin at different places; then the places repeat."""
    subscribers: Count = 0
    """Connections of the run that listen to the channel that PUBLISH names first, while the workload's block runs."""
    elements_per_second: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """How many elements a second the run pushes to the list that the only command pops, while a slice of it works; the
    list is empty before."""
    beside: BesideSpec | None = None
    """What the run itself sends meanwhile; only to a server that respmark starts."""
    moves: MovesSpec | None = Field(default=None, exclude_if=lambda given: given is None)
    """Which slots it moves meanwhile; only of a cluster that respmark starts."""
    drivers_only: bool = False
    """Only load generators send it: adapters lack its command, or the command leaves nothing as it was."""
    waits_s: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """How long the server lets a client wait for each reply, in seconds, as BLPOP does: slices and warm-ups have few
    units then."""
    in_order: bool = Field(default=False, exclude_if=operator.not_)
    """Each key is written, read and deleted in turn: the mix is SET, GET and DEL, each sent as often as its share says.
    A GET that misses was answered by a replica that did not have the write yet."""
    slots: Slots | None = Field(default=None, exclude_if=lambda given: given is None)
    """Where its keys are in a cluster; null: across slots, unless a command of it has several keys."""
    sizes: SizeSpec
    mix: tuple[CommandSpec, ...] = Field(min_length=1, max_length=255)

    @property
    def channel(self) -> str | None:
        """Return the channel that it publishes to; None: it publishes nothing."""
        first = (kind.arguments[0] for kind in self.mix if kind.name == "PUBLISH" and kind.arguments)
        return next((one.text for one in first if isinstance(one, LiteralArgument)), None)

    @property
    def counted(self) -> list[str]:
        """Return its commands, and those that its scripts call, in lower case as servers count them."""
        names = (name for kind in self.mix for name in (kind.name, *kind.calls))
        return [name.lower() for name in dict.fromkeys(names)]

    def slots_in(self, scenario: Scenario) -> Slots:
        """Return where its keys are in a cluster: those of a transaction are in one slot, whatever it says."""
        if scenario is Scenario.TRANSACTION:
            return "one"
        return self.slots or ("one" if any(kind.key_arguments > 1 for kind in self.mix) else "across")

    @property
    def in_turn(self) -> list[int]:
        """Return the places in the mix of the commands that follow each other with one key; none if keys are drawn."""
        least = min(kind.share for kind in self.mix)
        places = (place for place, kind in enumerate(self.mix) for _ in range(round(kind.share / least)))
        return list(places) if self.in_order else []

    @property
    def list_key(self) -> int | None:
        """Return the number of the key to which the run pushes elements; None: it pushes none."""
        return self.mix[0].first_key if self.elements_per_second else None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if problem := next(self._problems(), None):
            raise ValueError(problem)
        return self

    def _problems(self) -> Iterator[str]:
        total = sum(command.share for command in self.mix)
        if not math.isclose(total, 1, abs_tol=1e-9):
            yield f"the shares of the mix add up to {total:g}, not to 1"
        largest = max(self.preload_keys, *(command.key_space.stop for command in self.mix))
        if largest > 10**self.key_digits:
            yield f"{largest} keys do not fit key_digits = {self.key_digits}"
        for one in self.structures:
            if one.key_space.stop > self.preload_keys:
                yield f"a {one.kind} at key {one.key_space.stop - 1} is beyond preload_keys = {self.preload_keys}"
        yield from self._problems_moved()
        if self.in_order and [kind.name for kind in self.mix] != ["SET", "GET", "DEL"]:
            yield "in_order needs a mix of SET, GET and DEL, in this order"
        if self.in_order and self.commands % len(self.in_turn):
            yield f"in_order needs commands to be a multiple of {len(self.in_turn)}, a key's SET, GETs and DEL"
        for command in self.mix:
            yield from self._problems_of(command)
        yield from self._problems_beside()
        names = {command.name for command in self.mix}
        if "LPUSH" in names and "LTRIM" not in names and not self.drivers_only:
            yield f"LPUSH makes lists grow without end: add LTRIM of their keys to 0 {self.list_length - 1}"

    def _problems_beside(self) -> Iterator[str]:
        """Yield what is wrong with what the run itself does while a slice works."""
        if self.elements_per_second and [one.keys for one in self.mix] != [1]:
            yield "elements_per_second needs a mix of one command with one key, the list to which elements are pushed"
        if self.list_key is not None and self.list_key < self.preload_keys:
            yield f"elements are pushed to an empty list: give the command a first_key of {self.preload_keys} or above"
        if self.beside is None:
            return
        if self.elements_per_second:
            yield "the run either sends a command beside or pushes elements: leave out beside, or elements_per_second"
        for number in self.beside.command:
            if isinstance(number, int) and number >= self.preload_keys:
                yield f"beside names key {number}, beyond preload_keys = {self.preload_keys}"

    def _problems_moved(self) -> Iterator[str]:
        """Yield why the run cannot tell what it sends itself, where it moves slots, from what clients send."""
        if self.moves is None:
            return
        if self.beside is not None or self.elements_per_second:
            yield "the run either moves slots or sends commands: leave out moves, or beside and elements_per_second"
        if self.structures:
            yield "slots are moved with plain strings in them: leave out moves, or structures"
        writes = [kind.name for kind in self.mix if kind.has_value or known(kind.name).changes]
        if writes and self.moves.by == "migrateslots":
            yield (
                f"{', '.join(writes)} would be counted twice by MIGRATESLOTS, which repeats on another node what is "
                "written meanwhile: leave out writes, or move slots by setslot"
            )

    def _problems_of(self, command: CommandSpec) -> Iterator[str]:
        space, about = command.key_space, known(command.name)
        # A GET misses exactly if its key was not preloaded, so no command may write another key.
        if (command.has_value or (about.has_method and about.changes)) and space.stop > self.preload_keys:
            yield f"{command.name} writes keys up to {space.stop}, more than preload_keys = {self.preload_keys}"
        if about.has_method and about.keys != "none":
            yield from self._misplaced(command, about.holds)
        if command.name in {"LRANGE", "LTRIM"}:
            yield from self._wrong_range(command)
        if not about.has_method and not _are_together(command.arguments):
            yield f"{command.name} has no method of its own in adapters: its keys must follow each other"

    def _misplaced(self, command: CommandSpec, needed: Kind | None) -> Iterator[str]:
        """Yield why the command's keys do not hold what it works on."""
        space = command.key_space
        if needed is None:
            for one in self.structures:
                if space.start < one.key_space.stop and one.key_space.start < space.stop:
                    yield f"{command.name} works on strings, but key {one.first_key} on are of kind {one.kind}"
        elif not any(
            one.kind == needed and one.key_space.start <= space.start and space.stop <= one.key_space.stop
            for one in self.structures
        ):
            where = f"keys {space.start} to {space.stop - 1}"
            yield f"{command.name} needs [[structures]] of kind {needed} that hold {where}"

    def _wrong_range(self, command: CommandSpec) -> Iterator[str]:
        match command.arguments:
            case (KeyArgument(), LiteralArgument(text=begin), LiteralArgument(text=end)):
                first, last = int(begin), int(end)
                whole = (first, last) == (0, self.list_length - 1)
                if not whole and (command.name == "LTRIM" or not 0 <= first <= last < self.list_length):
                    yield f"{command.name} {first} {last} does not fit lists with list_length = {self.list_length}"
            case _:
                yield f"{command.name} takes a key and two literals"


def _are_together(arguments: Sequence[Argument]) -> bool:
    """Return whether no other argument stands between two keys."""
    places = [place for place, one in enumerate(arguments) if isinstance(one, KeyArgument)]
    return places == list(range(places[0], places[0] + len(places))) if places else True
