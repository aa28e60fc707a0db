"""docs/practices.md: each practice with its picture, its figures by client, and the code; nothing without its run."""

from pathlib import Path

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.kinds.loops.record import LoopRecord
from respmark.plan.plan import Trial
from respmark.specs.naming import one_client
from respmark.triage.rules import rules_of
from tests.builders.plan import SHIPPED, client_spec, make_cell
from tests.builders.records import WOBBLE, make_record, make_run, make_slice_record
from tools.practices_page import GUIDANCE, LEFT_OUT, PAGE, RUN, lacking, practices_files
from tools.published import is_run
from tools.readme import README

BLOCK = "practice-mset--1"
PAGE_HERE = Path("docs", "practices.md")


def trials(client: str, workload: str, operations: int, scenario: Scenario = Scenario.SYNC) -> list[LoopRecord]:
    """Return four rounds of a client in one block with all others."""
    cell = make_cell(one_client(client, SHIPPED.clients), scenario, Shape(), workload=workload, block_name=BLOCK)
    return [
        make_record(
            Trial(cell, number),
            slices=[make_slice_record(operations + more, lap) for lap, more in enumerate(wobble, start=1)],
        )
        for number, wobble in enumerate(WOBBLE, start=1)
    ]


def practices_run() -> RunFigures:
    """Return a run in which an MSET of ten keys does as many commands as a SET in one client, and few in another."""
    records = [
        *trials("redis-py", "set", 10_000),
        *trials("redis-py", "mset", 9_000),
        *trials("redis-py", "set", 2_000, Scenario.NEW_CONNECTION),
        *trials("phpredis", "set", 10_000),
        *trials("phpredis", "mset", 1_000),
    ]
    return make_run(*records, command_line=["respmark", "run", "practices"])


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Return the text of each file, by its path."""
    run = practices_run()
    return {
        str(path): text for path, text in practices_files(run, SHIPPED.claims([GUIDANCE]), SHIPPED, PAGE_HERE).items()
    }


def test_a_practice_has_its_figures_by_client_with_ratio_and_verdict(made: dict[str, str]) -> None:
    """What one command does counts: here ten keys."""
    lines = made[str(PAGE_HERE)].splitlines()
    (python, php) = (
        [value.strip() for value in line.strip("|").split("|")]
        for line in lines
        if line.startswith(("| `redis-py` | 9,", "| `phpredis` | 1,"))
    )
    assert (python[:3], python[3][:5], python[4]) == (["`redis-py`", "9,000", "10,000"], "9.00 ", "holds")
    assert (php[:3], php[3][:5], php[4]) == (["`phpredis`", "1,000", "10,000"], "1.00 ", "does not hold")
    assert "**RPS: sync (workload mset) / sync; one on the left counts as 10**" in lines


def test_each_practice_that_was_measured_has_a_picture(made: dict[str, str]) -> None:
    pictures = {path for path in made if path.endswith(".svg")}
    assert pictures == {"docs/practices/practice-mset.svg", "docs/practices/practice-kept-connection.svg"}
    page = made[str(PAGE_HERE)]
    assert all(f"](practices/{Path(path).name})" in page for path in pictures)
    assert all("redis-py" in made[path] for path in pictures)


def test_every_practice_stands_under_its_advice_also_if_it_was_not_measured(made: dict[str, str]) -> None:
    page = made[str(PAGE_HERE)]
    claims = SHIPPED.guidance(GUIDANCE).claims
    assert [claim.id for claim in claims if f"(`{claim.id}`)\n" not in page] == []
    assert page.count("\n## ") == 1 + len({claim.section for claim in claims})


def test_a_client_without_the_command_keeps_its_row_with_the_reason(made: dict[str, str]) -> None:
    assert "| `stackexchange-redis` |  |  | StackExchange.Redis has no blocking commands" in made[str(PAGE_HERE)]
    spec = client_spec(cannot=[{"what": "KEYS", "why": "no KEYS"}])
    assert lacking(spec, ["GET", "KEYS"]) == "no KEYS"
    assert lacking(spec, ["GET"]) == LEFT_OUT


def test_the_code_is_that_of_the_rule_that_finds_the_opposite(made: dict[str, str]) -> None:
    """Every rule that a practice names is there."""
    rules = {rule.id: rule for rule in rules_of(SHIPPED)}
    page = made[str(PAGE_HERE)]
    named = {claim.rule for claim in SHIPPED.guidance(GUIDANCE).claims if claim.rule}
    assert named <= rules.keys()
    assert rules["polling"].code["jedis"].strip() in page
    assert [name for name in named if f"as `{name}`\n" not in page] == []


def test_page_and_line_in_the_readme_stand_only_with_the_run() -> None:
    """Without the files that they are made from, nobody could make them again."""
    assert PAGE.exists() == is_run(RUN)
    assert ("](docs/practices.md)" in README.read_text(encoding="utf-8")) == is_run(RUN)
