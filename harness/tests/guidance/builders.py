"""Claims and runs by hand."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from respmark.contract.trial import Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.guidance.verdict import JudgedClaim, judge
from respmark.kinds.loops.record import LoopRecord
from respmark.plan.plan import Trial
from respmark.specs.guidance import GuidanceSpec
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED, make_cell
from tests.builders.records import make_record, make_run, make_slice_record


def make_guidance(*statements: Mapping[str, object], **claim: object) -> GuidanceSpec:
    sides = {"cell": {"client": "jedis", "scenario": "sync"}, "against": {"client": "lettuce", "scenario": "sync"}}
    fields = {"id": "c", "gist": "g", "section": "s", "statements": [sides | dict(one) for one in statements]} | claim
    head = {"name": "n", "title": "t", "url": "u", "published": "2026", "setup": "s", "versions": {"jedis": "3.6.0"}}
    return GuidanceSpec.model_validate_json(json.dumps({**head, "claims": [fields]}))


def guidance_toml(*claims: str, title: str = "a page") -> str:
    head = (
        f'name = "mine"\ntitle = "{title}"\nurl = "https://example.org/page"\npublished = "2026"\nsetup = "a laptop"\n'
    )
    return "\n".join([head, *claims])


def claim_toml(
    name: str,
    gist: str,
    *,
    cell: str,
    against: str,
    rest: str = "",
    direction: str = "more",
    conditions: str = "{}",
) -> str:
    return f"""
[[claims]]
id = "{name}"
gist = "{gist}"
section = "somewhere"
conditions = {conditions}
[[claims.statements]]
direction = "{direction}"
cell = {_cell_toml(cell)}
against = {_cell_toml(against)}
{rest}
"""


def _cell_toml(cell: str) -> str:
    client, scenario, *more = cell.split(" ", 2)
    return f'{{ client = "{client}", scenario = "{scenario}"{"".join(f", {one}" for one in more)} }}'


def make_round(
    client: str, operations: Sequence[int], number: int, *, block: str | None = None, depth: int | None = None
) -> LoopRecord:
    scenario = Scenario.SYNC if depth is None else Scenario.BATCHING
    cell = make_cell(one_client(client, SHIPPED.clients), scenario, Shape(depth=depth), block_name=block)
    slices = [make_slice_record(done, lap) for lap, done in enumerate(operations, start=1)]
    return make_record(Trial(cell, number), slices=slices)


def compared_run(
    ratio: float,
    rounds: int = 3,
    noise: float = 0.001,
    workload: str = "tiny",
    **changes: Any,  # noqa: ANN401 - a manifest's fields
) -> RunFigures:
    records = []
    for number in range(1, rounds + 1):
        swing = 1 + noise * (number % 3 - 1)
        laps = [1 - noise, 1.0, 1 + noise, 1.0]
        records.append(make_round("lettuce", [round(100_000 * lap) for lap in laps], number))
        records.append(make_round("jedis", [round(100_000 * ratio * swing / lap) for lap in laps], number))
    return make_run(*(one.model_copy(update={"workload": workload}) for one in records), **changes)


def judged(guidance: GuidanceSpec, *runs: RunFigures) -> JudgedClaim:
    return judge([(guidance, guidance.claims[0])], runs, SHIPPED.clients)[0]
