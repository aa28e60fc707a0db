"""Which trials of faults run side by side, and which are measured again."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from respmark.contract.trial import Fault, Scenario, Shape
from respmark.kinds.faults.measurement import FaultsMeasurement
from respmark.plan.faults import MOST_TOGETHER
from respmark.specs.server import SpawnedServer


class Measured(FaultsMeasurement):
    """A client that is hot needs a CPU for itself; a shaky one is disturbed by whoever is beside it."""

    def __init__(self, *names: str) -> None:
        shape = Shape(threads=10, fault=Fault.RESET)
        cell = SimpleNamespace(shape=shape, server="spawned", scenario=Scenario.FAULTS)
        trials: Any = [SimpleNamespace(trial=SimpleNamespace(id=name, cell=cell)) for name in names]
        bed = SimpleNamespace(
            server_specs={"spawned": SpawnedServer(name="spawned", summary="", servers=("valkey-server",))}
        )
        self.run: Any = SimpleNamespace(processes=trials, active=trials, bed=bed)
        self.ended: Any = {}
        self.groups: list[list[str]] = []

    def _measure(self, group: Sequence[Any]) -> None:
        names = [one.trial.id for one in group]
        self.groups.append(names)
        has_hot = any("hot" in name for name in names)
        for name in names:
            is_disturbed = len(names) > 1 and (has_hot or "shaky" in name)
            self.ended[name] = SimpleNamespace(
                client_cpu_percent=150.0 if "hot" in name else 3.0,
                disturbance=lambda is_disturbed=is_disturbed: "busy" if is_disturbed else None,
            )


def groups(*names: str) -> list[list[str]]:
    measured = Measured(*names)
    measured.measure()
    return measured.groups


def test_a_client_that_disturbs_those_beside_it_is_measured_alone_and_they_without_it() -> None:
    calm = ["calm0", "calm1", "calm2", "calm3"]
    assert groups(*calm, "hot") == [[*calm, "hot"], calm[:2], calm[2:], ["hot"]]


def test_what_is_disturbed_again_has_half_as_many_beside_it_each_time() -> None:
    names = [f"shaky{number}" for number in range(MOST_TOGETHER)]
    half, quarter = MOST_TOGETHER // 2, MOST_TOGETHER // 4
    assert list(map(len, groups(*names))) == [MOST_TOGETHER, half, half, *[quarter] * 4]


def test_few_that_are_disturbed_have_fewer_beside_them_too() -> None:
    assert groups("shaky0", "shaky1", "shaky2")[1:] == [["shaky0"], ["shaky1"], ["shaky2"]]


def test_what_is_not_disturbed_is_measured_once() -> None:
    names = [f"calm{number}" for number in range(MOST_TOGETHER + 2)]
    assert groups(*names) == [names[:MOST_TOGETHER], names[MOST_TOGETHER:]]
