"""Sections of pages that are made of a run: its answer, or that it is not measured yet."""

import shutil
from pathlib import Path

from respmark.files import write_whole
from respmark.micro.model import MICRO
from tests.builders.plan import SHIPPED
from tests.micro.builders import make_micro_run
from tools.run_tables import RUNS, SECTIONS, sections_of


def test_a_section_is_its_runs_answer(tmp_path: Path) -> None:
    """With the run's link and command; sections of runs that are not there say so."""
    shutil.copytree(RUNS / "php", tmp_path / "tls")
    found = sections_of("costs.md", SHIPPED, tmp_path)
    assert list(found) == [one.run for one in SECTIONS if one.page == "costs.md"]
    assert "by `respmark run php" in found["tls"]
    assert "`predis`" in found["tls"]
    assert found["caching"] == "\nNot measured yet.\n\n"


def test_micro_benchmarks_have_a_section_below_its_own_title(tmp_path: Path) -> None:
    """The page has the title; the tool and the server are named."""
    (tmp_path / "micro-java").mkdir()
    write_whole(tmp_path / "micro-java" / MICRO, make_micro_run().model_dump_json().encode())
    text = sections_of("micro.md", SHIPPED, tmp_path)["micro-java"]
    assert "# respmark micro" not in text
    assert "- micro-benchmarks of " in text
