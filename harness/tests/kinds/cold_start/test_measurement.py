"""Starting programs: what they say is kept, what they get wrong is found, and a run of them can be interrupted."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from respmark import kinds
from respmark.kinds.cold_start.record import StartsRecord
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.results.manifest import RunStatus
from respmark.results.records import Status
from respmark.results.store import TRIALS, read_manifest, read_records
from respmark.run.observer import Observer
from respmark.run.run import opened
from respmark.run.testbed import OpenOptions
from respmark.specs.catalogue import Catalogue
from tests.builders.plan import asked, write_specs

PROGRAM: Final = Path(__file__).with_name("program.py")
CLIENT: Final = """
summary = "for tests"
package = "toy"
version = "1.0"
adapter = "toy.py"

scenarios = ["sync"]
cannot = [
  { what = "pipelining", why = "no" },
  { what = "batching", why = "no" },
  { what = "transaction", why = "no" },
  { what = "threads", why = "no" },
  { what = "pool", why = "no" },
  { what = "new-connection", why = "no" },
  { what = "caching", why = "no" },
]

[[variants]]
"""


@dataclass
class Interrupting(Observer):
    """Interrupts the run when a block has come to this point."""

    at: tuple[int, str] | None = None
    """Number of the round, and what the block tells."""
    told: list[str] = field(default_factory=list)
    _round: int = 0

    def block_started(self, block: object, progress: object) -> None:
        del block, progress
        self._round += 1

    def progress(self, text: str) -> None:
        self.told.append(text)
        if (self._round, text) == self.at:
            raise KeyboardInterrupt


def measured(
    folder: Path,
    guardian: Guardian,
    *clients: str,
    observer: Observer | None = None,
    resume: bool = False,
    rounds: int = 1,
) -> list[StartsRecord]:
    """Measure clients that behave as their names say; return the records of the run."""
    command = json.dumps([sys.executable, str(PROGRAM), "{client}"])
    specs = {f"toy__clients__{name}__client": CLIENT for name in clients}
    runner = f'language = "Toy"\ncommand = ["toy"]\nadvice = "none"\ncold_start = {command}\n'
    catalogue = Catalogue(write_specs(folder / "specs", toy__runner=runner, **specs))
    plan = make_plan(asked("cold-start", catalogue, clients=clients, rounds=rounds, laps=2), catalogue)
    options = OpenOptions(plan, catalogue, folder / "run", ["respmark"], resume=resume)
    with opened(options, guardian, observer or Observer(), kinds) as run:
        for _ in run.rounds():
            pass
    return found(folder)


def found(folder: Path) -> list[StartsRecord]:
    records = list(read_records(folder / "run", kinds.record_type))
    assert all(isinstance(one, StartsRecord) for one in records)
    return [one for one in records if isinstance(one, StartsRecord)]


def test_every_start_that_counts_is_kept(guardian: Guardian, tmp_path: Path) -> None:
    (record,) = measured(tmp_path, guardian, "well")
    assert (record.status, record.reason, record.language) == (Status.OK, None, "Toy")
    assert record.versions == {"well": "1.0"}
    assert [(one.load_ns, one.create_ns, one.connect_ns, one.first_ns) for one in record.starts] == 2 * [
        (3_000_000, 2_000_000, None, 1_000_000)
    ]
    assert all(one.runtime_ns > 0 for one in record.starts)
    assert record.starts[0].total_ns == record.starts[0].runtime_ns + 6_000_000
    assert record.measured_s == sum(one.total_ns for one in record.starts) / 1e9


@pytest.mark.parametrize(
    ("how", "status", "said"),
    [
        ("refuses", Status.UNSUPPORTED, "not on this machine"),
        ("breaks", Status.FAILED, "ToyError: it broke"),
        ("invents", Status.FAILED, "must be"),
        ("repeats", Status.FAILED, "the server saw 2 GETs of a process that was to send one"),
    ],
)
def test_what_is_wrong_has_a_reason_and_no_figure(
    guardian: Guardian, tmp_path: Path, how: str, status: Status, said: str
) -> None:
    """The others of its block go on."""
    wrong, well = measured(tmp_path, guardian, how, "well")
    assert (wrong.status, wrong.starts) == (status, [])
    assert said in (wrong.reason or "")
    assert (well.status, len(well.starts)) == (Status.OK, 2)


def test_a_run_that_is_interrupted_keeps_its_records_and_goes_on(guardian: Guardian, tmp_path: Path) -> None:
    """What had ended stays as it was; the block in which it was interrupted is measured again as a whole."""
    clients = ("well", "better", "best")
    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path, guardian, *clients, observer=Interrupting((2, "lap 2 of 2")), rounds=3)
    assert read_manifest(tmp_path / "run").status is RunStatus.INTERRUPTED
    before = (tmp_path / "run" / TRIALS).read_bytes()
    assert [(one.round, len(one.starts)) for one in found(tmp_path)] == [(1, 2)] * 3 + [(2, 1)] * 3
    assert ["interrupted" in (one.reason or "") for one in found(tmp_path)] == [False] * 3 + [True] * 3
    records = measured(tmp_path, guardian, *clients, resume=True, rounds=3)
    assert (tmp_path / "run" / TRIALS).read_bytes().startswith(before)
    assert sorted((one.client.name, one.round, len(one.starts)) for one in records) == [
        (name, number, 2) for name in sorted(clients) for number in (1, 2, 3)
    ]
    assert {(one.status, one.reason) for one in records} == {(Status.OK, None)}
    manifest = read_manifest(tmp_path / "run")
    assert (manifest.status, len(manifest.resumed_at)) == (RunStatus.COMPLETE, 1)


def test_a_language_without_the_program_keeps_its_row(tmp_path: Path) -> None:
    """With the reason; nothing but a GET can be sent."""
    runner = 'language = "Toy"\ncommand = ["toy"]\nadvice = "none"\n'
    catalogue = Catalogue(write_specs(tmp_path, toy__runner=runner, toy__clients__well__client=CLIENT))
    without, with_it = make_plan(asked("cold-start", catalogue, clients=("well", "redis-py")), catalogue).cells
    assert without.unsupported == "Toy's runner has no `cold_start` in runner.toml"
    assert with_it.unsupported is None
    request = asked("cold-start", catalogue, clients=("redis-py",), workloads=("get", "quick"))
    reasons = {cell.workload: cell.unsupported for cell in make_plan(request, catalogue).cells}
    assert reasons == {"get": None, "quick": "a cold start is that of a GET: workload quick has SET"}
