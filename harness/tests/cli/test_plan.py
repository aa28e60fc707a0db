"""`respmark plan`."""

import pytest

from respmark.errors import ExitCode
from respmark.plan.needs import estimate_s, needed_bytes
from tests.builders.plan import SHIPPED, planned
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("starts_nothing")


def test_the_plan_is_printed_in_the_order_of_the_run(respmark: Command) -> None:
    """Number, round, block and its clients; then what is unsupported, with its reason; the seed decides."""
    finished = respmark("plan", "smoke", "--seed", "5")
    plan = planned(seed=5)
    lines = finished.output.splitlines()
    assert finished.code is ExitCode.OK
    assert len([line for line in lines if "round 1" in line]) == len(plan.rounds)
    for number, (line, block) in enumerate(zip(lines, plan.rounds, strict=False), start=1):
        assert line.split()[:4] == [str(number), "round", "1", f"{block.name}:"]
        assert all(trial.cell.client.name in line for trial in block.trials)
    assert all(f"unsupported: {cell.unsupported}" in finished.output for cell in plan.unsupported)
    assert respmark("plan", "smoke", "--seed", "5").output == finished.output != respmark("plan", "smoke").output


def test_the_last_lines_say_what_it_takes(respmark: Command) -> None:
    """Memory and disk; trials, cells, rounds, times and workload, with the estimate."""
    plan = planned("quick", rounds=2, slice_s=0.5)
    *_, memory, last = respmark("plan", "quick", "--rounds", "2", "--slice-s", "0.5").output.splitlines()
    largest = max(needed_bytes((trial.cell for trial in block.trials), SHIPPED.runners) for block in plan.rounds)
    assert f"up to {largest / 2**30:.1f} GiB for the processes of one block; disk: about" in memory
    assert last.startswith(f"{len(plan.trials)} trials ({len(plan.trials) // 2} cells, 2 rounds) in ")
    assert "laps, 0.5 s slices after" in last
    assert f"workload quick: about {round(estimate_s(plan, SHIPPED.runners) / 60)} min" in last


def test_the_plan_names_every_workload(respmark: Command) -> None:
    """In blocks that have another than the suite's own, and in the last line."""
    output = respmark("plan", "commands", "--scenario", "sync", "--client", "redis-py").output
    assert "sync--workload=values-1m: redis-py" in output
    assert "workload commands, mget, mset," in output
    assert "workload mget:" in respmark("plan", "commands", "--scenario", "sync", "--workload", "mget").output


def test_options_repeat(respmark: Command) -> None:
    """Clients, scenarios and depths add up; each option takes one word, so the suite may stand behind them."""
    words = ["--client", "redis-py@3.5.3", "--client", "node-redis", "--scenario", "batching", "--scenario", "sync"]
    output = respmark("plan", *words, "--depth", "7", "--depth", "8", "smoke").output
    measured = [line.split("  ")[-1].split(": ") for line in output.splitlines() if "round 1" in line]
    clients = {client for _, clients in measured for client in clients.split(", ")}
    assert clients == {"redis-py@3.5.3", "node-redis"}
    assert {block for block, _ in measured} == {"batching--depth=7", "batching--depth=8", "sync"}


def test_the_plan_says_who_gets_which_cpus(respmark: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """And why not, where there are too few; idle ones are kept awake where that may be done."""
    monkeypatch.setattr("respmark.placement.available_cpus", lambda: frozenset(range(4)))
    monkeypatch.setattr("respmark.placement.cores", lambda cpus: [frozenset({cpu}) for cpu in sorted(cpus)])
    assert "CPUs: target on CPU 1, clients on CPU 2-3" in respmark("plan", "smoke", "--pin").output
    assert "CPUs: target on CPU 3, clients on CPU 0-2" in respmark("plan", "smoke", "--pin-target", "3").output
    assert "CPUs: clients on CPU 2-3" in respmark("plan", "smoke", "--pin", "--target", "redis://h:1").output
    assert "CPUs: target on CPU 0; a client that works" in respmark("plan", "smoke").output
    for words in (["--no-pin"], ["--via", "docker"], ["--target", "redis://h:1"]):
        assert "CPUs: not pinned; idle CPUs" in respmark("plan", "smoke", *words).output
    monkeypatch.setattr("respmark.placement.available_cpus", lambda: frozenset({0}))
    assert "CPUs: not pinned; one core cannot be split" in respmark("plan", "smoke", "--pin").output
    for may, words, told in (
        (True, [], "kept awake"),
        (False, [], "sleep"),
        (True, ["--no-awake"], "sleep"),
        (False, ["--awake"], "kept awake"),
    ):
        monkeypatch.setattr("respmark.cli.options.can_keep_awake", lambda may=may: may)
        assert f"; idle CPUs {told}\n" in respmark("plan", "smoke", *words).output


def test_the_plan_says_that_trials_run_in_containers(respmark: Command) -> None:
    """Without asking docker for anything."""
    assert "each runner in a container of its own" in respmark("plan", "smoke", "--via", "docker").output


def test_other_sizes_of_a_suite_are_told(respmark: Command) -> None:
    """Each with its time, memory and disk; the one that is chosen is planned, and no other can be."""
    lines = respmark("plan", "post").output.splitlines()
    assert [line.partition(":")[0] for line in lines[-3:]] == ["--scale smoke", "--scale default", "--scale full"]
    assert all("about" in line and "GiB for the server" in line and "disk: about" in line for line in lines[-3:])
    assert "232 trials (232 cells, 1 rounds)" in respmark("plan", "post", "--scale", "smoke").output
    finished = respmark("plan", "post", "--scale", "huge")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "suite `post` has no scale `huge`; it has: full, smoke, default" in finished.errors
    assert "it has: none" in respmark("plan", "quick", "--scale", "smoke").errors
