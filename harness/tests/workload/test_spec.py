"""What a workload may be made from, and what its keys hold."""

from typing import Any

import pytest
from pydantic import ValidationError

from respmark.paths import SPECS
from respmark.specs.catalogue import Catalogue
from respmark.workload.commands import KNOWN
from respmark.workload.generate import Structures, generate
from respmark.workload.spec import (
    Argument,
    CommandSpec,
    KeyArgument,
    LiteralArgument,
    SizeSpec,
    StructureSpec,
    ValueArgument,
)
from tests.builders.plan import tiny_spec, tiny_workload

KEY, VALUE = KeyArgument(), ValueArgument()
HASHES = StructureSpec(kind="hash", first_key=2, keys=3)
LISTS = StructureSpec(kind="list", keys=2)
SHIPPED = sorted(path.stem for path in (SPECS / "workloads").glob("*.toml"))


def literals(*texts: str) -> tuple[LiteralArgument, ...]:
    """Return fixed words."""
    return tuple(LiteralArgument(text=text) for text in texts)


def command(name: str, *arguments: Argument, first_key: int = 0, keys: int = 2, share: float = 1) -> CommandSpec:
    """Return a kind of command."""
    return CommandSpec(name=name, share=share, first_key=first_key, keys=keys, arguments=arguments)


@pytest.mark.parametrize(
    ("mix", "structures", "message"),
    [
        ([command("GET", KEY, share=0.9)], [], r"add up to 0\.9, not to 1"),
        ([command("GET", KEY, keys=10_001)], [], "10001 keys do not fit key_digits = 4"),
        ([], [], "mix"),
        ([command("SET", KEY, VALUE, keys=9)], [], "SET writes keys up to 9, more than preload_keys = 8"),
        ([command("HGETALL", KEY)], [HASHES], r"HGETALL needs \[\[structures\]\] of kind hash that hold keys 0 to 1"),
        ([command("GET", KEY, first_key=4)], [HASHES], "GET works on strings, but key 2 on are of kind hash"),
        ([command("EXPIRE", KEY, *literals("9"), keys=9)], [], "EXPIRE writes keys up to 9, more than preload_keys"),
        ([command("GET", KEY)], [StructureSpec(kind="set", first_key=7, keys=2)], "a set at key 8 is beyond"),
        ([command("LPUSH", KEY, VALUE)], [LISTS], "LPUSH makes lists grow without end: add LTRIM"),
        ([command("LRANGE", KEY, *literals("0", "100"))], [LISTS], "LRANGE 0 100 does not fit lists"),
        ([command("LTRIM", KEY, *literals("0", "9"))], [LISTS], "LTRIM 0 9 does not fit lists"),
        ([command("LRANGE", KEY)], [LISTS], "LRANGE takes a key and two literals"),
    ],
)
def test_a_workload_that_cannot_be_measured_is_refused(
    mix: list[CommandSpec], structures: list[StructureSpec], message: str
) -> None:
    """A trial would fail, its data would grow, or a GET would find what was not preloaded: told at once."""
    with pytest.raises(ValidationError, match=message):
        tiny_spec(mix=tuple(mix), structures=tuple(structures))


def test_a_key_behind_the_key_space_is_refused() -> None:
    """A command cannot name a key that is further behind its own than the key space is long."""
    with pytest.raises(ValidationError, match="MGET names a key 3 behind its first, but its key space has 3"):
        command("MGET", KEY, KeyArgument(offset=3), keys=3)


def test_every_key_of_a_command_lies_in_its_key_space() -> None:
    """Keys with an offset are no exception, and the first and the last key of the space are drawn."""
    mget = command("MGET", KEY, KeyArgument(offset=2), first_key=3, keys=5)
    keys = generate(tiny_spec(mix=(mget,)), 1).keys
    assert (int(keys.min()), int(keys.max()) + 2) == (3, 7)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_workloads_have_commands_that_are_known(name: str) -> None:
    """Hits and misses of every shipped workload can be held against the server's."""
    spec = Catalogue().workload(name)
    assert {command.name for command in spec.mix} <= set(KNOWN)


def test_structures_are_made_of_values_of_their_keys() -> None:
    """Every element, field and member is a value that belongs to the key, so that replies can be checked."""
    spec = tiny_spec(
        structures=(LISTS, HASHES), mix=(command("HGETALL", KEY, first_key=2),), list_length=3, hash_fields=2
    )
    workload = generate(spec, 1)
    made: dict[bytes, tuple[Any, ...]] = {
        making[1]: making for removing, making in Structures(spec, workload).commands() if removing[0] == b"DEL"
    }
    assert list(made) == [workload.key(number) for number in range(5)]
    push, hset = made[workload.key(1)], made[workload.key(4)]
    assert (push[0], len(push)) == (b"RPUSH", 2 + 3)
    assert all(value == workload.value(1, len(value)) for value in push[2:])
    assert (hset[0], hset[2::2]) == (b"HSET", (b"field:00", b"field:01"))
    assert all(value == workload.value(4, len(value)) for value in hset[3::2])


@pytest.mark.parametrize("change", [{"key_digits": 1, "preload_keys": 10}, {"preload_keys": 256}])
def test_keys_may_fill_their_room(change: dict[str, Any]) -> None:
    """Ten keys have one digit, and 256 places are enough for 256 keys; thirds add up to one."""
    assert tiny_spec(**change).preload_keys == change["preload_keys"]
    assert len(tiny_spec(mix=(command("GET", KEY, share=1 / 3),) * 3).mix) == 3


@pytest.mark.parametrize("name", ["get", "GET KEY", ""])
def test_a_command_is_one_upper_case_word(name: str) -> None:
    """The server's counters are found by the command's name."""
    with pytest.raises(ValidationError, match="name"):
        command(name)


@pytest.mark.parametrize("change", [{"min_bytes": 20}, {"max_bytes": 10}, {"min_bytes": 0}, {"mean_bytes": 0.0}])
def test_sizes_must_be_in_order(change: dict[str, object]) -> None:
    """The mean lies between the smallest and the largest size, which is not zero; all three may be one."""
    fields = {"mean_bytes": 16.0, "standard_deviation_bytes": 0.0, "min_bytes": 16, "max_bytes": 16}
    assert set(tiny_workload(sizes=SizeSpec.model_validate(fields)).sizes.tolist()) == {0, 16}
    with pytest.raises(ValidationError):
        SizeSpec.model_validate(fields | change)
