"""What callers send: each its own stretch, in which every reply shows whose it is."""

import pytest

from respmark.errors import UnsupportedError
from respmark.kinds.faults.log import Unit
from respmark.kinds.faults.workload import APART, Stretches
from respmark.workload.workload import first_commands, generate
from tests.builders.plan import SHIPPED
from tests.kinds.faults.builders import callers_shapes


def stretches(callers: int, each: int = 7) -> Stretches:
    return Stretches(generate(SHIPPED.workload("faults"), 1), callers, each)


def test_every_caller_begins_at_its_own_stretch() -> None:
    """However callers are spread over threads and processes."""
    for scenario, shape in callers_shapes(6):
        made = stretches(6)
        commands = made.workload.header.commands
        firsts = [first for part in range(shape.processes) for first in first_commands(commands, shape, scenario, part)]
        assert firsts == [caller * made.each for caller in range(6)]


def test_a_caller_alternates_known_values_and_its_own_counter() -> None:
    made = stretches(3)
    names = [made.workload.header.mix[kind].name for kind in made.workload.kinds]
    assert names[: made.each] == ["GET", "INCRBY"] * 4
    own = [set(made.workload.keys[caller * made.each + 1 : (caller + 1) * made.each : 2]) for caller in range(3)]
    assert own == [{counter} for counter in made.counters]
    assert len({key for key, _ in made.begins()}) == 3


def test_a_reply_is_right_only_for_its_own_command() -> None:
    made = stretches(3)
    key = int(made.workload.keys[made.each])
    value = made.workload.value(key, 20).decode()
    assert made.is_right(Unit(0, caller=1, number=0, reply=value))
    assert not made.is_right(Unit(0, caller=1, number=2, reply=value))
    assert not made.is_right(Unit(0, caller=1, number=0, reply=None))
    assert made.executed(Unit(0, caller=1, number=1, reply=APART + 5)) == 5
    for reply in (APART, 2 * APART + 5, 5, None, value):
        assert made.executed(Unit(0, caller=1, number=1, reply=reply)) is None
        assert not made.is_right(Unit(0, caller=1, number=1, reply=reply))


def test_where_some_keys_are_affected_every_other_caller_has_those_alone() -> None:
    """What it reads, and what it counts."""
    workload = generate(SHIPPED.workload("faults"), 1)
    made = Stretches(workload, 5, 40, lambda key: int(key[-3:]) % 3 == 0)
    for caller in range(5):
        keys = {workload.key(int(key)) for key in made.workload.keys[caller * made.each : (caller + 1) * made.each]}
        assert len(keys) == 21
        assert {int(key[-3:]) % 3 == 0 for key in keys} == {caller % 2 == 0}
    assert made.affected() == {caller: made.begins()[caller] for caller in (0, 2, 4)}
    assert len(set(made.counters)) == 5
    assert set(stretches(5).affected()) == set(range(5)), "where all keys are, so is everybody"


def test_too_few_keys_of_either_kind_are_refused() -> None:
    workload = generate(SHIPPED.workload("faults"), 1)
    refused = "10 callers need a counter each, on either side: there are 1 and 255"
    with pytest.raises(UnsupportedError, match=refused):
        Stretches(workload, 10, 4, lambda key: key == workload.key(1_000))
    with pytest.raises(UnsupportedError, match="there are 256 and 0"):
        Stretches(workload, 2, 4, lambda _: True)
