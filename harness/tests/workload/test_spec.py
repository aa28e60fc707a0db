"""What a workload may be made from, and what its keys hold."""

from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Scenario
from respmark.workload.spec import (
    Argument,
    BesideSpec,
    CommandSpec,
    KeyArgument,
    LiteralArgument,
    MovesSpec,
    Slots,
    StructureSpec,
    ValueArgument,
    WorkloadSpec,
)
from respmark.workload.workload import generate, structure_commands
from tests.builders.plan import tiny_spec

KEY, VALUE = KeyArgument(), ValueArgument()
HASHES = StructureSpec(kind="hash", first_key=2, keys=3)
LISTS = StructureSpec(kind="list", keys=2)


def literals(*texts: str) -> tuple[LiteralArgument, ...]:
    return tuple(LiteralArgument(text=text) for text in texts)


def command(name: str, *arguments: Argument, first_key: int = 0, keys: int = 2, share: float = 1) -> CommandSpec:
    return CommandSpec(name=name, share=share, first_key=first_key, keys=keys, arguments=arguments)


@pytest.mark.parametrize(
    ("changes", "scenario", "slots"),
    [
        ({}, Scenario.SYNC, "across"),
        ({}, Scenario.TRANSACTION, "one"),
        ({"slots": "across"}, Scenario.TRANSACTION, "one"),
        ({"slots": "one"}, Scenario.BATCHING, "one"),
        ({"mix": (command("MGET", KEY, KeyArgument(offset=1)),)}, Scenario.SYNC, "one"),
        ({"mix": (command("MGET", KEY, KeyArgument(offset=1)),), "slots": "across"}, Scenario.SYNC, "across"),
    ],
)
def test_in_a_cluster_keys_are_in_one_slot_where_they_must_be(
    changes: dict[str, Any], scenario: Scenario, slots: Slots
) -> None:
    """Those of a transaction always; those of one command unless the workload is about just that."""
    spec = tiny_spec(**changes)
    assert spec.slots_in(scenario) == slots
    assert ("slots" in spec.model_dump()) is ("slots" in changes)


