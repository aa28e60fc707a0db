"""What stands above the tables."""

from respmark.containers.manifest import Image
from respmark.report.header import header_lines, short_header, versions_line
from respmark.results.manifest import RunStatus
from tests.builders.records import make_containers, make_manifest


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


def test_what_is_not_there_is_not_written() -> None:
    """Neither container nor hypervisor; a server that was there is not called the run's."""
    machine = make_manifest().machine.model_copy(update={"hypervisor": False, "container": None})
    target = make_manifest().target.model_copy(update={"spawned": False})
    found = header_lines(make_manifest(machine=machine, target=target))
    assert found[2:4] == [
        "target redis 7.0.15, already there, 127.0.0.1:6379",
        "machine 4 x A CPU, 8 GiB, Debian 12, Linux 6.1",
    ]


def test_versions_that_several_clients_loaded_stand_once() -> None:
    """Whatever the order in which they said so; a client with another version has a line of its own."""
    loaded = {"lib": "1", "runtime": "2"}
    line = versions_line({"lib": loaded, "lib[a=1]": {"runtime": "2", "lib": "1"}, "lib@0": {"lib": "0"}})
    assert line == "lib and 1 variant: lib 1, runtime 2; lib@0: lib 0"


def test_containers_are_told_with_engine_limits_and_images() -> None:
    """An image that only has the name of a public one is not passed off as it."""
    images = [
        Image(name="valkey/valkey:8.1", id="1", size_bytes=1, labels={"stand-in.of": "valkey/valkey:8.1"}),
        Image(name="respmark-python:local", id="2", size_bytes=1, labels={}),
    ]
    assert (
        "containers docker 28.5.1, compose 2.40.0, bridge network, memory limits valkey 8 GiB; "
        "images valkey/valkey:8.1 (stand-in for valkey/valkey:8.1), respmark-python:local"
    ) in header_lines(make_manifest(containers=make_containers(images=images)))
