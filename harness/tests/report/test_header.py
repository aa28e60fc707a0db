"""What stands above the tables."""

from itertools import product

import pytest

from respmark.containers.manifest import Image
from respmark.contract.description import Description
from respmark.placement import Placement
from respmark.report.header import header_lines, versions_line
from respmark.results.manifest import RunStatus
from tests.builders.records import make_containers, make_manifest


def test_the_lines_say_what_was_measured_where() -> None:
    """Run, workload, target and machine, each in one line."""
    assert header_lines(make_manifest()) == [
        "run 20261121T090000Z-tiny-seed1: 3 rounds of 10 laps of 0.1 s slices after 0.08 s lead-in, seed 1",
        "workload tiny: for tests",
        "target redis 7.0.15, started for the run, 127.0.0.1:6379",
        "machine 4 x A CPU (virtual), 8 GiB, Debian 12, Linux 6.1, in docker",
        "CPUs: not pinned; idle CPUs kept awake",
    ]


def test_a_machine_of_metal_is_not_called_virtual() -> None:
    """Neither container nor hypervisor is written where there is none."""
    machine = make_manifest().machine.model_copy(update={"hypervisor": False, "container": None})
    assert header_lines(make_manifest(machine=machine))[3] == "machine 4 x A CPU, 8 GiB, Debian 12, Linux 6.1"


def test_a_server_that_was_there_is_said_to_have_been() -> None:
    """Its state before the run is not ours to know."""
    target = make_manifest().target.model_copy(update={"spawned": False})
    assert "already there" in header_lines(make_manifest(target=target))[2]


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.INTERRUPTED, RunStatus.STOPPED])
def test_a_run_that_is_not_whole_says_so(status: RunStatus) -> None:
    """Nobody takes half a run for a whole one."""
    assert f"THIS RUN IS INCOMPLETE: {status}; rounds are missing" in header_lines(make_manifest(status=status))


def test_warnings_of_the_machine_stand_above_the_figures() -> None:
    """What would spoil them is told with them."""
    assert header_lines(make_manifest(warnings=["a; b", "c"]))[-2:] == ["warning: a; b", "warning: c"]


def test_versions_are_listed_by_client() -> None:
    """What was really loaded."""
    line = versions_line({"lib": {"lib": "1", "runtime": "2"}, "other": {"other": "3"}})
    assert line == "lib: lib 1, runtime 2; other: other 3"


def test_versions_that_several_clients_loaded_stand_once() -> None:
    """Whatever the order in which they said so; a client with another version has a line of its own."""
    loaded = {"lib": "1", "runtime": "2"}
    line = versions_line({"lib": loaded, "lib[a=1]": {"runtime": "2", "lib": "1"}, "lib@0": {"lib": "0"}})
    assert line == "lib and 1 variant: lib 1, runtime 2; lib@0: lib 0"


def test_the_first_line_says_how_the_run_measured() -> None:
    """Rounds, laps and slices; a run of version 1 had windows."""
    assert header_lines(make_manifest())[0].endswith("3 rounds of 10 laps of 0.1 s slices after 0.08 s lead-in, seed 1")
    old = make_manifest(laps=None, slice_s=None, lead_in_s=None, warmup_limit_s=None, measure_s=1.0, warmup_s=0.3)
    assert header_lines(old)[0].endswith("3 rounds, 1 s windows (version 1: no turns, no intervals), seed 1")


def test_containers_are_told_with_engine_limits_and_images() -> None:
    """An image that only has the name of a public one is not passed off as it."""
    images = [
        Image(name="valkey/valkey:8.1", id="1", size_bytes=1, labels={"stand-in.of": "valkey/valkey:8.1"}),
        Image(name="respmark-python:local", id="2", size_bytes=1, labels={}),
    ]
    (line,) = [
        line for line in header_lines(make_manifest(containers=make_containers(images=images))) if "docker 28" in line
    ]
    assert line == (
        "containers docker 28.5.1, compose 2.40.0, bridge network, memory limits valkey 8 GiB; "
        "images valkey/valkey:8.1 (stand-in for valkey/valkey:8.1), respmark-python:local"
    )


def test_pinning_is_told_where_there_was_any() -> None:
    """With what was said of the choice."""
    placement = Placement(target="0", clients="1", note="a note")
    assert "CPUs: target on CPU 0, clients on CPU 1; a note" in header_lines(make_manifest(placement=placement))


def test_a_virtual_machine_whose_cpus_may_have_slept_is_warned_of() -> None:
    """Older runs do not say; those that do need no warning, they have a line of their own."""
    machine = make_manifest().machine
    for hypervisor, awake in product((True, False), (None, True, False)):
        found = make_manifest(
            machine=machine.model_copy(update={"hypervisor": hypervisor}),
            placement=Placement(target=None, clients=None, awake=awake),
        )
        is_warned = any("idle CPUs may have slept" in line for line in header_lines(found))
        assert is_warned is (hypervisor and awake is None)


def test_a_run_that_did_not_look_at_compilers_is_warned_of() -> None:
    """Where it had clients that are compiled as they run; those of other languages need none."""
    looked: list[dict[str, tuple[str, ...]] | None] = [None, {}]
    for name, compilers in product(("java", "python"), looked):
        runner = Description(schema_version=2, runner=name, runtime="one", runtime_version="1", clients=[])
        lines = header_lines(make_manifest(runners=[runner], compilers=compilers))
        is_warned = any("may not have been warm" in line for line in lines)
        assert is_warned is (name == "java" and compilers is None)


def test_a_short_lead_in_is_warned_of() -> None:
    """After a rest the kernel has a client and its server on one CPU; who was kept off it, or ran elsewhere, is not."""
    found = header_lines(make_manifest(lead_in_s=0.05))[-1]
    assert found.startswith("warning: clients that wait for each reply may look up to three times too fast")
    apart = make_manifest(lead_in_s=0.05, placement=Placement(target="0", clients=None))
    elsewhere = make_manifest(lead_in_s=0.05, target=make_manifest().target.model_copy(update={"spawned": False}))
    for manifest in (apart, elsewhere, make_manifest(lead_in_s=0.08)):
        assert "just after a rest" not in header_lines(manifest)[-1]
