"""harness/bench/mistakes.py: the arithmetic of docs/benchmark-mistakes.md."""

import re

import pytest

from bench.mistakes import little, misses, stall, stalled, warm_up
from respmark.paths import CHECKOUT

PAGE = CHECKOUT / "docs" / "benchmark-mistakes.md"


def test_a_stall_is_one_sample_of_a_closed_loop() -> None:
    """And late for everything that was due in it: who is asked when decides what the stall was worth."""
    closed, planned = stalled(rate=5_000, service_ms=0.1, stall_ms=100)
    assert sum(one > 50 for one in closed) == 1
    assert sum(one > 50 for one in planned) == pytest.approx(500, abs=5)
    assert min(planned) == pytest.approx(0.1)
    assert max(planned) == pytest.approx(100)


def test_the_page_says_what_the_arithmetic_says() -> None:
    """Its figures are those that the program prints."""
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    for line in (*misses(), *warm_up(), *stall(), *little()):
        for figure in re.findall(r"\d[\d,.]*\d|\d", line.partition(": ")[2]):
            assert figure in page, line
