"""What the tests share."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

import pytest

from doubles import Adapter
from scenarios import Slices, TaskSlices
from workload import read_workload


class MakeSlices(Protocol):
    """Makes a trial's slices, connected."""

    def __call__(self, workload: Path, adapter: Adapter, scenario: str = "sync", **given: Any) -> Slices:
        """Return them."""


@pytest.fixture
def make_slices() -> Iterator[MakeSlices]:
    """Return what makes slices, which are closed when the test ends."""
    every: list[Slices] = []

    def make(workload: Path, adapter: Adapter, scenario: str = "sync", **given: Any) -> Slices:
        trial = SimpleNamespace(**{"scenario": scenario, "shape": {}, "samples": 1 << 20, **given})
        read = read_workload(str(workload), adapter.commands, as_text=False)
        slices = (TaskSlices if adapter.kind == "async" else Slices)(trial, adapter, read)
        every.append(slices)
        slices.connect({})
        return slices

    yield make
    for slices in every:
        slices.close()
