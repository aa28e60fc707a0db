"""What the tests of executors share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.execute.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """Return a workbench; what it started is ended with the test."""
    made = Workbench(tmp_path)
    with made.executor:
        yield made
