"""Twelve loads of `tools/triage_loads`, in four languages: sick ones are found, and nothing of the healthy."""

import pytest

from tests.required import need
from tests.triage.builders import make_judge
from tests.triage.conftest import Start
from tools.triage_loads.mixes import BESIDE, LANGUAGES, Mix, findings_of

SECONDS = 2.0
TWELVE = (
    Mix("node", "churn"),
    Mix("go", "loop"),
    Mix("go", "keys", (("node", "requests"),)),
    Mix("php", "whole-set"),
    Mix("node", "set-expire"),
    Mix("php", "poll"),
    Mix("go", "wrong-type"),
    Mix("python", "large-values"),
    Mix("node", "requests"),
    Mix("go", "batch"),
    Mix("php", "set-ex"),
    Mix("python", "worker"),
)


@pytest.mark.parametrize("mix", TWELVE, ids=lambda mix: mix.name)
def test_what_is_wrong_is_found_in_every_language(mix: Mix, start: Start) -> None:
    """And nobody else is blamed."""
    for language in (mix.language, *(one for one, _ in mix.beside)):
        need(language, LANGUAGES[language])
    found = findings_of(mix, start().endpoint, make_judge(), SECONDS)
    assert [one.id for one in found] == ([mix.finds] if mix.finds else [])
    assert not {who.name for one in found for who in one.clients} & {BESIDE}
