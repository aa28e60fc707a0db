"""What is tried again, and what a last try that fell short amounts to; on lines of time made by hand."""

from dataclasses import replace

import pytest

from respmark.conform.observation import TARGET_LOST_EXIT, Deviation, Observation
from respmark.conform.rules import deviations
from respmark.conform.tries import GAVE_UP_S, fell_short, shown_absent
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.errors import RunnerFailedError
from respmark.results.records import Status
from respmark.run.participant import Outcome
from respmark.wire import recorder
from respmark.wire.hold import STALLS_WITH_PATIENCE
from respmark.wire.replies import Reply
from respmark.wire.shape import shape_of
from tests.builders.plan import make_trial
from tests.builders.records import SECOND_NS, make_ready, make_slice, make_slice_record
from tests.wire.builders import Line

POOL = Shape(threads=2, max_total=2)
SLIDING = Shape(depth=2, window=Window.SLIDING)
TOO_MANY = Deviation("one", "two")


class Clock:
    """A clock that a test moves."""

    now_ns = 0

    def monotonic_ns(self) -> int:
        """Return the time."""
        return self.now_ns


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Give traces a clock that only the test moves."""
    made = Clock()
    monkeypatch.setattr(recorder, "time", made)
    return made


def seen(line: Line, errors: int = 0, *failures: RunnerFailedError) -> Observation:
    """Return a trial with this trace, in which the client counted so many errors, or failed."""
    trace = line.trace()
    answer = make_slice(errors={"TimeoutError": errors} if errors else {}, first_error="late" if errors else None)
    outcome = Outcome(Status.OK, ready=(make_ready(),), slices=(make_slice_record(answers=[answer]),))
    return Observation(make_trial(line.scenario, line.shape), outcome, failures, trace, shape_of(trace))


@pytest.mark.parametrize(
    "line",
    [
        Line(Scenario.POOL, POOL).open(1).mark("go").send(1, "GET").answer(1),
        Line(Scenario.PIPELINING, SLIDING).open(1).mark("go").send(1, "GET", "GET").answer(1, 2),
    ],
    ids=["never as many", "never slides"],
)
@pytest.mark.parametrize("stalls", [STALLS_WITH_PATIENCE - 1, STALLS_WITH_PATIENCE])
def test_what_never_happened_is_tried_again_and_deviates_if_it_was_awaited(line: Line, stalls: int) -> None:
    """The proxy must have held replies back for it so often; before, nobody knows."""
    line.recorder._stalls.clear()
    for _ in range(stalls):
        line.recorder.stalled(0, 1)
    shown = seen(line)
    found = deviations(shown)
    assert fell_short(shown, found)
    assert shown_absent(shown, found) is (stalls == STALLS_WITH_PATIENCE)


def test_a_slice_without_a_command_is_no_matter_of_time() -> None:
    """A unit at least is due in every slice."""
    shown = seen(Line().open(1).mark("go"))
    assert not fell_short(shown, deviations(shown))


def test_whatever_conforms_or_contradicts_is_not_tried_again() -> None:
    """Nor is what contradicts beside something that did not happen."""
    shown = seen(Line().mark("go").send(1, "GET").answer(1))
    assert not fell_short(shown, [])
    assert not fell_short(shown, [TOO_MANY, Deviation("a fault", "none", absent=True)])
    assert not fell_short(None, [TOO_MANY])


@pytest.mark.parametrize(
    ("waited_s", "errors", "again"),
    [(GAVE_UP_S, 1, True), (GAVE_UP_S - 0.1, 1, False), (GAVE_UP_S, 0, False)],
    ids=["gave up", "did not wait", "counted nothing"],
)
def test_a_client_gives_up_after_a_wait_and_counts_it(
    clock: Clock, waited_s: float, errors: int, *, again: bool
) -> None:
    """Only then does its own timeout explain what is wrong."""
    line = Line().open(1).mark("go").send(1, "GET")
    clock.now_ns += int(waited_s * SECOND_NS)
    shown = seen(line.answer(1).mark("end"), errors)
    assert fell_short(shown, [TOO_MANY]) is again
    assert not shown_absent(shown, [TOO_MANY])


@pytest.mark.parametrize(
    ("before", "after", "late", "again"),
    [
        (("go",), (), "GET", True),
        (("connect",), (), "GET", True),
        (("go",), (), "PING", False),
        ((), ("go",), "GET", False),
        (("go", "end"), ("go",), "GET", False),
    ],
    ids=["in a slice", "in the verification", "another command", "before a slice", "between two"],
)
def test_a_client_whose_command_came_late_may_have_given_up(
    clock: Clock, before: tuple[str, ...], after: tuple[str, ...], late: str, *, again: bool
) -> None:
    """It waits from when it sends, the proxy sees when the command arrives: until then, nothing is on the wire."""
    line = Line().open(1)
    for name in before:
        line.mark(name).send(1, "GET").answer(1)
    clock.now_ns += 2 * SECOND_NS
    for name in after:
        line.mark(name)
    shown = seen(line.send(1, late).answer(1).mark("end"), 1)
    assert fell_short(shown, [TOO_MANY]) is again
    assert not fell_short(shown, [Deviation("one", "two", order=1)])


def test_a_client_that_never_got_its_reply_waited_until_its_connection_ended(clock: Clock) -> None:
    """Or until the trial did."""
    for close in (True, False):
        line = Line().open(1).mark("go").send(1, "GET")
        clock.now_ns += 2 * SECOND_NS
        line = line.close(1) if close else line
        assert fell_short(seen(line.mark("end"), 1), [TOO_MANY])


def test_what_was_wrong_before_the_wait_is_not_excused(clock: Clock) -> None:
    """A command too many at the beginning contradicts the definition, whatever comes later."""
    line = Line().open(1).mark("go").send(1, "GET", "GET").answer(1, 2).send(1, "GET")
    clock.now_ns += 2 * SECOND_NS
    shown = seen(line.answer(1).mark("end"), 1)
    assert not fell_short(shown, deviations(shown))


def test_an_error_that_was_sent_is_no_timeout(clock: Clock) -> None:
    """However long it took."""
    line = Line().open(1).mark("go").send(1, "GET")
    clock.now_ns += 2 * SECOND_NS
    refused = line.answer(1, reply=Reply("-", 6, "ERR no"))
    assert not fell_short(seen(refused.mark("end"), 1), [TOO_MANY])


@pytest.mark.parametrize(
    ("commands", "idle_s", "again"),
    [(3, 0.0, True), (3, GAVE_UP_S, False), (4, 0.0, False), (0, 0.0, False)],
    ids=["within its first unit", "sent nothing more", "after it", "before it"],
)
def test_a_unit_of_many_round_trips_may_take_too_long(
    clock: Clock, commands: int, idle_s: float, *, again: bool
) -> None:
    """A runner that gave up while it was at work is tried again; one that stopped, or had done a unit, is not."""
    line = Line(Scenario.TRANSACTION, Shape(depth=4, form=Form.QUEUED)).open(1).mark("go").send(1, "MULTI").answer(1)
    for _ in range(commands):
        clock.now_ns += SECOND_NS // 2
        line.send(1, "GET").answer(1)
    clock.now_ns += int(idle_s * SECOND_NS)
    lost = RunnerFailedError("no unit succeeded for 10 s", TARGET_LOST_EXIT, ())
    unbacked = Deviation("a trial that the server's counters back", "it was lost")
    shown = seen(line.mark("end"), 0, lost)
    assert fell_short(shown, [unbacked]) is again
    assert not shown_absent(shown, [unbacked])
    assert not fell_short(shown, [unbacked, TOO_MANY])
    assert not fell_short(seen(line, 0, RunnerFailedError("broke", 1, ())), [unbacked])


@pytest.mark.parametrize(
    ("idle_s", "is_ready", "hung", "again"),
    [(0.0, False, True, True), (GAVE_UP_S, False, True, False), (0.0, True, True, False), (0.0, False, False, False)],
    ids=["still connecting", "silent on the wire", "in a slice", "broke"],
)
def test_a_runner_that_is_still_connecting_has_not_hung(
    clock: Clock, idle_s: float, *, is_ready: bool, hung: bool, again: bool
) -> None:
    """A thousand connections take their time; one that does nothing, or is in a slice, says so in time."""
    line = Line().mark("connect")
    for number in (1, 2):
        clock.now_ns += 10 * SECOND_NS
        line.send(number, "HELLO").answer(number)
    clock.now_ns += int(idle_s * SECOND_NS)
    shown = seen(line.close(1).close(2), 0, RunnerFailedError("said nothing for 20 s", hung=hung))
    shown = replace(shown, outcome=replace(shown.outcome, ready=shown.ready if is_ready else ()))
    unbacked = Deviation("a trial that the server's counters back", "it hung")
    assert fell_short(shown, [unbacked]) is again
    assert not shown_absent(shown, [unbacked])
    assert not fell_short(shown, [unbacked, TOO_MANY])


def test_a_runner_that_never_sent_anything_has_hung() -> None:
    """Nothing shows that it was at work."""
    shown = seen(Line().open(1).mark("connect"), 0, RunnerFailedError("said nothing for 20 s", hung=True))
    shown = replace(shown, outcome=replace(shown.outcome, ready=()))
    assert not fell_short(shown, [Deviation("a trial that the server's counters back", "it hung")])
