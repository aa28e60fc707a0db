"""Cells in the form that the GitHub action reads."""

import json

from respmark.report.action_benchmark import Direction, to_action_benchmark
from respmark.report.tables import Report
from respmark.statistics.cells import cells_of
from tests.builders.records import laps, make_run


def test_the_github_action_gets_one_direction_a_file() -> None:
    """Rates where bigger is better, costs where smaller is."""
    cells = cells_of(make_run(*laps("a", 2000)))
    (rate,) = json.loads(to_action_benchmark(cells, Direction.BIGGER))
    assert (rate["name"], rate["unit"]) == ("a sync", "commands/s")
    assert 1990 < rate["value"] < 2010
    client, server = json.loads(to_action_benchmark(cells, Direction.SMALLER))
    assert (client["name"], client["unit"]) == ("a sync: client CPU", "us/command")
    assert (server["name"], client["value"] > 0) == ("a sync: server CPU", True)


def test_the_github_action_is_told_what_is_lost(report: Report) -> None:
    """A point of its chart says that it is of fewer rounds; what has no figures has no point."""
    entries = {entry["name"]: entry for entry in json.loads(to_action_benchmark(report.cells, Direction.BIGGER))}
    assert "1 of 2 rounds" in entries["lib[parser=slow] sync"]["extra"]
    assert "other sync" not in entries
