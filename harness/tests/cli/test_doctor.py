"""`respmark doctor`: what it prints."""

import io

from rich.console import Console

from respmark.cli.doctor import print_round_trip
from respmark.doctor.target import RoundTrip


def test_the_round_trip_is_the_posts_table() -> None:
    """Average, least and percentiles of PING, and what one connection can do at most."""
    output = io.StringIO()
    trip = RoundTrip(0.05, 0.0312, 0.048, 0.07, 0.125)
    print_round_trip(Console(file=output, width=100, highlight=False), trip, "redis 7.0.15 at h:1")
    text = output.getvalue()
    assert "round trip of PING on one connection to redis 7.0.15 at h:1, in milliseconds" in text
    header = next(line for line in text.splitlines() if "avg" in line)
    assert header.replace("┃", " ").split() == ["avg", "min", "p50", "p95", "p99"]
    figures = next(line for line in text.splitlines() if "0.0312" in line)
    assert figures.replace("│", " ").split() == ["0.0500", "0.0312", "0.0480", "0.0700", "0.125"]
    assert "about 20,000 commands per second" in text
