"""Putting a run together."""

import hashlib
import math
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from respmark import launch as module
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, TargetError
from respmark.launch import LaunchOptions, _closing, _manifest, exit_code
from respmark.machine.placement import Placement
from respmark.network.listen import LOOPBACK
from respmark.plan.expand import Request, make_plan
from respmark.plan.trial import BlockRound
from respmark.results.containers import Containers
from respmark.results.manifest import Manifest, RunStatus, Until
from respmark.results.records import Status
from respmark.results.store import RunFolder, read_run
from respmark.run.context import RunContext
from respmark.run.session import Session
from respmark.runners.backend import Backend
from respmark.servers.target import Target
from respmark.specs.target import TargetSpec
from respmark.workload.columns import content
from respmark.workload.workload import draw_prefix, generate, with_prefix
from tests.builders.plan import HIDDEN, SHIPPED, planned
from tests.builders.records import make_containers, make_manifest
from tests.fakes import FakeExecutor, FakeTarget, made_workload, make_context

OK, FAILED, UNSUPPORTED, MISSING = Status.OK, Status.FAILED, Status.UNSUPPORTED, Status.MISSING


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ([OK, OK], ExitCode.OK),
        ([OK, FAILED], ExitCode.SOME_FAILED),
        ([FAILED], ExitCode.SOME_FAILED),
        ([OK, UNSUPPORTED], ExitCode.OK),
        ([OK, MISSING], ExitCode.OK),
        ([MISSING, UNSUPPORTED], ExitCode.NOTHING_RAN),
        ([], ExitCode.NOTHING_RAN),
    ],
)
def test_the_exit_code_says_what_became_of_the_trials(statuses: list[Status], code: ExitCode) -> None:
    """A language that is not here does not fail a run; a run without any figure is none."""
    assert exit_code(statuses) is code


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(running())
    return made


def running() -> Manifest:
    return make_manifest(status=RunStatus.RUNNING, ended_at=None)


def untouched() -> RunContext:
    return make_context(FakeExecutor())


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, RunStatus.COMPLETE),
        (KeyboardInterrupt(), RunStatus.INTERRUPTED),
        (TargetError("gone"), RunStatus.STOPPED),
    ],
)
def test_the_manifest_says_how_a_run_ended(folder: RunFolder, error: BaseException | None, status: RunStatus) -> None:
    """And when, how long it took, and what was found out during the run: the server was not ours alone."""
    context = untouched()
    with (
        nullcontext() if error is None else pytest.raises(type(error)),
        _closing(folder, running(), context, lambda: {"wall_s": 9.0}),
    ):
        context.servers["spawned"].state.unexpected_keys = 7
        if error is not None:
            raise error
    manifest = read_run(folder.folder).manifest
    assert (manifest.status, manifest.wall_s, manifest.measured_s) == (status, 9.0, None)
    assert manifest.ended_at is not None
    assert "held up to 7 keys that this run did not write" in manifest.warnings[-1]


class Opened:
    """A place with an engine, so that the manifest has something to say."""

    executor = FakeExecutor()
    listen_address = LOOPBACK

    def containers(self) -> Containers | None:
        """Return what it says."""
        return make_containers()

    def open_target(self, _spec: TargetSpec, *, allow_flush: bool) -> Target:
        """Open one that was there."""
        return FakeTarget(spawned=False, allow_flush=allow_flush)


def manifest_of(folder: Path, suite_target: str) -> Manifest:
    suite = SHIPPED.suite_folder("smoke") / "smoke.toml"
    text = suite.read_text()
    path = folder / "mine.toml"
    path.write_text(text.replace('target = "spawned"', f'target = "{suite_target}"'))
    plan = make_plan(Request(suite=str(path)), SHIPPED)
    workload = with_prefix(generate(plan.settings.workloads["quick"], 1), draw_prefix())
    idle = make_context(FakeExecutor())
    context: RunContext = replace(idle, workloads={"quick": made_workload(workload, "tiny.columns")})
    where = Backend(Placement(target="0", clients="1"))
    options = LaunchOptions(plan, SHIPPED, folder / "my-run", ["respmark", "run"], ["a warning"], backend=where)
    return _manifest(options, context, Opened())


