"""Searches that have ended."""

from typing import Any

from respmark.bisect.search import Rest, SearchResult, VersionStep, Why
from respmark.bisect.sequential import Answer, VersionDifference
from respmark.bisect.words import Confirmed, Searched
from respmark.figures.estimate import Ratio

DIFFERENT = VersionDifference(older="1.1", newer="1.3", answer=Answer.DIFFERENT, rounds=6, ratio=0.8, low=0.7, high=0.9)


ALIKE = VersionDifference(older="1.3", newer="2.0", answer=Answer.ALIKE, rounds=9, ratio=1.01, low=0.97, high=1.04)


def searched(
    ratios: dict[str, Ratio] | None = None,
    metric: str = "rps",
    **changes: Any,  # noqa: ANN401 - fields of Found
) -> Searched:
    step = VersionStep(difference=DIFFERENT, between={"1.2": "does not build\nSee the log"})
    given: dict[str, Any] = {
        "versions": ("1.0", "1.1", "1.2", "1.3", "2.0"),
        "at_least": 0.05,
        "steps": (step,),
        "rests": (Rest(difference=ALIKE, why=Why.ALIKE),),
        "questions": (),
        "unmeasurable": {"1.2": "does not build\nSee the log"},
    }
    confirmed = Confirmed(
        step=step,
        folder="step-1" if ratios else "",
        rounds=10 if ratios else 0,
        ratios=ratios or {},
        reproduce="respmark run quick --client lib@1.1 --client lib@1.3",
    )
    found = SearchResult(**{**given, **changes})
    return Searched(
        respmark_version="1",
        command_line=["respmark", "bisect", "lib@1.0", "lib@2.0"],
        library="lib",
        use="sync",
        metric=metric,
        found=found,
        steps=(confirmed,) * len(found.steps),
        names={},
        setting=("machine of mine", "server valkey 9.1.0"),
    )


RATIOS = {
    "rps": Ratio(value=0.81, low=0.79, high=0.83),
    "client_cpu": Ratio(value=1.22, low=1.2, high=1.25),
}
