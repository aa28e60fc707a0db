"""Two versions of a library in one block: the newest against each older one."""

from collections.abc import Sequence
from random import Random

import pytest

from respmark.contract.trial import Scenario
from respmark.figures.comparison import Change, Family, changes, per_block, together
from respmark.figures.pairing import versions
from respmark.kinds.loops.record import LoopRecord
from respmark.plan.plan import Trial
from tests.builders.plan import make_cell, make_client
from tests.builders.records import make_record, make_run, make_slice_record

ROUNDS = 3


def rounds(
    name: str,
    version: str,
    operations: int,
    *,
    block: str | None = None,
    scenario: Scenario = Scenario.SYNC,
    server: str = "spawned",
) -> list[LoopRecord]:
    cell = make_cell(make_client(name), scenario, block_name=block, server=server)
    random = Random(f"{name} {block}")  # noqa: S311 - noise, no secret
    return [
        make_record(
            Trial(cell, number),
            slices=[make_slice_record(round(operations * random.gauss(1, 0.01)), lap) for lap in range(1, 7)],
            versions={"lib": version},
        )
        for number in range(1, ROUNDS + 1)
    ]


def changed(*records: LoopRecord, family: Family = together) -> list[Change]:
    return changes(versions(make_run(*records)), family)


def compared(found: Sequence[Change]) -> list[tuple[str, str]]:
    return [(change.new.client, change.base.client) for change in found]


def test_new_is_divided_by_old_in_each_metric() -> None:
    """Twice the commands in the same CPU is half of it a command."""
    (change,) = changed(*rounds("lib@1.9.0", "1.9.0", 10_000), *rounds("lib", "1.10.0", 20_000))
    assert (change.new.library_version, change.base.library_version) == ("1.10.0", "1.9.0")
    rps = change.ratio("rps")
    assert rps.value == pytest.approx(2, rel=0.01)
    assert change.ratio("client_cpu").value == pytest.approx(0.5, rel=0.01)
    assert rps.shown
    assert rps.low is not None
    assert rps.low < rps.value


def test_the_newest_stands_against_each_older_one() -> None:
    records = [
        *rounds("lib@1.0", "1.0", 10_000),
        *rounds("lib", "3.0", 10_000),
        *rounds("lib@2.0", "2.0", 10_000),
        *rounds("lib@packaged", "3.0", 10_000),
    ]
    assert compared(changed(*records)) == [("lib", "lib@1.0"), ("lib", "lib@2.0")]


@pytest.mark.parametrize(
    ("name", "block", "scenario"),
    [
        ("lib@1.0[parser=slow]", "b", Scenario.SYNC),
        ("lib@1.0", "another", Scenario.SYNC),
        ("lib@1.0", "b", Scenario.NEW_CONNECTION),
    ],
    ids=["options", "block", "scenario"],
)
def test_what_differs_in_more_than_the_version_is_not_compared(name: str, block: str, scenario: Scenario) -> None:
    old = rounds(name, "1.0", 10_000, block=block, scenario=scenario)
    assert changed(*old, *rounds("lib", "2.0", 20_000, block="b")) == []


def test_versions_are_compared_on_each_server_for_itself() -> None:
    """Where two servers take turns in a block, the newest on one of them is not compared with the oldest on another."""
    records = [
        *rounds("lib@1.0", "1.0", 10_000, block="b"),
        *rounds("lib@1.0", "1.0", 10_000, block="b", server="valkey"),
        *rounds("lib", "2.0", 20_000, block="b"),
        *rounds("lib", "2.0", 20_000, block="b", server="valkey"),
    ]
    found = changed(*records)
    assert compared(found) == [("lib", "lib@1.0"), ("lib", "lib@1.0")]
    assert [(one.new.server, one.base.server) for one in found] == [("spawned", "spawned"), ("valkey", "valkey")]


def test_all_ratios_of_a_table_are_one_family() -> None:
    """What one pair shows alone, it does not show as one of forty; unless each block is read for itself."""

    def pair(number: int, new: int) -> list[LoopRecord]:
        block = f"b{number}"
        return [*rounds("lib@1.0", "1.0", 10_000, block=block), *rounds("lib", "2.0", new, block=block)]

    (alone,) = changed(*pair(0, 10_150))
    every = [*pair(0, 10_150), *(record for number in range(1, 40) for record in pair(number, 10_000))]
    assert alone.ratio("rps").shown
    assert not changed(*every)[0].ratio("rps").shown
    assert changed(*every, family=per_block)[0].ratio("rps").shown


def test_a_pre_release_is_older_than_its_release() -> None:
    """Whatever the registry calls it."""
    records = [*rounds("lib@5.0.0", "5.0.0", 10_000), *rounds("lib", "5.0.0-rc.1", 10_000)]
    assert compared(changed(*records)) == [("lib@5.0.0", "lib")]
    records = [*rounds("lib@7.0.0", "7.0.0.RELEASE", 10_000), *rounds("lib", "7.0.0.BETA1", 10_000)]
    assert compared(changed(*records)) == [("lib@7.0.0", "lib")]