def test_the_manifest_says_everything_that_trials_have_in_common(tmp_path: Path) -> None:
    """Plan, machine, versions, target, runners and warnings are in it; a password in the suite's file is not."""
    manifest = manifest_of(tmp_path, f"redis://bench:{HIDDEN}@h:7000/1")
    assert "h:7000" in str(manifest.suite["target"])
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
    assert {description.runner for description in manifest.runners} == {"python", "node", "java", "php", "dotnet"}
    assert manifest.warnings == ["a warning"]
    assert manifest.placement == Placement(target="0", clients="1")
    assert manifest.containers == make_containers()
    assert {"python", "redis", "numpy"} <= set(manifest.harness)


@dataclass
class Further:
    """A session that measures nothing, and notes which rounds it was given."""

    rounds: list[tuple[str, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    now_s: float = 0.0
    """A clock: every round takes ten seconds."""

    @property
    def observer(self) -> "Further":
        """Return who is told."""
        return self

    def note(self, text: str) -> None:
        """Note it."""
        self.notes.append(text)

    def round_ended(self, number: int, of: int) -> None:
        """Note it."""
        self.notes.append(f"round {number} of {of} ended")

    def run_rounds(self, rounds: list[BlockRound]) -> list[Status]:
        """Note them."""
        self.now_s += 10.0 * len(rounds)
        self.rounds += [(one.name, one.round) for one in rounds]
        return [Status.OK for one in rounds for _ in one.trials]


def narrowed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, widths: list[float], *, budget_s: float
) -> tuple[Further, list[Status]]:
    plan = planned("smoke", clients=("redis-py", "node-redis"), rounds=2)
    (cell,) = [one for one in plan.cells if one.client.library == "redis-py" and one.scenario is Scenario.SYNC]
    found = iter(widths)

    def wide(_blocks: object, _until: Until) -> dict[str, float]:
        width = next(found)
        return {cell.id: width} if width else {}

    monkeypatch.setattr(module, "read_counted", lambda *_, **__: SimpleNamespace(blocks={}))
    monkeypatch.setattr(module, "wide_comparisons", wide)
    until = Until(half_width=0.02, budget_s=budget_s, looks=3)
    session = Further()
    options = LaunchOptions(plan, SHIPPED, tmp_path, [], until=until)
    folder = cast("RunFolder", SimpleNamespace(folder=tmp_path))
    return session, module._narrow(options, until, cast("Session", session), folder)


@pytest.mark.parametrize(
    ("widths", "budget_s", "rounds", "last"),
    [
        # The first look may be the last.
        ([0, 0], 1e6, (), None),
        # As many rounds again as the plan has, numbered on, then the next look.
        ([0.05, 0, 0], 1e6, (3, 4), "look 1: 1 comparisons are wider than ±2.0%; going on"),
        # Each look takes its share of the error: there are no more than were announced, the last one included.
        ([0.05, 0.04, 0.03], 1e6, (3, 4, 5, 6), "not narrow enough: redis-py--sync: ±3.0%"),
        # No round begins that would end too late; endless widths are named as well.
        ([math.inf, math.inf], 0.001, (), "not narrow enough: redis-py--sync: ±inf%"),
    ],
)
def test_blocks_with_wide_comparisons_are_measured_further(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    widths: list[float],
    budget_s: float,
    rounds: tuple[int, ...],
    last: str | None,
) -> None:
    """Those of no others, until looks or budget are used up; what is still wide is named."""
    session, statuses = narrowed(monkeypatch, tmp_path, widths, budget_s=budget_s)
    assert session.rounds == [("sync", number) for number in rounds]
    assert len(statuses) == 2 * len(rounds)
    assert session.notes[-1:] == ([last] if last else [])
