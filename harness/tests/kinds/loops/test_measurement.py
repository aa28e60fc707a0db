"""One round of a block, from the state of the database to the outcomes."""

from collections.abc import Callable
from contextlib import nullcontext

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerFailedError, ServerLostError
from respmark.results.records import Status
from respmark.workload.spec import CommandSpec, KeyArgument, LiteralArgument, ValueArgument
from respmark.workload.workload import generate
from tests.builders.plan import make_client, make_trial, tiny_spec
from tests.fake_node import FakeNode
from tests.fakes import Before, FakeExecutor, FakeRunner
from tests.kinds.loops.conftest import OTHER, TRIAL, Measured, World, at


def test_an_honest_trial_is_ok(world: World) -> None:
    """Everything that its record needs is there, and there is no reason."""
    found = world.record(laps=3)
    assert (found.status, found.reason, found.stderr) == (Status.OK, None, [])
    assert [(one.lap, one.turn, one.counts) for one in found.slices] == [(1, 1, True), (2, 1, True), (3, 1, True)]
    assert (found.versions, found.settings) == ({"lib": "1.2.3", "runtime": "4"}, {"heap": 1})
    assert (found.decodes_to, found.verified_replies, found.peak_memory_bytes) == ("text", 100, 2**20)
    assert found.latency is not None
    assert sum(count for _, count in found.latency.histogram) == 300


def test_clients_load_together_and_connect_one_after_the_other(world: World) -> None:
    """All are loaded before the first connects, so that the server sees one of them at a time."""
    world.block(TRIAL, OTHER, laps=1)
    assert world.steps("load", "connect", "echo") == [
        f"{step} {name} 0" for step, name in (("load", "lib"), ("load", "other"))
    ] + [f"{step} {name} 0" for name in ("lib", "other") for step in ("connect", "echo")]
    assert world.executor.alive == []


def test_clients_of_a_lap_begin_at_the_same_command_and_laps_elsewhere(world: World) -> None:
    """What is compared does the same commands."""
    world.block(TRIAL, OTHER, laps=5)
    begun = [[work.first for work in runner.ordered] for runner in world.executor.runners]
    assert begun[0] == begun[1]
    assert len(set(begun[0])) == 5


def test_turns_change_from_lap_to_lap_and_are_the_seeds() -> None:
    """Every client has one turn a lap; the same seed gives the same order."""
    orders = []
    for world in (World(), World()):
        world.block(TRIAL, OTHER, laps=12)
        orders.append(world.steps("worked"))
    laps = [tuple(orders[0][begin : begin + 2]) for begin in range(0, 24, 2)]
    assert all(set(lap) == {"worked lib 0", "worked other 0"} for lap in laps)
    assert len(set(laps)) == 2
    assert orders[0] == orders[1]


def test_a_claim_that_is_not_true_is_failed_and_kept(world: World) -> None:
    """The reason has both numbers; the slices stay for who wants to look."""
    world.executor.node = FakeNode()
    found = world.record()
    assert found.status is Status.FAILED
    assert "claimed 100 calls, the server saw 0" in (found.reason or "")
    assert [one.counts for one in found.slices] == [False, False]


def somebody_sends(world: World, name: str) -> Before:
    left = [name]

    def before(_runner: FakeRunner, step: str) -> None:
        if step == "worked" and left:
            world.node.calls[left.pop()] += 1

    return before


def test_a_fifth_of_the_slices_may_be_lost(world: World) -> None:
    """The reason says how many were, and why; of two, one is too much, and the next state is a whole one."""
    found = world.record(before=somebody_sends(world, "keys"), laps=5)
    assert found.status is Status.OK
    assert (found.reason or "").startswith("1 of 5 slices are not counted: ")
    assert "KEYS 1" in (found.reason or "")
    found = world.record(before=somebody_sends(world, "flushall"), laps=2)
    assert found.status is Status.FAILED
    assert "FLUSHALL 1" in (found.reason or "")


def test_what_another_client_of_the_block_sends_while_it_waits_fails_nobody(world: World) -> None:
    """A waiting library's own PING falls into somebody's slice; its connection explains it, whatever specs say."""
    world.node.connected = 3
    pinger = make_trial(client=make_client("pinger", library="pinger"))
    measured = world.block(TRIAL, pinger, before=somebody_sends(world, "ping"))
    assert [outcome.status for outcome in measured.records] == [Status.OK] * 2


@pytest.mark.parametrize(
    ("scenario", "shape", "replies", "said"),
    [
        (Scenario.SYNC, Shape(), [], "1 commands were sent, but 0 replies came: the client lost count"),
        (Scenario.BATCHING, Shape(depth=2), [True], "2 commands were sent, but 1 replies came: the client lost count"),
        (Scenario.SYNC, Shape(), ["wrong"] * 100, "the reply to command 0 of the workload, "),
    ],
)
def test_a_wrong_reply_in_verification_fails_the_trial(
    world: World, scenario: Scenario, shape: Shape, replies: list[object], said: str
) -> None:
    """Every reply is compared with the workload."""
    world.executor.replies = replies
    found = world.record(make_trial(scenario, shape))
    assert found.status is Status.FAILED
    assert (found.reason or "").startswith(said)


def test_what_was_written_is_read_back(world: World) -> None:
    """Replies alone do not show what was sent."""

    def before(_runner: FakeRunner, step: str) -> None:
        if step == "echo":
            world.node.data.update(dict.fromkeys(world.node.data, b"another value"))

    assert "does not hold the workload's value" in (world.record(before=before).reason or "")


