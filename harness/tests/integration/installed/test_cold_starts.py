"""Cold starts of every library whose language has the program, once."""

from pathlib import Path

import pytest

from respmark.cold_start.launch import ColdStartRequest, run_cold_starts
from respmark.machine.guardian import Guardian
from respmark.results.records import Status
from respmark.runners.local import LocalExecutor
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED
from tests.integration.installed.conftest import need

LANGUAGES = [name for name, spec in SHIPPED.runners.items() if spec.cold_start]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_library_has_a_first_reply(
    guardian: Guardian, local_executor: LocalExecutor, tmp_path: Path, language: str
) -> None:
    names = [name for name, spec in SHIPPED.clients.items() if spec.runner == language]
    clients = [one_client(name, SHIPPED.clients) for name in names]
    for client in clients:
        need(client, local_executor)
    run = run_cold_starts(ColdStartRequest(clients, 1, tmp_path / "starts", []), SHIPPED, guardian, lambda _: None)
    assert {one.client: (one.status, one.reason) for one in run.clients} == dict.fromkeys(names, (Status.OK, None))
