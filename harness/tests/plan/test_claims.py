"""Suites that are made of published claims."""

from collections.abc import Iterator

import pytest

from respmark.errors import InvalidRequestError
from respmark.plan.claims import MOST_CELLS
from respmark.plan.make import make_plan
from respmark.plan.request import Request
from respmark.specs.guidance import Capacity, ClaimSpec
from respmark.specs.naming import one_client
from respmark.specs.statements import ClaimedRatio
from tests.builders.plan import SHIPPED, asked


def every_ratio(suite: str) -> Iterator[tuple[ClaimSpec, ClaimedRatio]]:
    for name in SHIPPED.suite(suite).guidance:
        for claim in SHIPPED.guidance(name).claims:
            for claimed in claim.ratios:
                yield claim, claimed


def test_every_source_is_measured_by_the_suite_that_it_names() -> None:
    suites = {name: SHIPPED.guidance(name).suite for name in SHIPPED.names("guidance")}
    assert suites == {name: suite for suite in set(suites.values()) for name in SHIPPED.suite(suite).guidance}
    assert SHIPPED.suite("guidance").guidance == SHIPPED.suite("guidance-short").guidance


@pytest.mark.parametrize("suite", ["guidance", "practices", "trackers"])
def test_the_suite_measures_exactly_what_the_claims_compare(suite: str) -> None:
    """Both cells of each comparison stand in one block, no block is long, and nothing else is measured."""
    plan = make_plan(Request(suite=suite), SHIPPED)
    blocks: dict[str, set[tuple[str | None, ...]]] = {}
    for cell in plan.cells:
        assert cell.unsupported is None
        key = (cell.client.name, cell.scenario, cell.shape.model_dump_json(), cell.workload, cell.server)
        blocks.setdefault(cell.block, set()).add(key)
    wanted = set()
    for claim, claimed in every_ratio(suite):
        pair = {
            (
                one_client(side.client, SHIPPED.clients).name,
                side.scenario,
                side.shape.model_dump_json(),
                side.workload or plan.settings.first_workload,
                side.server or plan.settings.first_server,
            )
            for side in (one.under(claim.conditions) for one in (claimed.cell, claimed.against))
        }
        assert any(pair <= cells for cells in blocks.values()), claim.id
        wanted |= pair
    assert set().union(*blocks.values()) == wanted
    assert max(map(len, blocks.values())) <= MOST_CELLS


def test_what_claims_bound_is_measured_beside_others_of_its_shape() -> None:
    """Nothing is compared: trials of a shape run side by side."""
    plan = make_plan(Request(suite="faults-claims"), SHIPPED)
    (name,) = SHIPPED.suite("faults-claims").guidance
    bounds = [bound.cell for claim in SHIPPED.guidance(name).claims for bound in claim.bounds]
    wanted = {(one_client(one.client, SHIPPED.clients).name, one.shape.model_dump_json()) for one in bounds}
    assert {(cell.client.name, cell.shape.model_dump_json()) for cell in plan.cells} == wanted
    assert {cell.block for cell in plan.cells if cell.shape.fault == "stale"} == {
        "faults--threads=10--rate=40--fault=stale"
    }
    one = make_plan(asked("faults-claims", clients=("lettuce",)), SHIPPED)
    assert {cell.client.name for cell in one.cells} == {"lettuce"}


def test_the_suite_of_clusters_has_what_their_claims_need() -> None:
    """Whoever runs it has the verdicts, too; and every claim's client can do what the claim is about."""
    plan = make_plan(asked("cluster", clients=("lettuce", "phpredis")), SHIPPED)
    blocks = {
        (cell.client.name, cell.scenario, cell.shape, cell.workload, cell.server): (cell.block, cell.unsupported)
        for cell in plan.cells
    }
    for claim in SHIPPED.guidance("cluster").claims:
        pairs = [(one.cell, one.against) for one in claim.ratios] + [(one.cell,) for one in claim.bounds]
        for sides in pairs:
            keys = [(one.client, one.scenario, one.shape, one.workload or "quick", one.server or "") for one in sides]
            found = [blocks[key] for key in keys]
            assert len(set(found)) == 1, claim.id
            assert found[0][1] is None


def test_everyday_advice_is_measured_of_whoever_is_named() -> None:
    """A client that the suite does not have, and one of which it has less."""
    plan = make_plan(asked("practices", clients=("go-redis", "lettuce")), SHIPPED)
    assert {cell.client.name for cell in plan.cells} == {"go-redis", "lettuce"}
    keys = {cell.client.name for cell in plan.cells if cell.workload == "keys"}
    assert keys == {"go-redis", "lettuce"}
    usual = make_plan(Request(suite="practices"), SHIPPED)
    assert {cell.client.name for cell in usual.cells if cell.workload == "keys"} == {"redis-py"}


def test_a_claim_about_a_network_is_measured_behind_its_round_trip() -> None:
    """Whatever round trip the suite has; one about clients on the server's machine is left out where there is one."""
    plan = make_plan(Request(suite="guidance", claims=("predis-faq-network",)), SHIPPED)
    assert {(cell.shape.rtt_ms, cell.workload) for cell in plan.cells} == {(0.25, "values-10")}
    capacity = Capacity(chosen=frozenset({"rtt"}))
    left_out = make_plan(Request(suite="guidance", capacity=capacity), SHIPPED).left_out
    assert set(left_out) >= {"predis-faq-local", "unix-socket"}
    assert "predis-faq-network" not in left_out


@pytest.mark.parametrize(
    ("claim", "capacity", "said"),
    [
        ("valkey-io-threads", Capacity(cpus=2), "needs 16 CPUs; available: 2"),
        (
            "thirty-thousand-connections",
            Capacity(files=20_000),
            "needs 30,100 connections, but a process may open only 20,000 files",
        ),
        ("unix-socket", Capacity(chosen=frozenset({"server"})), "has servers of its own: measure it without --server"),
        ("triage-expiry", Capacity(chosen=frozenset({"workload"})), "has workloads of its own: measure it without"),
    ],
)
def test_claims_that_need_more_than_there_is_are_left_out(claim: str, capacity: Capacity, said: str) -> None:
    """The suite does without them and says why; alone, nothing of it can be measured."""
    plan = make_plan(Request(suite="guidance", capacity=capacity), SHIPPED)
    assert plan.left_out[claim].startswith(said)
    assert not any(cell.block.startswith(claim) for cell in plan.cells)
    with pytest.raises(InvalidRequestError, match=f"none of this can be measured: claim `{claim}`: {said}"):
        make_plan(Request(suite="guidance", claims=(claim,), capacity=capacity), SHIPPED)
    assert not make_plan(Request(suite="guidance", claims=(claim,)), SHIPPED).left_out
