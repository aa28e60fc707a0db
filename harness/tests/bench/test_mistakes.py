"""harness/bench/mistakes.py: the arithmetic of docs/benchmark-mistakes.md."""

import re

import pytest

from bench.mistakes import in_flight, little, main, misses, percentile, stall, stalled, told_rate, warm_up
from respmark.paths import ROOT

PAGE = ROOT / "docs" / "benchmark-mistakes.md"


def test_a_stall_is_one_sample_of_a_closed_loop() -> None:
    """And late for everything that was due in it: who is asked when decides what the stall was worth."""
    closed, planned = stalled(rate=5_000, service_ms=0.1, stall_ms=100)
    assert sum(one > 50 for one in closed) == 1
    assert sum(one > 50 for one in planned) == pytest.approx(500, abs=5)
    assert min(planned) == pytest.approx(0.1)
    assert max(planned) == pytest.approx(100)


def test_percentiles_are_values_that_were_seen() -> None:
    """The smallest that so many do not exceed."""
    values = [float(number) for number in range(1, 201)]
    assert [percentile(values, percent) for percent in (50, 99, 100)] == [100.0, 198.0, 200.0]


def test_a_cold_part_of_the_window_weighs_what_it_lasts() -> None:
    """Half of a second at half the pace is a quarter of a second's work."""
    assert told_rate(1, 0.5, 0.5) == 0.75
    assert told_rate(60, 0.5, 0.5) == pytest.approx(0.9958, abs=1e-4)


def test_little() -> None:
    """In flight is rate times latency."""
    assert in_flight(1_000, 0.01) == 10


def test_the_page_says_what_the_arithmetic_says() -> None:
    """Its figures are those that the program prints."""
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    for line in (*misses(), *warm_up(), *stall(), *little()):
        for figure in re.findall(r"\d[\d,.]*\d|\d", line.partition(": ")[2]):
            assert figure in page, line


def test_it_reads_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Every mistake that has a size has its line."""
    main([])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith("  ")][:4] == [
        "sparse",
        "mislabelled",
        "dicing",
        "brief",
    ]
    assert "  jedis, batching--depth=100: 0.04 s, 2.3 s" in lines
