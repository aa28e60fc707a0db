"""The table of all verdicts: whose each ratio is."""

from collections.abc import Mapping

import pytest

from tests.builders.plan import SHIPPED
from tests.guidance.builders import compared_run, make_guidance
from tools.verdicts import agreement_line, names_of

SYNC: Mapping[str, object]
PIPE: Mapping[str, object]
SYNC, PIPE = ({"scenario": "sync"}, {"scenario": "batching", "shape": {"depth": 10}})


def of(client: str, side: Mapping[str, object]) -> Mapping[str, object]:
    return {"client": client, **side}


@pytest.mark.parametrize(
    ("statements", "names"),
    [
        ([{"cell": of("jedis", SYNC), "against": of("lettuce", SYNC)}], [""]),
        (
            [{"cell": of(client, PIPE), "against": of(client, SYNC)} for client in ("jedis", "phpredis")],
            ["jedis", "phpredis"],
        ),
        (
            [
                {"cell": of("jedis", SYNC), "against": of("lettuce", SYNC), "metric": metric}
                for metric in ("client_cpu", "server_cpu")
            ],
            ["client CPU", "server CPU"],
        ),
        (
            [{"cell": of("jedis", SYNC), "against": of("jedis", {**PIPE, "shape": {"depth": n}})} for n in (10, 100)],
            ["to depth 10", "to depth 100"],
        ),
    ],
)
def test_a_ratio_is_named_by_what_others_of_its_claim_have_not(
    statements: list[Mapping[str, object]], names: list[str]
) -> None:
    guidance = make_guidance(*({"direction": "more", **one} for one in statements))
    assert names_of(guidance.claims[0].ratios) == names


@pytest.mark.parametrize(
    ("ratio", "said", "furthest"),
    [
        (1.2, "decide none of them in opposite ways; in none, intervals", ""),
        (1.4, "decide none of them in opposite ways; in 1, intervals", "1.20 in `at-1.2` (A CPU) and 1.40 in `at-1.4`"),
        (0.8, "decide 1 of them in opposite ways; in 1, intervals", "0.800 in `at-0.8` (A CPU) and 1.20 in `at-1.2`"),
    ],
    ids=["alike", "other figures", "the other way"],
)
def test_it_is_told_where_runs_disagree(ratio: float, said: str, furthest: str) -> None:
    """The page takes one of the runs; whoever has another machine may have the figures of the other."""
    guidance = make_guidance({"direction": "more"})
    runs = [compared_run(one, run_id=f"at-{one}") for one in (1.2, ratio)]
    named = [(guidance, guidance.claims[0])]
    line = agreement_line(named, runs, SHIPPED)
    assert said in line
    assert line.partition(" Furthest apart are two of `c`: ")[2].startswith(furthest)
    assert ("Furthest" in line) is bool(furthest)
    assert not agreement_line(named, runs[:1], SHIPPED)
