"""`respmark plan`."""

import pytest

from respmark.errors import ExitCode
from tests.builders.plan import planned
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


def test_options_repeat(respmark: Command) -> None:
    """Clients, scenarios and depths add up; each option takes one word, so the suite may stand behind them."""
    words = ["--client", "redis-py@3.5.3", "--client", "node-redis", "--scenario", "batching", "--scenario", "sync"]
    output = respmark("plan", *words, "--depth", "7", "--depth", "8", "smoke").output
    measured = [line.split("  ")[-1].split(": ") for line in output.splitlines() if "round 1" in line]
    clients = {client for _, clients in measured for client in clients.split(", ")}
    assert clients == {"redis-py@3.5.3", "node-redis"}
    assert {block for block, _ in measured} == {"batching--depth=7", "batching--depth=8", "sync"}
