"""`respmark doctor`: what it prints."""

import io

from rich.console import Console

from respmark.cli.doctor import machine_findings, print_findings, print_round_trip
from respmark.contract.trial import Endpoint
from respmark.doctor.checks import Finding
from respmark.doctor.target import RoundTrip
from tests.fakes import FakeControl, FakeTarget


def test_findings_are_marked_and_have_their_advice() -> None:
    """What is well is told from what is not."""
    output = io.StringIO()
    findings = [Finding("swap", "none in use"), Finding("CPUs", "1 for 2", "use a larger machine [8]")]
    print_findings(Console(file=output, width=100, highlight=False), findings)
    lines = output.getvalue().splitlines()
    assert next(line for line in lines if "swap" in line).startswith("ok")
    assert next(line for line in lines if "CPUs" in line).startswith("!!")
    assert lines[-1] == "CPUs: use a larger machine [8]"


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


def test_the_machine_is_looked_at_for_the_targets_place() -> None:
    """A server on another machine needs no processor of this one."""
    here, elsewhere = (
        machine_findings(FakeTarget(FakeControl(endpoint=Endpoint(host=host, port=1))), 1)
        for host in ("127.0.0.1", "10.0.0.5")
    )
    subjects = ["CPUs", "server and client", "frequency governor", "idle CPUs", "swap"]
    assert [finding.subject for finding in here] == subjects
    assert "and the server" in here[0].found
    assert "and the server" not in elsewhere[0].found
