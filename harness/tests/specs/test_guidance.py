"""Published claims as data."""

from pathlib import Path

import pytest

from respmark.errors import SpecError
from respmark.specs.catalogue import Catalogue
from respmark.specs.statements import CellSpec, ClaimMetric, Conditions
from tests.builders.plan import SHIPPED, write_specs
from tests.guidance.builders import claim_toml, guidance_toml
from tools.post import the_post

POST = the_post()
AWS = SHIPPED.guidance(POST.guidance)
BURST = 'depth = 10, window = "burst"'
ROUND_TRIP = {"latency-bounds-sync", "latency-bounds-stackexchange"}
"""The post says this in words, of all libraries alike."""


def claims(client: str, scenario: str, shape: str) -> str:
    cell = f"{client} {scenario} shape = {{ {shape} }}"
    return guidance_toml(claim_toml("mine", "Batches are faster.", cell=cell, against="jedis sync"))


def figure_in_the_post(side: CellSpec, metric: ClaimMetric) -> float | None:
    for table in POST.tables:
        for number, column in enumerate(table.columns):
            for row in table.rows:
                there = column.scenario, column.shape_at(table.axes, row.at)
                if side.client in column.clients and there == (side.scenario, side.shape):
                    figures = dict(zip(column.figures, row.published[number], strict=True))
                    if metric == "rps":
                        return figures["rps"]
                    if "cpu" in figures:
                        return figures["cpu"] / figures["rps"]
    return None


def test_the_ratios_of_the_post_are_those_of_its_figures() -> None:
    """A ratio with a slip of the pen would be held against everybody's run."""
    for claim in AWS.claims:
        for claimed in claim.ratios:
            if claimed.published is None or claim.id in ROUND_TRIP:
                continue
            figures = [figure_in_the_post(side, claimed.metric) for side in (claimed.cell, claimed.against)]
            assert figures[0], f"{claim.id}: {claimed.cell.label}"
            assert figures[1], f"{claim.id}: {claimed.against.label}"
            assert claimed.published == pytest.approx(figures[0] / figures[1], rel=0.01), claim.id


@pytest.mark.parametrize(
    ("client", "scenario", "said"),
    [
        ("nobody", "batching", "claim `mine`: there is no client library `nobody`"),
        ("jedis[mood=good]", "batching", "claim `mine`: `jedis` has no option `mood`"),
        ("jedis[decode=morse]", "batching", "claim `mine`: `morse` is not a value of jedis's option `decode`"),
        ("redis-py@old", "batching", "claim `mine`: `old` is not a version of `redis-py`"),
        ("redis-py@4.6", "batching", "claim `mine`: `redis-py@4.6` is no single release: name a whole version"),
        ("jedis", "teleport", r"claims.\[1\].statements.\[1\].cell.scenario.*should be 'sync'"),
        ("jedis", "pipelining", r"claim `mine`: jedis has no pipelining.*only a synchronous API"),
        ("jedis", "threads", r"claims.\[1\].statements.\[1\].*threads needs threads, connections"),
    ],
)
def test_a_claim_that_names_what_is_not_there_is_refused(tmp_path: Path, client: str, scenario: str, said: str) -> None:
    text = claims(client, scenario, BURST if scenario == "pipelining" else "depth = 10")
    specs = write_specs(tmp_path, guidance__mine=text)
    with pytest.raises(SpecError, match=said):
        Catalogue(specs).guidance("mine")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ('workload = "values-11"', "claim `mine`: there is no workload `values-11`; there are: values-10"),
        ('server = "redis@5"', "claim `mine`: there is no server `redis@5`; there are: "),
    ],
)
def test_a_claim_names_workloads_and_servers_that_exist(tmp_path: Path, field: str, said: str) -> None:
    text = guidance_toml(claim_toml("mine", "Mine.", cell=f"jedis sync {field}", against="jedis sync"))
    with pytest.raises(SpecError, match=said):
        Catalogue(write_specs(tmp_path, guidance__mine=text)).guidance("mine")


