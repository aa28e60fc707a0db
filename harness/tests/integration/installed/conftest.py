"""Runners as they are installed on this machine."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.runners.runner import Runner
from respmark.specs.client import Client
from respmark.workload import columns
from respmark.workload.workload import generate
from tests.builders.plan import SHIPPED
from tests.required import REQUIRED


@pytest.fixture(scope="module")
def local_executor() -> Iterator[LocalExecutor]:
    with closing(Guardian()) as guardian, LocalExecutor(SHIPPED.runners, SHIPPED.every_client, guardian) as made:
        yield made


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the file of columns of the workload `conform`."""
    made: Path = tmp_path_factory.mktemp("installed") / "columns"
    columns.write(generate(SHIPPED.workload("conform"), 1), made)
    return made


def need(client: Client, executor: LocalExecutor) -> None:
    """Skip the test if the client is not installed, or let it fail if it has to be."""
    if reason := executor.missing(client):
        if client.runner in REQUIRED:
            pytest.fail(f"{client.runner} is missing, and RESPMARK_REQUIRE asks for it: {reason}")
        pytest.skip(reason)


LIBRARIES: Final = [
    min(names, key=lambda name: ("default" not in SHIPPED.clients[name].tags, name))
    for language in SHIPPED.languages
    if (names := [name for name, spec in SHIPPED.clients.items() if spec.runner == language])
]
"""One of each language."""
CORES: Final = [*LIBRARIES, "redis-py[api=asyncio]", "stackexchange-redis[api=async]", "redis-rs[api=tokio]", "hiredis"]
"""Those, one of each core that has a second kind of loop, for calls that are awaited, and the floor in C."""
LIMIT_S: Final = 60.0
NOWHERE: Final = Endpoint(host="127.0.0.1", port=1)


def null_client(language: str) -> Client:
    return Client(name="null", library="null", runner=language, version=None, options={})


def can(language: str, scenario: Scenario, shape: Shape) -> bool:
    """Return whether a language's null client has it."""
    return not SHIPPED.every_client[language, "null"].why_not(null_client(language), scenario, shape)


@dataclass
class NullRunners:
    """A process of each language with the client that does nothing: it has one trial after the other."""

    executor: LocalExecutor
    workload: Path
    _processes: dict[str, Runner] = field(default_factory=dict)

    def given(self, language: str, scenario: Scenario, shape: Shape) -> Runner:
        """Return a language's process, which has this trial and has connected."""
        client = null_client(language)
        need(client, self.executor)
        trial = TrialRequest(client, scenario, shape, self.workload, NOWHERE)
        if language in self._processes:
            self._processes[language].give(trial)
        else:
            self._processes[language] = self.executor.start(trial)
        runner = self._processes[language]
        runner.load(LIMIT_S)
        runner.connect(LIMIT_S)
        return runner


@pytest.fixture(scope="module")
def nulls(local_executor: LocalExecutor, workload: Path) -> NullRunners:
    return NullRunners(local_executor, workload)
