"""What is withdrawn stands on the first line of its pages until its runs are measured again."""

from datetime import datetime
from pathlib import Path

import pytest

from respmark.results.store import write_model
from tests.builders.records import laps, make_run
from tools.withdrawn import MARK, PATH, Withdrawal, marked, of_page, withdrawals

ENTRY = '[[withdrawn]]\nruns = ["toy"]\npages = ["toy.md"]\nwhat = "All."\nwhy = "It was wrong."\n'
NOTICE = Withdrawal(runs=("toy",), pages=("toy.md",), what="All.", why="It was wrong.")


@pytest.mark.parametrize(("started", "standing"), [("2026-01-01T00:00:00Z", [NOTICE]), ("2026-01-03T00:00:00Z", [])])
def test_an_entry_is_gone_when_its_run_was_measured_again(
    tmp_path: Path, started: str, standing: list[Withdrawal]
) -> None:
    manifest = make_run(*laps("slow", 1000)).manifest
    (tmp_path / "toy").mkdir()
    again = manifest.model_copy(update={"started_at": datetime.fromisoformat(started)})
    write_model(tmp_path / "toy" / "manifest.json", again)
    (tmp_path / "withdrawn.toml").write_text(f"before = 2026-01-02T00:00:00Z\n{ENTRY}")
    assert withdrawals(tmp_path / "withdrawn.toml") == standing


def test_a_page_has_what_is_withdrawn_below_its_title_once() -> None:
    """Whether it had it before or not; and none when nothing is withdrawn any more."""
    page = "# Toy\n\nText.\n"
    once = marked(page, [NOTICE])
    assert once == f"# Toy\n\n{MARK}All. It was wrong.\n\nText.\n"
    assert marked(once, [NOTICE]) == once
    assert marked(once, []) == page


def test_every_entry_names_pages_and_runs_that_exist() -> None:
    for one in withdrawals():
        assert [run for run in one.runs if not (PATH.parent / run).is_dir()] == []
        assert [page for page in one.pages if not (PATH.parents[2] / "docs" / page).is_file()] == []


def test_only_its_own_pages_have_an_entry() -> None:
    assert of_page("toy.md", [NOTICE]) == [NOTICE]
    assert of_page("other.md", [NOTICE]) == []
