"""Cold starts of every library whose language has the program, once."""

from pathlib import Path

import pytest

from respmark import kinds
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.results.records import Status
from respmark.results.store import read_records
from respmark.run.observer import Observer
from respmark.run.run import opened
from respmark.run.testbed import OpenOptions
from respmark.runners.local import LocalExecutor
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED, asked
from tests.integration.installed.conftest import need

LANGUAGES = [name for name, spec in SHIPPED.runners.items() if spec.cold_start]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_library_has_a_first_reply(
    guardian: Guardian, local_executor: LocalExecutor, tmp_path: Path, language: str
) -> None:
    names = tuple(name for name, spec in SHIPPED.clients.items() if spec.runner == language)
    for name in names:
        need(one_client(name, SHIPPED.clients), local_executor)
    plan = make_plan(asked("cold-start", clients=names, rounds=1, laps=1), SHIPPED)
    with opened(OpenOptions(plan, SHIPPED, tmp_path / "starts", []), guardian, Observer(), kinds) as run:
        assert list(run.rounds()) == [1]
    records = list(read_records(tmp_path / "starts", kinds.record_type))
    assert {one.client.name: (one.status, one.reason) for one in records} == dict.fromkeys(names, (Status.OK, None))
