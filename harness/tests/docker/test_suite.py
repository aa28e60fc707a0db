"""Every client in containers, end to end: evidence, conformance, fidelity."""

import subprocess
import sys
from pathlib import Path

import pytest

from respmark.paths import HARNESS
from respmark.placement import available_cpus
from respmark.plan.expand import Request, make_plan
from respmark.results.records import Status, TrialRecord
from respmark.results.store import Run, read_run
from respmark.run.participant import cpu_ns
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from tests.docker.conftest import RUN_LIMIT_S, left_of, respmark

pytestmark = [pytest.mark.docker, pytest.mark.timeout(RUN_LIMIT_S + 60)]
CATALOGUE = Catalogue()
CLIENTS = make_plan(Request(suite="smoke"), CATALOGUE).clients
NAMES = CATALOGUE.suite("smoke").clients
"""As the suite writes them, each one variant: a library's name alone would mean all of its variants."""
ONE_A_LANGUAGE = list({find_clients(name, CATALOGUE.clients)[0].runner: name for name in reversed(NAMES)}.values())


def test_every_language_has_a_client_in_the_suite() -> None:
    """What is not in it would be tried by nobody."""
    assert {client.runner for client in CLIENTS} == set(CATALOGUE.runners)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run of the suite `smoke` in containers, every image built for it."""
    folder = tmp_path_factory.mktemp("results") / "smoke"
    pins = ["--pin"] if len(available_cpus()) > 1 else []
    finished = respmark("run", "smoke", "--via", "docker", *pins, "--out", str(folder))
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert left_of(folder.name) == []
    return read_run(folder)


def test_every_trial_of_every_client_is_backed_by_the_server(run: Run) -> None:
    """No client is missing, no claim is refuted."""
    bad = {
        record.trial_id: record.reason for record in run.records if record.status not in {Status.OK, Status.UNSUPPORTED}
    }
    assert bad == {}
    measured = {record.client.name for record in run.records if record.status is Status.OK}
    assert measured == {client.name for client in CLIENTS}


def test_control_groups_count_what_runners_say(run: Run) -> None:
    """Where they can be read, every slice has the count, and it is of the right size; a cell that is off is flagged."""
    assert run.manifest.containers is not None
    if run.manifest.containers.cgroup_version is None:
        pytest.fail("the control groups of containers cannot be read on this machine")
    for record in run.records:
        assert isinstance(record, TrialRecord)
        if record.status is Status.OK:
            counted = [one.cpu_by_kernel_ns for one in record.slices if one.cpu_by_kernel_ns is not None]
            own = sum(cpu_ns(answer) for one in record.slices for answer in one.answers)
            assert len(counted) == len(record.slices) > 0, record.trial_id
            assert own / 2 < sum(counted) < own * 2, record.trial_id
            assert record.warm_up is not None
            compiles = bool(CATALOGUE.runners[record.client.runner].compilers)
            assert (record.warm_up.compiling_percent is not None) is compiles, record.trial_id


def test_the_manifest_says_how_containers_were_run(run: Run) -> None:
    """Engine, images with their versions, limits and CPU sets; the address is that of the private network."""
    found = run.manifest.containers
    assert found is not None
    names = {image.name for image in found.images}
    assert {f"respmark-{runner}:local" for runner in CATALOGUE.runners} <= names
    ours = [image for image in found.images if image.name.startswith("respmark-")]
    assert all(image.labels["org.opencontainers.image.version"] == run.manifest.respmark_version for image in ours)
    assert all(limit.memory_bytes for limit in found.limits)
    pinned = {limit.service: limit.cpus for limit in found.limits}
    assert pinned.pop("valkey") == run.manifest.placement.target
    assert set(pinned.values()) == {run.manifest.placement.clients}
    assert run.manifest.target.version.startswith("valkey")
    assert not run.manifest.target.address.startswith("127.")


@pytest.mark.parametrize("client", ONE_A_LANGUAGE)
def test_a_client_of_every_language_conforms_in_a_container(client: str) -> None:
    """The proxy is on this machine, runner and server are not."""
    finished = respmark("conform", client, "--no-faults", "--via", "docker")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert left_of("conform") == []


def test_process_and_container_are_compared(tmp_path: Path) -> None:
    """A ratio is printed; what it is depends on the machine."""
    words = ["--client", NAMES[0], "--scenario", "sync", "--laps", "4", "--warmup-limit-s", "0.2"]
    command = [sys.executable, "-m", "bench.fidelity", "--against", "docker", "--rounds", "2", *words]
    command += ["--out", str(tmp_path / "fidelity")]
    finished = subprocess.run(command, cwd=HARNESS, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "container / process" in finished.stdout


def test_redis_serves_as_well(tmp_path: Path) -> None:
    """The other service, one trial."""
    words = ["--client", NAMES[0], "--scenario", "sync", "--out", str(tmp_path / "redis")]
    finished = respmark("run", "smoke", "--via", "docker", "--target", "redis", *words)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert read_run(tmp_path / "redis").manifest.target.version.startswith("redis")
