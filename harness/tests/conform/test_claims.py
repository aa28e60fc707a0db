"""What must hold in every scenario, on lines of time made by hand: claims that are true, and claims that are not."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from respmark.conform.claims import claim_deviations, command_at, expected_words
from respmark.conform.observation import Observation, Slice
from respmark.contract.lines import Moment, Worked
from respmark.contract.trial import Scenario, Shape, Window
from respmark.results.records import Status
from tests.builders.plan import make_cell, make_client, tiny_workload
from tests.conform.builders import ERROR, OK, Line

WORKLOAD = tiny_workload()
EXPECTED = expected_words(WORKLOAD)
SLIDING = Scenario.PIPELINING, Shape(depth=2, window=Window.SLIDING)
BURST = Scenario.PIPELINING, Shape(depth=2, window=Window.BURST)
SHARED = Scenario.THREADS, Shape(threads=2, connections=1)
SYNC = Scenario.SYNC, Shape()
CACHING = Scenario.CACHING, Shape(cache_entries=10)


def sends(line: Line, *indexes: int) -> Line:
    """Send commands of the workload, each answered before the next one."""
    for index in indexes:
        name, arguments = command_at(WORKLOAD, index)
        line.send(1, name, arguments=tuple(arguments)).answer(1)
    return line


def slice_of(way: tuple[Scenario, Shape], *indexes: int) -> Line:
    scenario, shape = way
    begun = Line(scenario, shape).mark("connect").open(1).mark("ready").mark("go")
    return sends(begun, *indexes).mark("end")


def claiming(line: Line, *counts: int, lead_in: int = 0) -> Observation:
    """Return the trial with a slice in which the walkers claim so many commands each."""
    began = Moment(line.trace.began_ns + next(one.at_ns for one in line.trace.marks if one.name == "go"), 0, 0)
    first, *others = counts
    answer = Worked(
        started=began,
        measured_from=began,
        ended=began,
        lead_in=[lead_in, *(0 for _ in others)],
        measured=[first - lead_in, *others],
        errors={},
        first_error=None,
    )
    cell = make_cell(make_client(), line.scenario, line.shape)
    return Observation(cell, Status.OK, None, (), (Slice(0, {0: answer}),), line.trace)


def found(seen: Observation, protocol: int = 2) -> str:
    deviations = claim_deviations(seen, EXPECTED, frozenset({"INFO"}), protocol)
    return "\n".join(f"{one.asked} / {one.found}" for one in deviations)


GET = next(index for index in range(10) if command_at(WORKLOAD, index)[0] == "GET")


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        (slice_of(SYNC, 0, 1, 2), [3]),
        # Two walkers, one ahead of the other; two places of a window, of which one holds a command back.
        (slice_of(SHARED, 0, 30, 31, 32, 1), [2, 3]),
        (slice_of(SLIDING, 1, 2, 3, 0), [4]),
        # A burst has no order in itself.
        (slice_of(BURST, 1, 0, 2, 3), [2]),
        # GETs that a cache answered are not on the wire.
        (slice_of(CACHING, *(index for index in range(10) if index != GET)), [10]),
    ],
)
def test_a_claim_of_what_was_sent_is_true(line: Line, counts: list[int]) -> None:
    """In order where there is one stream, in any where several are mixed."""
    assert found(claiming(line, *counts)) == ""


def changed(change: Callable[[Line], Line]) -> Observation:
    line = Line().mark("connect").send(1, "INFO").answer(1).mark("ready").mark("go")
    return claiming(change(line), 3)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (claiming(slice_of(SYNC, 0, 2, 1), 3), "command 2 of the slice, "),
        (claiming(slice_of(SYNC, 0, 1), 3), "3 counted, 2 on the wire"),
        (claiming(slice_of(BURST, 0, 2, 1, 3), 2), "command 2 of the slice, "),
        (claiming(slice_of(SLIDING, 0, 1, 7), 3), "is not due"),
        (claiming(slice_of(SHARED, 0, 1, 2, 30), 2, 2), "is not due"),
        (claiming(slice_of(SHARED, 0, 1, 2), 3), "units of 1 walkers"),
        (claiming(slice_of(SYNC, 0, 1, 2), 3, lead_in=2), "2 commands claimed, 0 on the wire until then"),
        (changed(lambda line: sends(line, 0, 1, 2).mark("end").send(1, "GET")), "1 commands of the workload were sent"),
        (changed(lambda line: sends(line, 0, 1).send(1, "GET").mark("end")), "1 commands got no reply"),
        (changed(lambda line: sends(line, 0, 1).send(1, "GET").answer(1, 1, ERROR).mark("end")), "no error reply / 1"),
        (changed(lambda line: sends(line, 0, 1, 2).send(1, "ECHO").answer(1).mark("end")), "1 x ECHO"),
    ],
)
def test_a_claim_that_is_not_true_is_found(seen: Observation, words: str) -> None:
    """With what was on the wire."""
    assert words in found(seen)


@pytest.mark.parametrize(
    ("database", "own_commands", "words"), [(0, [], ["1 x SELECT"]), (0, ["SELECT"], []), (1, [], [])]
)
def test_the_default_database_is_selected_by_no_adapter(
    database: int, own_commands: list[str], words: list[str]
) -> None:
    """Only by a library that does so of its own accord; another database has to be selected."""
    line = Line().mark("connect").send(1, "SELECT", arguments=(b"%d" % database,)).answer(1).mark("ready").mark("go")
    seen = replace(claiming(sends(line, 0).mark("end"), 1), database=database)
    strange = [one.found for one in claim_deviations(seen, EXPECTED, frozenset(own_commands), 2)]
    assert [one.partition(";")[0] for one in strange] == words


def test_between_two_slices_nothing_is_sent_and_each_has_its_own_claim() -> None:
    """A deviation says in which slice it was."""
    line = sends(sends(slice_of(SYNC, 0, 1), 2).mark("go"), 0, 1).mark("end")
    seen = claiming(line, 2)
    short = claiming(line, 1)
    both = replace(seen, slices=(*seen.slices, *short.slices))
    assert "silence before and after each slice / 1 commands" in found(both)
    assert "every command of the slice counted, and no other (slice 2) / 1 counted, 2 on" in found(both)


@pytest.mark.parametrize(
    ("protocol", "hello", "words"),
    [
        (2, [], ""),
        (3, [b"3"], ""),
        (3, [], "HELLO 3 before a connection's first command / connection 1 speaks RESP2"),
        (2, [b"3"], "no HELLO, or HELLO 2, before a connection's first command / connection 1 speaks RESP3"),
    ],
)
def test_connections_speak_the_version_of_the_label(protocol: int, hello: list[bytes], words: str) -> None:
    """From their first command on."""
    line = Line().mark("connect")
    for version in hello:
        line.send(1, "HELLO", arguments=(version,)).answer(1, 1, OK)
    seen = claiming(sends(line.mark("ready").mark("go"), 0).mark("end"), 1)
    assert words in found(seen, protocol)
    assert bool(words) == bool(found(seen, protocol))
