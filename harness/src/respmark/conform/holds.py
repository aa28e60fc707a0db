"""For each scenario, how many commands a client sends before it needs a reply."""

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.wire.hold import Hold

TAIL_S = 0.25
"""Where a window ends one walker at a time, the last commands are fewer: so long until their replies go out."""


def goal_of(scenario: Scenario, shape: Shape) -> int:
    """Return the most commands of one process that may be without a reply: the scenario's definition."""
    depth, threads = shape.depth or 1, shape.threads or 1
    match scenario:
        case Scenario.PIPELINING:
            return depth * threads
        case Scenario.BATCHING:
            return depth
        case Scenario.TRANSACTION:
            return depth + 2 if shape.form is Form.BATCHED else 1
        case Scenario.THREADS:
            return threads
        case Scenario.POOL:
            return min(threads, shape.max_total or threads)
        case _:
            return 1


def hold_for(scenario: Scenario, shape: Shape, names: frozenset[str], linger_times: float = 1.0) -> Hold:
    """Return how the proxy holds replies back; how long it lingers for other walkers' commands may be multiplied."""
    goal = goal_of(scenario, shape)
    if scenario is Scenario.TRANSACTION:
        # EXEC may come in a flush of its own, after the replies to what it executes: its reply goes out at once.
        # So may MULTI, before them.
        block = max(1, goal - 1)
        pauses = frozenset({1, shape.depth or 1})
        return Hold(block, enough=block, names=names - {"EXEC"}, pauses=pauses, linger_s=0.05)
    if scenario in {Scenario.THREADS, Scenario.POOL} or shape.window is Window.SLIDING or (shape.threads or 1) > 1:
        sliding = shape.window is Window.SLIDING
        return Hold(goal, enough=1, names=names, one_by_one=sliding, linger_s=TAIL_S * linger_times)
    return Hold(goal, enough=goal, names=names)
