"""What stands above the tables."""

from respmark.report.header import header_lines, short_header, versions_line
from respmark.results.manifest import RunStatus
from tests.builders.records import make_manifest


def test_the_lines_say_what_was_measured_where() -> None:
    """Run, workload, target and machine, each in one line."""
    assert header_lines(make_manifest(warnings=["a; b"], status=RunStatus.STOPPED)) == [
        "run 20261121T090000Z-tiny-seed1: 3 rounds of 10 laps of 0.1 s slices after 0.08 s lead-in, seed 1",
        "workload tiny: for tests",
        "target redis 7.0.15, started for the run, 127.0.0.1:6379",
        "machine 4 x A CPU (virtual), 8 GiB, Debian 12, Linux 6.1, in docker",
        "CPUs: not pinned; idle CPUs kept awake",
        "THIS RUN IS INCOMPLETE: stopped; rounds are missing",
        "warning: a; b",
    ]
    assert short_header(make_manifest()) == (
        "run 20261121T090000Z-tiny-seed1: workload tiny, target redis 7.0.15, 127.0.0.1:6379",
        "machine 4 x A CPU (virtual), 8 GiB, Debian 12",
    )


def test_versions_that_several_clients_loaded_stand_once() -> None:
    """Whatever the order in which they said so; a client with another version has a line of its own."""
    loaded = {"lib": "1", "runtime": "2"}
    line = versions_line({"lib": loaded, "lib[a=1]": {"runtime": "2", "lib": "1"}, "lib@0": {"lib": "0"}})
    assert line == "lib and 1 variant: lib 1, runtime 2; lib@0: lib 0"