@pytest.mark.parametrize(
    ("label", "found", "reason"),
    [(3, 3, None), (3, 2, "RESP3 was requested, but 1 connection of the trial spoke RESP2")],
)
def test_a_client_speaks_its_label(world: World, label: int, found: int, reason: str | None) -> None:
    """The server's list of connections says so; the record keeps what was asked for and what was found."""

    def before(_runner: FakeRunner, step: str) -> None:
        if step == "echo":
            world.node.clients = (*world.node.clients, f"id=9 cmd=get resp={found}")
            world.node.calls["hello"] += 2
            world.node.counters["total_connections_received"] += 1

    outcome = world.record(make_trial(client=make_client(options={"protocol": label})), before=before)
    assert (outcome.status, outcome.reason) == (Status.FAILED if reason else Status.OK, reason)
    assert outcome.handshake is not None
    assert (outcome.handshake.protocol, outcome.handshake.protocols) == (label, {found: 1})
    assert (outcome.handshake.calls, outcome.handshake.connections_received) == ({"hello": 2}, 1)
    assert outcome.slices[0].connections_received == 0


def test_a_round_with_another_version_is_failed(world: World) -> None:
    """The first one's counts."""
    assert world.record().status is Status.OK

    def before(runner: FakeRunner, _step: str) -> None:
        runner.versions["lib"] = "2"

    second = world.record(before=before)
    assert second.status is Status.FAILED
    assert second.reason == "lib 2 was loaded, but another process or round loaded 1.2.3"


def test_one_clients_failure_costs_the_others_nothing(world: World) -> None:
    """It is out from the slice in which it failed, with its last lines; the others have all their slices."""
    crash = RunnerFailedError("crash", ("a", "b"))
    failed, other = world.block(TRIAL, OTHER, before=at("worked", crash, times=2), laps=4).records
    assert (failed.status, failed.reason, failed.stderr) == (Status.FAILED, "crash", ["a", "b"])
    assert [one.reason for one in failed.slices] == [None]
    assert (other.status, len(other.slices)) == (Status.OK, 4)


def cut_short(world: World, reading: int, fault: Callable[[], BaseException]) -> Measured:
    readings = 0

    def info() -> str:
        nonlocal readings
        readings += 1
        if readings == reading:
            raise fault()
        return FakeNode.info(world.node)

    world.node.info = info  # type: ignore[method-assign] # the server of this test alone
    return world.block(TRIAL, OTHER, laps=4)


RESTORING = 2
"""Readings of the counters while the keys are written: before and after."""
CONNECTING = 2 * 2
"""As many while two clients connect: before and after each."""
LAP = 2 * 2
"""As many in a lap: before and after each slice."""


def test_a_lost_server_leaves_the_slices_that_ended(world: World) -> None:
    """Whoever has some keeps them, with the reason; every process is ended."""
    measured = cut_short(world, RESTORING + CONNECTING + 2 * LAP + 1, lambda: ServerLostError("gone"))
    assert isinstance(measured.cut, ServerLostError)
    found = [(outcome.status, outcome.reason, len(outcome.slices)) for outcome in measured.records]
    assert found == [(Status.OK, "gone", 2)] * 2
    assert world.executor.alive == []


def test_an_interrupt_within_a_slice_costs_that_slice(world: World) -> None:
    """The runner's answer to it comes before its latencies, which are left out."""
    measured = world.block(before=at("worked", KeyboardInterrupt(), times=3), laps=4)
    assert isinstance(measured.cut, KeyboardInterrupt)
    (found,) = measured.records
    assert (found.status, [one.reason for one in found.slices]) == (Status.OK, [None, None])
    assert world.steps("worked", "samples", "end") == ["worked lib 0"] * 3 + ["samples lib 0", "end lib 0"]


SET = CommandSpec(name="SET", share=1.0, keys=6, arguments=(KeyArgument(), ValueArgument()))
SETS = tiny_spec(name="sets", key_prefix="sets:", commands=50, mix=(SET,))


def test_a_block_can_compare_workloads(world: World) -> None:
    """Each trial is given its own file and held against its own commands; the server has both ones' keys."""
    world.executor = FakeExecutor(world.node, sets=generate(SETS, 1))
    measured = world.block(TRIAL, make_trial(workload="sets"), workloads={"tiny": tiny_spec(), "sets": SETS})
    assert [(outcome.status, outcome.reason) for outcome in measured.records] == [(Status.OK, None)] * 2
    assert [runner.request.workload.name for runner in world.executor.runners] == ["tiny.columns", "sets.columns"]
    assert {key.partition(b":")[0] for key in world.node.data} == {b"key", b"sets"}


NEWS = LiteralArgument(text="news")
PUBLISH = CommandSpec(name="PUBLISH", share=1.0, keys=1, arguments=(NEWS, NEWS))
MESSAGES = tiny_spec(name="messages", commands=50, subscribers=2, mix=(PUBLISH,))


def test_a_trial_that_has_lost_a_subscriber_has_failed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its slices are not of what its workload says, whatever its runner and the server's counters agree on."""
    monkeypatch.setattr("respmark.run.testbed.subscribers", lambda *_: nullcontext())
    world.executor = FakeExecutor(world.node, messages=generate(MESSAGES, 1))
    world.executor.replies = [2] * 100
    world.node.listening = 1
    found = world.record(make_trial(workload="messages"), workloads={"messages": MESSAGES})
    assert found.status is Status.FAILED
    assert (found.reason or "").startswith("the channel news has lost 1 of its 2 subscribers: ")
    assert len(found.slices) == 1