def test_a_claim_has_the_conditions_of_its_source_and_can_replace_them(tmp_path: Path) -> None:
    claim = claim_toml("mine", "Mine.", cell="jedis sync", against="lettuce sync", conditions="{ rtt_ms = 0.25 }")
    text = guidance_toml('[conditions]\nworkload = "quick"\nrtt_ms = 0.2', claim)
    (found,) = Catalogue(write_specs(tmp_path, guidance__mine=text)).guidance("mine").claims
    assert found.conditions == Conditions(workload="quick", rtt_ms=0.25)


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ("", 'direction = "between" needs'),
        ("between = [0.8, 0.9]\nfactor = 2", "and no factor"),
        ("between = [0.9, 0.8]", "has the lower ratio first"),
    ],
)
def test_a_range_has_two_ends_in_order(tmp_path: Path, bounds: str, said: str) -> None:
    claim = claim_toml("mine", "Mine.", cell="jedis sync", against="lettuce sync", direction="between", rest=bounds)
    with pytest.raises(SpecError, match=said):
        Catalogue(write_specs(tmp_path, guidance__mine=guidance_toml(claim))).guidance("mine")


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ('{ place = "network" }', 'claim `mine`: place = "network" needs rtt_ms'),
        ('{ place = "local", rtt_ms = 0.2 }', 'claim `mine`: place = "local" has no round trip'),
        ('{ workload = "values-11" }', "claim `mine`: there is no workload `values-11`"),
    ],
)
def test_conditions_that_cannot_be_are_refused(tmp_path: Path, conditions: str, said: str) -> None:
    claim = claim_toml("mine", "Mine.", cell="jedis sync", against="lettuce sync", conditions=conditions)
    with pytest.raises(SpecError, match=said):
        Catalogue(write_specs(tmp_path, guidance__mine=guidance_toml(claim))).guidance("mine")


def test_a_statement_without_a_client_is_about_each_of_the_sources(tmp_path: Path) -> None:
    """A claim may name others; a statement that names its own stays alone."""
    side = 'cell = { scenario = "sync" }, against = { scenario = "new-connection" }'
    own = 'cell = { client = "jedis", scenario = "sync" }, against = { client = "lettuce", scenario = "sync" }'
    body = f"""name = "mine"
title = "t"
url = "u"
published = "no date"
setup = "s"
clients = ["redis-py", "predis"]
[[claims]]
id = "all"
gist = "g"
section = "s"
statements = [{{ direction = "more", {side} }}, {{ direction = "more", {own} }}]
[[claims]]
id = "others"
gist = "g"
section = "s"
clients = ["valkey"]
statements = [{{ direction = "more", {side} }}]
"""
    claims = Catalogue(write_specs(tmp_path, guidance__mine=body)).guidance("mine").claims
    asked = [[(one.cell.client, one.against.client) for one in claim.ratios] for claim in claims]
    assert asked == [[("redis-py",) * 2, ("predis",) * 2, ("jedis", "lettuce")], [("valkey",) * 2]]


def test_a_claim_about_everyone_leaves_out_who_lacks_the_command_and_is_about_others_who_have_it() -> None:
    """By tag, as suites select clients; others are those whom somebody names."""

    def clients(claim: str, *others: str) -> list[str]:
        found = {one.id: one for one in SHIPPED.guidance("practices", others).claims}[claim]
        return list(dict.fromkeys(claimed.cell.client for claimed in found.ratios))

    default = [spec.library for spec in SHIPPED.clients.values() if "default" in spec.tags]
    assert set(clients("practice-batch")) == set(default)
    assert set(default) - set(clients("practice-no-empty-password")) == {"jedis", "stackexchange-redis"}
    assert clients("practice-scan", "go-redis", "redis-py[protocol=2]", "stackexchange-redis") == [
        "redis-py",
        "go-redis",
        "redis-py[protocol=2]",
    ]
    assert SHIPPED.guidance("triage-handbook", ("go-redis",)) == SHIPPED.guidance("triage-handbook")


def test_every_piece_of_the_handbooks_advice_has_claims_that_can_be_measured() -> None:
    """Ten pieces; what it says besides has its reason why not."""
    for source in ("triage-handbook", "practices"):
        claims = [claim for claim in SHIPPED.guidance(source).claims if claim.statements]
        assert len({claim.section.partition(",")[0] for claim in claims}) == 10
