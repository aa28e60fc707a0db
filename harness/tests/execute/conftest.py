"""What the tests of executors share."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.execute.scripted import ScriptedRunners


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[ScriptedRunners]:
    with closing(ScriptedRunners(tmp_path)) as made, made.executor:
        yield made
