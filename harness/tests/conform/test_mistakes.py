"""The mistakes that adapters make are found on the wire: whole trials of redis-py, honest and mistaken."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from respmark.conform import verdicts
from respmark.conform.cases import Case, tamperings_of
from respmark.conform.context import ConformContext, conform_context
from respmark.conform.tampering import TamperingKind
from respmark.conform.verdicts import CaseVerdict, Conformity, judge
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from tests.builders.plan import asked, make_cell

SYNC = Scenario.SYNC, Shape()
BATCHING = Scenario.BATCHING, Shape(depth=10)
BURST = Scenario.PIPELINING, Shape(depth=10, window=Window.BURST)
SLIDING = Scenario.PIPELINING, Shape(depth=10, window=Window.SLIDING)
TRANSACTION = Scenario.TRANSACTION, Shape(depth=10, form=Form.BATCHED)
POOL = Scenario.POOL, Shape(threads=4, max_total=2)
NEW_CONNECTION = Scenario.NEW_CONNECTION, Shape()


@pytest.fixture(scope="module")
def context(catalogue: Catalogue) -> Iterator[ConformContext]:
    settings = make_plan(asked("conform", catalogue, clients=("double",)), catalogue).settings
    with closing(Guardian()) as guardian, conform_context(settings, catalogue, guardian) as made:
        yield made


def verdict_on(
    context: ConformContext, options: str, way: tuple[Scenario, Shape], tampering: TamperingKind | None = None
) -> tuple[CaseVerdict, str]:
    (client,) = find_clients(f"double[{options}]", context.catalogue.clients)
    scenario, shape = way
    script = next((one for one in tamperings_of(scenario) if one.kind is tampering), None)
    verdict = judge(Case(make_cell(client, scenario, shape, workload="conform"), script), context)
    return verdict, "\n".join(f"{one.asked} / {one.found}" for one in verdict.deviations)


@pytest.fixture(autouse=True)
def _one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "TRIES", 1)


@pytest.mark.parametrize(
    ("mode", "way", "tampering", "words"),
    [
        ("halves", BATCHING, None, "waited for replies after 5"),
        ("atomic", BATCHING, None, "x MULTI"),
        ("one-by-one", BURST, None, "waited for replies after 1"),
        ("one-by-one", SLIDING, None, "never more than 1"),
        ("big-pool", POOL, None, "4 were open"),
        ("reused", NEW_CONNECTION, None, "opened for"),
        ("talkative", SYNC, None, "x ECHO"),
        ("undecoded", SYNC, None, "must be a value of"),
        ("swallows", SYNC, TamperingKind.ERROR, "exactly 1 error counted / 0 counted"),
    ],
)
def test_a_mistake_is_found(
    context: ConformContext, mode: str, way: tuple[Scenario, Shape], tampering: TamperingKind | None, words: str
) -> None:
    """The deviation says what was asked for and what was found."""
    verdict, accusations = verdict_on(context, f"mode={mode}", way, tampering)
    assert verdict.conformity is Conformity.DEVIATES
    assert words in accusations


@pytest.mark.parametrize(
    ("options", "way", "tampering"),
    [
        ("protocol=2", SYNC, None),
        ("mode=honest", NEW_CONNECTION, None),
        ("mode=honest", TRANSACTION, TamperingKind.ERROR),
        ("mode=honest", BATCHING, TamperingKind.CUT),
        ("mode=honest", SLIDING, TamperingKind.RESET),
    ],
)
def test_whoever_keeps_to_the_definition_is_not_accused(
    context: ConformContext, options: str, way: tuple[Scenario, Shape], tampering: TamperingKind | None
) -> None:
    """Errors and lost connections are counted, or the library sends the commands again."""
    verdict, accusations = verdict_on(context, options, way, tampering)
    assert accusations == ""
    assert verdict.conformity is Conformity.CONFORMS


def test_tampering_that_never_happened_is_inconclusive(context: ConformContext) -> None:
    """Of what the client makes of it, nothing is known."""
    verdict, accusations = verdict_on(context, "mode=slow", SYNC, TamperingKind.ERROR)
    assert verdict.conformity is Conformity.INCONCLUSIVE
    assert accusations.startswith("a reply to tamper with (`error`) / none")
