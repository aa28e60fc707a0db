"""Starting programs: what they say is kept, what they get wrong is found."""

import json
import sys
from pathlib import Path
from typing import Final

import pytest

from respmark.cold_start.launch import ColdStartRequest, run_cold_starts
from respmark.cold_start.model import COLD_START, ClientStarts, ColdStartRun
from respmark.machine.guardian import Guardian
from respmark.results.records import Status
from respmark.results.store import read_model
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import one_client
from tests.builders.plan import write_specs

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


def started(folder: Path, guardian: Guardian, how: str | None, starts: int = 2) -> ColdStartRun:
    command = [] if how is None else [sys.executable, str(PROGRAM), how]
    runner = f'language = "Toy"\ncommand = ["toy"]\nadvice = "none"\ncold_start = {json.dumps(command)}\n'
    files = {"toy__runner": runner, "toy__clients__toy__client": CLIENT}
    catalogue = Catalogue(write_specs(folder / "specs", **files))
    request = ColdStartRequest([one_client("toy", catalogue.clients)], starts, folder / "out", ["respmark"])
    return run_cold_starts(request, catalogue, guardian, lambda _: None)


def only(run: ColdStartRun) -> ClientStarts:
    (found,) = run.clients
    return found


def test_every_start_that_counts_is_kept(guardian: Guardian, tmp_path: Path) -> None:
    run = started(tmp_path, guardian, "well")
    assert read_model(tmp_path / "out" / COLD_START, ColdStartRun) == run
    found = only(run)
    assert (found.status, found.language, found.versions) == (Status.OK, "Toy", {"toy": "1.0"})
    assert [(one.load_ns, one.create_ns, one.connect_ns, one.first_ns) for one in found.starts] == 2 * [
        (3_000_000, 2_000_000, None, 1_000_000)
    ]
    assert all(one.runtime_ns > 0 for one in found.starts)
    assert found.starts[0].total_ns == found.starts[0].runtime_ns + 6_000_000


@pytest.mark.parametrize(
    ("how", "status", "said"),
    [
        ("refuses", Status.UNSUPPORTED, "not on this machine"),
        ("breaks", Status.FAILED, "ToyError: it broke"),
        ("invents", Status.FAILED, "must be"),
        ("repeats", Status.FAILED, "the server saw 2 GETs of a process that was to send one"),
        (None, Status.UNSUPPORTED, "Toy's runner has no `cold_start` in runner.toml"),
    ],
)
def test_what_is_wrong_has_a_reason_and_no_figure(
    guardian: Guardian, tmp_path: Path, how: str | None, status: Status, said: str
) -> None:
    found = only(started(tmp_path, guardian, how))
    assert (found.status, found.starts) == (status, [])
    assert said in (found.reason or "")
