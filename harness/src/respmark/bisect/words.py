"""What a search found, in words: a line for each question, the answer, and a text for the library's issues."""

import shlex
from collections.abc import Iterator
from typing import Final

from respmark import numbers
from respmark.bisect.search import Question, Rest, SearchResult, VersionSeries, VersionStep, may_be_step
from respmark.bisect.sequential import ERROR, Answer, VersionDifference
from respmark.contract.base import Count, Message
from respmark.figures.estimate import CONFIDENCE, Ratio
from respmark.figures.kind import FigureKind

HOLDS: Final = round((1 - ERROR) * 100)
"""In so many of a hundred searches, all intervals hold at once."""


class Confirmed(Message):
    """A step, and what rounds after the search say of it, in which its two versions took turns again."""

    step: VersionStep
    folder: str
    """Of the run after the search, in the search's folder; empty: there was no time left for it."""
    rounds: Count
    ratios: dict[str, Ratio]
    """By the metric's key, with 95 % intervals."""
    reproduce: str
    """The command that measures the two versions."""


class Searched(Message):
    """A search, as `bisect.json` has it."""

    respmark_version: str
    command_line: list[str]
    """As it was given, with passwords replaced."""
    library: str
    use: str
    """Scenario and shape."""
    metric: str
    """By its key: `rps`, `client_cpu`."""
    found: SearchResult
    steps: tuple[Confirmed, ...]
    names: dict[str, str]
    """Versions that are not called as the search calls them: commits with date and subject."""
    setting: tuple[str, ...]
    """Machine, server and workload, a line each."""

    def name(self, version: str) -> str:
        """Return a version as a reader finds it again."""
        return self.names.get(version, version)


def changed(metric: str, ratio: float, kind: FigureKind) -> str:
    """Return what a ratio newer/older means."""
    compared = kind.compared[metric]
    if compared.is_cost:
        return f"{'more' if ratio > 1 else 'less'} {compared.noun}"
    return "slower" if ratio < 1 else "faster"


def interval(ratio: float | None, low: float | None, high: float | None) -> str:
    """Write a ratio with its interval: `0.81 (0.79..0.83)`."""
    return "not measured" if ratio is None else numbers.interval(ratio, low, high)


def question_line(question: Question) -> str:
    """Return a question and its answer in one line."""
    return f"{question.number}. {'; '.join(map(_difference, question.differences))}"


def _difference(one: VersionDifference) -> str:
    found = interval(one.ratio, one.low, one.high)
    return f"{one.older} to {one.newer}: {found}, {one.rounds} rounds, {one.answer}"


def answer_lines(searched: Searched, kind: FigureKind) -> Iterator[str]:
    """Yield the lines of the answer."""
    found, metric = searched.found, searched.metric
    for one in searched.steps:
        yield f"{searched.library} {searched.name(one.step.newer)}: {changed(metric, _ratio(one, metric), kind)}"
        yield f"  {sizes(one, searched, kind)}"
        for name, why in one.step.between.items():
            yield f"  or with {searched.name(name)}, which could not be measured: {_first_line(why)}"
        if (doubt := _doubt(one, metric)) is not None:
            yield f"  {doubt}"
    if not found.steps:
        is_shown = any(rest.difference.answer is Answer.DIFFERENT for rest in found.rests)
        yield (
            "versions differ, but none of them is shown to have brought that"
            if is_shown
            else f"no difference of {_percent(found.at_least)} or more is shown"
        )
    for rest in found.rests:
        versions = " to ".join(map(searched.name, (rest.difference.older, rest.difference.newer)))
        yield f"{versions}: {_rest(rest, metric, kind)}"
    if found.series is not None:
        yield _of_series(found, found.series)
    skipped = {name: why for name, why in found.unmeasurable.items() if name in found.versions}
    yield from (f"skipped: {searched.name(name)}: {_first_line(why)}" for name, why in skipped.items())


def _of_series(found: SearchResult, series: VersionSeries) -> str:
    others = len(series.neighbours) - sum(may_be_step(one, found.at_least) for one in series.neighbours)
    return (
        f"in the series of {len(series.neighbours) + 1} versions before the search, {others} others are not shown to "
        f"differ from the version before them by {_percent(found.at_least)}"
    )


def _percent(share: float) -> str:
    return f"{share * 100:g} %"


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _ratio(one: Confirmed, metric: str) -> float:
    confirmed = one.ratios.get(metric)
    return confirmed.value if confirmed else one.step.difference.ratio or 1.0