@pytest.mark.parametrize(
    ("mix", "structures", "message"),
    [
        ([command("GET", KEY, share=0.9)], [], r"add up to 0\.9, not to 1"),
        ([command("GET", KEY, keys=10_001)], [], "10001 keys do not fit key_digits = 4"),
        ([command("SET", KEY, VALUE, keys=9)], [], "SET writes keys up to 9, more than preload_keys = 8"),
        ([command("HGETALL", KEY)], [HASHES], r"HGETALL needs \[\[structures\]\] of kind hash that hold keys 0 to 1"),
        ([command("GET", KEY, first_key=4)], [HASHES], "GET works on strings, but key 2 on are of kind hash"),
        ([command("EXPIRE", KEY, *literals("9"), keys=9)], [], "EXPIRE writes keys up to 9, more than preload_keys"),
        ([command("LPUSH", KEY, VALUE)], [LISTS], "LPUSH makes lists grow without end: add LTRIM"),
        ([command("LRANGE", KEY, *literals("0", "100"))], [LISTS], "LRANGE 0 100 does not fit lists"),
    ],
)
def test_a_workload_that_cannot_be_measured_is_refused(
    mix: list[CommandSpec], structures: list[StructureSpec], message: str
) -> None:
    """A trial would fail, its data would grow, or a GET would find what was not preloaded: told at once."""
    with pytest.raises(ValidationError, match=message):
        tiny_spec(mix=tuple(mix), structures=tuple(structures))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"beside": BesideSpec(command=("HGETALL", 8), per_second=1)}, "beside names key 8, beyond preload_keys = 8"),
        (
            {
                "beside": BesideSpec(command=("KEYS", "*"), per_second=1),
                "mix": (command("LPOP", KEY, first_key=8, keys=1),),
                "elements_per_second": 5,
            },
            "leave out beside, or elements_per_second",
        ),
    ],
)
def test_what_the_run_sends_beside_a_client_has_its_key_and_is_the_only_thing(
    fields: dict[str, object], message: str
) -> None:
    """A key that is not there would keep nobody busy."""
    with pytest.raises(ValidationError, match=message):
        tiny_spec(**fields)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"beside": BesideSpec(command=("KEYS", "*"), per_second=1)}, "either moves slots or sends commands"),
        ({"structures": (StructureSpec(kind="counter", keys=1),)}, "slots are moved with plain strings in them"),
        ({}, "SET would be counted twice by MIGRATESLOTS"),
    ],
)
def test_where_slots_move_it_is_known_who_sent_what(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        tiny_spec(moves=MovesSpec(by="migrateslots", per_second=1), **changes)


def in_order(*names: str, commands: int = 24) -> WorkloadSpec:
    """Return a workload that writes a key, reads it twice and deletes it."""
    arguments = {"SET": (KEY, VALUE)}
    share = {"GET": 0.5}
    mix = tuple(
        CommandSpec(name=name, share=share.get(name, 0.25), keys=8, arguments=arguments.get(name, (KEY,)))
        for name in names
    )
    return tiny_spec(mix=mix, in_order=True, commands=commands)


def test_a_key_is_written_read_and_deleted_in_turn() -> None:
    """Whatever is drawn is the key."""
    made = generate(in_order("SET", "GET", "DEL"), 1)
    assert made.kinds.tolist() == [0, 1, 1, 2] * 6
    keys = made.keys.reshape(6, 4)
    assert (keys == keys[:, :1]).all()
    assert len(set(keys[:, 0].tolist())) > 1


@pytest.mark.parametrize(
    ("names", "commands", "said"),
    [
        (("SET", "DEL", "GET"), 24, "a mix of SET, GET and DEL, in this order"),
        (("SET", "GET", "DEL"), 25, "multiple of 4"),
    ],
)
def test_what_is_in_order_is_a_write_its_reads_and_its_end(names: tuple[str, ...], commands: int, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        in_order(*names, commands=commands)


def test_a_number_in_what_is_sent_beside_is_a_key() -> None:
    """It gets the prefix of the run as every other key does."""
    spec = tiny_spec(beside=BesideSpec(command=("LRANGE", 7, "0", "-1"), per_second=1))
    assert generate(spec, 1).beside() == (b"LRANGE", b"key:0007", b"0", b"-1")
    assert generate(tiny_spec(), 1).beside() == ()


@pytest.mark.parametrize(
    ("popped", "message"),
    [({"first_key": 8}, "needs a mix of one command with one key"), ({"keys": 1}, "give the command a first_key of 8")],
)
def test_elements_are_pushed_to_one_empty_list(popped: dict[str, int], message: str) -> None:
    """Which list would be another's, and what lies in it would be taken for an element."""
    with pytest.raises(ValidationError, match=message):
        tiny_spec(mix=(command("LPOP", KEY, **popped),), elements_per_second=5)


def test_structures_are_made_of_values_of_their_keys() -> None:
    """Every element, field and member is a value that belongs to the key, so that replies can be checked."""
    spec = tiny_spec(
        structures=(LISTS, HASHES), mix=(command("HGETALL", KEY, first_key=2),), list_length=3, hash_fields=2
    )
    workload = generate(spec, 1)
    made: dict[bytes, tuple[Any, ...]] = {
        making[1]: making for removing, making in structure_commands(workload) if removing[0] == b"DEL"
    }
    assert list(made) == [workload.key(number) for number in range(5)]
    push, hset = made[workload.key(1)], made[workload.key(4)]
    assert (push[0], len(push)) == (b"RPUSH", 2 + 3)
    assert all(value == workload.value(1, len(value)) for value in push[2:])
    assert (hset[0], hset[2::2]) == (b"HSET", (b"field:00", b"field:01"))
    assert all(value == workload.value(4, len(value)) for value in hset[3::2])
