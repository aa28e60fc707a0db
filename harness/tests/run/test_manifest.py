"""The manifest of a run: when it begins, and when it has ended."""

import hashlib
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from respmark.errors import ServerError
from respmark.machine.placement import Placement
from respmark.plan.make import make_plan
from respmark.plan.request import Request
from respmark.results.containers import Containers
from respmark.results.manifest import Manifest, RunStatus
from respmark.results.store import RunFolder, read_manifest
from respmark.run.manifest import manifest_closed, manifest_of
from respmark.run.testbed import OpenOptions
from respmark.specs.client import Client
from respmark.workload.columns import content
from respmark.workload.workload import draw_prefix, generate, with_prefix
from tests.builders.plan import HIDDEN, SHIPPED, planned
from tests.builders.records import make_containers, make_manifest
from tests.fakes import FakeExecutor, make_testbed, workload_file


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(running())
    return made


def running() -> Manifest:
    return make_manifest(status=RunStatus.RUNNING, ended_at=None)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, RunStatus.COMPLETE),
        (KeyboardInterrupt(), RunStatus.INTERRUPTED),
        (ServerError("gone"), RunStatus.STOPPED),
    ],
)
def test_the_manifest_says_how_a_run_ended(folder: RunFolder, error: BaseException | None, status: RunStatus) -> None:
    """And when, how long it took, and what was found out during the run: the server was not ours alone."""
    bed = make_testbed(FakeExecutor())
    with (
        nullcontext() if error is None else pytest.raises(type(error)),
        manifest_closed(folder, running(), bed, lambda _status: {"wall_s": 9.0}),
    ):
        bed.servers["spawned"].state.unexpected_keys = 7
        if error is not None:
            raise error
    manifest = read_manifest(folder.folder)
    assert (manifest.status, manifest.wall_s, manifest.measured_s) == (status, 9.0, None)
    assert manifest.ended_at is not None
    assert "held up to 7 keys that this run did not write" in manifest.warnings[-1]


class Opened(FakeExecutor):
    """A place with an engine, so that the manifest has something to say."""

    placement = Placement(server="0", clients="1")

    def containers(self, _clients: Iterable[Client]) -> Containers | None:
        return make_containers()


def manifest_in(folder: Path, suite_server: str) -> Manifest:
    suite = SHIPPED.suite_folder("smoke") / "smoke.toml"
    text = suite.read_text()
    path = folder / "mine.toml"
    path.write_text(text.replace('server = "spawned"', f'server = "{suite_server}"'))
    plan = make_plan(Request(suite=str(path)), SHIPPED)
    workload = with_prefix(generate(plan.settings.workloads["quick"], 1), draw_prefix())
    idle = make_testbed(Opened())
    bed = replace(idle, workloads={"quick": workload_file(workload, "tiny.columns")})
    options = OpenOptions(plan, SHIPPED, folder / "my-run", ["respmark", "run"], ["a warning"])
    return manifest_of(options, bed)


def test_the_manifest_says_everything_that_trials_have_in_common(tmp_path: Path) -> None:
    """Plan, machine, versions, server, runners and warnings are in it; a password in the suite's file is not."""
    manifest = manifest_in(tmp_path, f"redis://bench:{HIDDEN}@h:7000/1")
    assert "h:7000" in str(manifest.suite["server"])
    assert HIDDEN not in manifest.model_dump_json()
    assert manifest.run_id == "my-run"
    assert manifest.status is RunStatus.RUNNING
    assert manifest.trials == len(planned().trials)
    assert manifest.scenarios == {cell.scenario: SHIPPED.scenarios[cell.scenario] for cell in planned().cells}
    assert [cell.cell_id for cell in manifest.cells] == [cell.id for cell in planned().cells]
    assert (
        manifest.workloads["quick"].sha256
        == hashlib.sha256(content(generate(SHIPPED.workload("quick"), 1))).hexdigest()
    )
    assert manifest.servers[manifest.first_server].version == "redis 7.0.15"
    assert manifest.warnings == ["a warning"]
    assert manifest.placement == Placement(server="0", clients="1")
    assert manifest.containers == make_containers()
    assert {"python", "redis", "numpy"} <= set(manifest.harness)
