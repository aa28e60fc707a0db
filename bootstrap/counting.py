"""Read from a test runner's closing lines how many tests passed, failed and were skipped."""

import re
from dataclasses import dataclass

from bootstrap import sentences
from bootstrap.model import Counts


@dataclass(frozen=True)
class Tally:
    """Tests by how they ended."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        """Count two runners' tests together."""
        return Tally(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def count(output: str, counts: Counts, code: int) -> Tally:
    """Count tests; a runner that failed, or that ran nothing, counts as one failed test at least."""
    tally = READERS[counts](sentences.plain(output))
    wrong = code != 0 or tally.passed + tally.failed + tally.skipped == 0
    return Tally(tally.passed, max(tally.failed, int(wrong)), tally.skipped)


def _last(pattern: str, text: str) -> dict[str, int]:
    """Read the named numbers of the last line that matches; those that are not there are 0."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    return {name: int(number or 0) for name, number in found[-1].groupdict().items()} if found else {}


def _pytest(text: str) -> Tally:
    closing = re.findall(r"^=*\s*((?:\d+ \w+(?:, )?)+) in [\d.]+s.*$", text, re.MULTILINE)
    numbers = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", closing[-1] if closing else "")}
    failed = sum(numbers.get(word, 0) for word in ("failed", "error", "errors"))
    return Tally(
        numbers.get("passed", 0) + numbers.get("xfailed", 0),
        failed + numbers.get("xpassed", 0),
        numbers.get("skipped", 0),
    )


def _node(text: str) -> Tally:
    def one(word: str) -> int:
        return _last(rf"^(?:#|\N{{INFORMATION SOURCE}}) {word} (?P<n>\d+)$", text).get("n", 0)

    return Tally(one("pass"), one("fail") + one("cancelled"), one("skipped") + one("todo"))


def _surefire(text: str) -> Tally:
    """Add up the modules: each has a closing line, which unlike a class's ends with the number skipped."""
    pattern = r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$"
    modules = re.findall(pattern, text, re.MULTILINE)
    run, failures, errors, skipped = (
        (sum(map(int, column)) for column in zip(*modules, strict=True)) if modules else [0] * 4
    )
    return Tally(run - failures - errors - skipped, failures + errors, skipped)


def _phpunit(text: str) -> Tally:
    numbers = _last(r"^OK \((?P<run>\d+) tests?,", text)
    return _of_run(
        numbers
        or _last(
            r"^Tests: (?P<run>\d+),(?:.* Errors: (?P<errors>\d+))?(?:.* Failures: (?P<failures>\d+))?"
            r"(?:.* Skipped: (?P<skipped>\d+))?",
            text,
        ),
        "failures",
        "errors",
    )


def _of_run(numbers: dict[str, int], *failed: str) -> Tally:
    failures = sum(numbers.get(name, 0) for name in failed)
    skipped = numbers.get("skipped", 0)
    return Tally(numbers.get("run", 0) - failures - skipped, failures, skipped)


def _dotnet(text: str) -> Tally:
    numbers = _last(r"Failed:\s+(?P<failed>\d+), Passed:\s+(?P<passed>\d+), Skipped:\s+(?P<skipped>\d+)", text)
    return Tally(**numbers)


READERS = {"pytest": _pytest, "node": _node, "surefire": _surefire, "phpunit": _phpunit, "dotnet": _dotnet}
