"""What keeps a limit, by each library's options, in its cluster client: what another client takes may end it."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest

from respmark.contract.lines import Work
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.errors import UnsupportedError
from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.servers.group import spawn_group
from respmark.specs.limits import LIMITS
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED
from tests.integration.installed.conftest import LIMIT_S, need
from tests.user_server import SPAWNED

STRICT: Final = "strict"
KEEPING: Final = [name for name, spec in SHIPPED.clients.items() if spec.cluster and STRICT in spec.limits]

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("java_starts_soon")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Endpoint]:
    with (
        closing(Guardian()) as guardian,
        closing(spawn_group(SPAWNED.model_copy(update={"primaries": 1}), guardian)) as one,
    ):
        yield one.endpoint


@pytest.mark.parametrize("library", KEEPING)
def test_a_cluster_client_works_with_what_keeps_a_limit(
    library: str, cluster: Endpoint, workload: Path, local_executor: LocalExecutor
) -> None:
    """Or says that its version lacks it."""
    client = one_client(f"{library}[{LIMITS}={STRICT}]", SHIPPED.clients)
    need(client, local_executor)
    runner = local_executor.start(TrialRequest(client, Scenario.SYNC, Shape(), workload, cluster))
    try:
        with suppress(UnsupportedError):
            runner.load(LIMIT_S)
            runner.connect(LIMIT_S)
            runner.work(Work(first=0, ns=1, keep=True))
            worked = runner._line("worked", LIMIT_S)
            assert (worked.measured, worked.errors) == ([1], {})
    finally:
        runner.kill()
