"""Cells in the forms that other tools read."""

import json
import re

from respmark.report.action_benchmark import Direction, to_action_benchmark
from respmark.report.openmetrics import to_openmetrics
from respmark.report.tables import Report
from respmark.statistics.cells import cells_of
from tests.builders.plan import make_client, make_trial
from tests.builders.records import laps, make_record, make_run

SAMPLE = re.compile(r'^([a-z_0-9]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (\S+) (\d+\.\d{3})$')
"""A sample as OpenMetrics writes it: name, labels, value, time."""


def samples(text: str, name: str) -> list[tuple[dict[str, str], float]]:
    """Return a gauge's samples as a reader of OpenMetrics sees them."""
    found = [SAMPLE.match(line) for line in text.splitlines() if not line.startswith("#")]
    return [
        (dict(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', one[2])), float(one[3]))
        for one in found
        if one and one[1] == name
    ]


def test_openmetrics_is_read_line_by_line(report: Report) -> None:
    """Every line is a comment or a sample, and the last one ends the text."""
    lines = to_openmetrics([(report.manifest, report.cells)]).splitlines()
    assert lines[-1] == "# EOF"
    assert all(line.startswith(("# TYPE ", "# UNIT ", "# HELP ")) or SAMPLE.match(line) for line in lines[:-1])
    families = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    assert len(set(families)) == len(families) == 6


def test_openmetrics_has_a_sample_a_cell(report: Report) -> None:
    """With what it is of; times in seconds; and what became of those that have no figures."""
    text = to_openmetrics([(report.manifest, report.cells)])
    labels, value = samples(text, "respmark_commands_per_second")[0]
    assert (labels["client"], labels["scenario"], labels["run"], value) == (
        "lib",
        "sync",
        report.cells[0].run_id,
        21345,
    )
    assert samples(text, "respmark_client_cpu_per_command_seconds")[0][1] < 0.001
    states = samples(text, "respmark_cell_status")
    assert len(states) == len(report.cells)
    assert {labels["status"] for labels, _ in states} == {"ok", "failed", "unsupported", "missing", "not measured"}
    assert [labels["client"] for labels, _ in states if labels["partial"] == "true"] == ["lib[parser=slow]"]


def test_labels_are_escaped() -> None:
    """A name with quotes, backslashes and line feeds stays a label."""
    run = make_run(make_record(make_trial(client=make_client('a"b\\c\nd'))))
    text = to_openmetrics([(run.manifest, cells_of(run))])
    assert samples(text, "respmark_commands_per_second")[0][0]["client"] == 'a\\"b\\\\c d'


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