def sizes(one: Confirmed, searched: Searched, kind: FigureKind) -> str:
    """Return by how much a step changes each figure, compared with which version, and how that is known."""
    older = searched.name(one.step.older)
    if not one.ratios:
        return f"{_of_search(one)} times the {kind.words(searched.metric)} of {older}, by the search's own figures"
    parts = [
        f"{interval(ratio.value, ratio.low, ratio.high)} times the {kind.words(metric)}"
        for metric in dict.fromkeys([searched.metric, *kind.in_series])
        if (ratio := one.ratios.get(metric)) is not None
    ]
    return f"{' and '.join(parts)} of {older}, in {one.rounds} rounds after the search"


def _doubt(one: Confirmed, metric: str) -> str | None:
    """Return what speaks against a step: rounds after the search that do not show it."""
    ratio = one.ratios.get(metric)
    if ratio is None or ratio.low is None or ratio.high is None or not ratio.low <= 1 <= ratio.high:
        return None
    return "the rounds after the search do not show the difference: do not report it without measuring again"


def _rest(rest: Rest, metric: str, kind: FigureKind) -> str:
    found = interval(rest.difference.ratio, rest.difference.low, rest.difference.high)
    return f"{found} times the {kind.words(metric)}: {rest.why}"


def explanation(searched: Searched, kind: FigureKind) -> str:
    """Return what the intervals mean."""
    return (
        f"Intervals of the search hold all at once in {HOLDS} of 100 searches, however often it looked; "
        f"those of the rounds after it are {_percent(CONFIDENCE)} intervals. {_ratio_words(searched, kind)}"
    )


def _ratio_words(searched: Searched, kind: FigureKind) -> str:
    return f"Ratios are the newer version's {kind.words(searched.metric)} divided by the older one's."


def issue_text(searched: Searched, one: Confirmed, kind: FigureKind) -> str:
    """Return a text in Markdown that can be pasted into an issue of the library."""
    metric = searched.metric
    older, newer = searched.name(one.step.older), searched.name(one.step.newer)
    said = changed(metric, _ratio(one, metric), kind)
    whose = f"{_percent(CONFIDENCE)} interval" if one.ratios else "the search's interval"
    return "\n".join(
        [
            f"## {searched.library} {newer}: {said} than {older} in `{searched.use}`",
            "",
            f"| {newer} divided by {older} | ratio ({whose}) |",
            "| --- | --- |",
            *_rows(one, metric, kind),
            "",
            *(f"{line}\n" for line in _skipped(one, searched)),
            _evidence(one, searched, kind),
            "",
            *(f"- {line}" for line in searched.setting),
            f"- respmark {searched.respmark_version}",
            "",
            "To reproduce the difference, and the search:",
            "",
            f"    {one.reproduce}",
            f"    {shlex.join(searched.command_line)}",
            "",
        ]
    )


def _rows(one: Confirmed, metric: str, kind: FigureKind) -> list[str]:
    if not one.ratios:
        return [f"| {kind.words(metric)} | {_of_search(one)} |"]
    shown = dict.fromkeys([*kind.in_series, metric])
    known = [(kind.words(each), ratio) for each in shown if (ratio := one.ratios.get(each))]
    return [f"| {words} | {interval(ratio.value, ratio.low, ratio.high)} |" for words, ratio in known]


def _skipped(one: Confirmed, searched: Searched) -> list[str]:
    return [
        f"{searched.name(name)} could not be measured, and may have brought the change: {_first_line(why)}"
        for name, why in one.step.between.items()
    ]


def _evidence(one: Confirmed, searched: Searched, kind: FigureKind) -> str:
    found = searched.found
    ends = f"{searched.name(found.versions[0])} to {searched.name(found.versions[-1])}"
    of_table = f"; the table is of {one.rounds} rounds after it, which it has not seen" if one.ratios else ""
    return (
        f"Found by a search among {len(found.versions)} versions from {ends} for differences of at least "
        f"{_percent(found.at_least)}. {kind.turns}. The search's intervals hold all at once in {HOLDS} of 100 "
        f"searches ({_of_search(one)} here, after {one.step.difference.rounds} rounds){of_table}."
    )


def _of_search(one: Confirmed) -> str:
    return interval(one.step.difference.ratio, one.step.difference.low, one.step.difference.high)
