"""Whose benchmark it is, what one of its operations does, and to which scenario it belongs.

The project's own benchmarks are recognised by their names, the same in every language: a class and a method of those
below. Nothing is guessed about other people's benchmarks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from respmark.contract.trial import Form, Scenario, Shape, Window

DEPTH: Final = "depth"
SHAPES: Final = {
    "Sync": (Scenario.SYNC, Shape()),
    "Pipelining": (Scenario.PIPELINING, Shape(window=Window.BURST)),
    "Batching": (Scenario.BATCHING, Shape()),
    "Transaction": (Scenario.TRANSACTION, Shape(form=Form.BATCHED)),
}
TOPICS: Final = {
    "PoolBorrow": "pool-borrow",
    "Encode": "encode",
    "Decode": "decode",
    "Exchange": "exchange",
}
OPERATIONS: Final = {"get": "GET", "set": "SET", "borrowandreturn": "borrow, give back"}
WITHOUT_COMMAND: Final = "PoolBorrow"


@dataclass(frozen=True)
class Identity:
    """What a benchmark's name and parameters say about it."""

    topic: str
    subject: str
    operation: str
    library: str | None = None
    scenario: Scenario | None = None
    shape: Shape | None = None
    commands: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Those that are not part of the shape."""


def own(library: str, type_name: str, method: str, parameters: Mapping[str, str]) -> Identity | None:
    """Return the identity of one of the project's own benchmarks; None if it is not one that we know."""
    operation = OPERATIONS.get(method.lower())
    depth = next((value for name, value in parameters.items() if name.lower() == DEPTH), None)
    if operation is None or (depth is not None and (not depth.isdigit() or int(depth) < 1)):
        return None
    others = {name: value for name, value in parameters.items() if name.lower() != DEPTH}
    if type_name in TOPICS and depth is None:
        commands = None if type_name == WITHOUT_COMMAND else 1
        return Identity(TOPICS[type_name], library, operation, library, commands=commands, parameters=others)
    if type_name not in SHAPES or (type_name == "Sync") != (depth is None):
        return None
    scenario, form = SHAPES[type_name]
    shape = form.model_copy(update={"depth": None if depth is None else int(depth)})
    return Identity(str(scenario), library, operation, library, scenario, shape, int(depth or 1), others)


def other(type_name: str, method: str, parameters: Mapping[str, str]) -> Identity:
    """Return the identity of a benchmark that is not ours: its class is the table, its methods are the columns."""
    return Identity(type_name, method, "", parameters=dict(parameters))
