"""For each scenario, how many commands a client sends before it needs a reply."""

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.wire.hold import Hold

TAIL_S = 0.25
"""How long replies wait for more commands: fewer come at a window's end, when one walker after another stops."""


def goal_of(scenario: Scenario, shape: Shape) -> int:
    """Return the most commands of one process that may wait for a reply at once, by the scenario's definition."""
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
    """Return how the proxy holds replies back; `linger_times` multiplies the wait for other walkers' commands."""
    goal = goal_of(scenario, shape)
    if scenario is Scenario.TRANSACTION:
        # EXEC may come in its own flush, after the replies to what it executes: its reply goes out at once.
        # MULTI may come in its own flush, too, before them.
        block = max(1, goal - 1)
        pauses = frozenset({1, shape.depth or 1})
        return Hold(block, enough=block, names=names - {"EXEC"}, pauses=pauses, linger_s=0.05)
    if scenario in {Scenario.THREADS, Scenario.POOL} or shape.window is Window.SLIDING or (shape.threads or 1) > 1:
        sliding = shape.window is Window.SLIDING
        return Hold(goal, enough=1, names=names, one_by_one=sliding, linger_s=TAIL_S * linger_times)
    return Hold(goal, enough=goal, names=names)
