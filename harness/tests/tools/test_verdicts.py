"""The table of all verdicts: whose each ratio is."""

from collections.abc import Mapping

import pytest

from tests.guidance.builders import make_guidance
from tools.verdicts import names_of

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
