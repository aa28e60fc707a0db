"""Clients in containers, end to end: evidence, control groups, conformance."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from respmark.machine.cpus import available_cpus
from respmark.plan.make import make_plan
from respmark.plan.request import Request
from respmark.specs.catalogue import Catalogue
from tests.docker.conftest import RUN_LIMIT_S, left_of, respmark
from tests.integration.conftest import Finished
from tests.integration.run_files import records_of
from tests.setup.wheel import Installed, installed, wheel

__all__ = ["installed", "wheel"]

pytestmark = [pytest.mark.docker, pytest.mark.timeout(RUN_LIMIT_S + 60)]
CATALOGUE = Catalogue()
CLIENTS = make_plan(Request(suite="smoke"), CATALOGUE).clients
ONE_A_LANGUAGE = {client.runner: client.name for client in reversed(CLIENTS)}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    out = tmp_path_factory.mktemp("results") / "smoke"
    words = [word for name in ONE_A_LANGUAGE.values() for word in ("--client", name)]
    words += ["--cpus", "split"] if len(available_cpus()) > 1 else []
    finished = respmark("run", "smoke", "--via", "docker", "--scenario", "sync", *words, "--out", str(out))
    assert left_of(out.name) == []
    return Finished(finished.returncode, finished.stdout, finished.stderr, out)


def test_a_trial_of_every_language_is_backed_by_the_server(run: Finished) -> None:
    """No client is missing, no claim is refuted."""
    assert run.code == 0, run.said
    assert {record["client"]["runner"]: record["status"] for record in run.records} == dict.fromkeys(
        CATALOGUE.languages, "ok"
    )


def test_the_manifest_says_how_containers_were_run(run: Finished) -> None:
    """Engine, images with their versions, limits and CPU sets; the address is that of the private network."""
    found, version = run.manifest["containers"], run.manifest["respmark_version"]
    assert found["cgroup_version"] is not None
    ours = {image["name"]: image for image in found["images"] if image["name"].startswith("respmark-")}
    assert set(ours) == {f"respmark-{runner}:local" for runner in CATALOGUE.languages}
    assert {one["labels"]["org.opencontainers.image.version"] for one in ours.values()} == {version}
    assert all(limit["memory_bytes"] for limit in found["limits"])
    pinned = {limit["service"]: limit["cpus"] for limit in found["limits"]}
    assert pinned.pop("valkey") == run.manifest["placement"]["server"]
    assert set(pinned.values()) == {run.manifest["placement"]["clients"]}
    (server,) = run.manifest["servers"].values()
    assert not server["address"].startswith("127.")


@pytest.mark.full
@pytest.mark.parametrize("client", ONE_A_LANGUAGE.values())
def test_a_client_of_every_language_conforms_in_a_container(client: str) -> None:
    """The proxy is on this machine, runner and server are not."""
    finished = respmark("conform", client, "--no-tampering", "--via", "docker")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert left_of("conform") == []


@pytest.mark.full
@pytest.mark.parametrize("server", ["valkey", "redis"])
def test_every_client_is_measured_in_containers(server: str, tmp_path: Path) -> None:
    """The whole suite, on either server."""
    finished = respmark("run", "smoke", "--via", "docker", "--server", server, "--out", str(tmp_path / "smoke"))
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.full
def test_every_library_is_in_its_image(tmp_path: Path) -> None:
    """As installed; and the floor in C, which `*` does not name."""
    clients = ("--client", "*", "--client", "hiredis")
    out = tmp_path / "smoke"
    ran = respmark("run", "smoke", "--via", "docker", "--scenario", "sync", *clients, "--out", str(out))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    libraries = {name for name, spec in CATALOGUE.clients.items() if spec.runner != "drivers"}
    assert {record["client"]["library"]: record["status"] for record in records_of(out)} == dict.fromkeys(
        libraries, "ok"
    )


@pytest.mark.full
def test_an_installed_respmark_measures_in_containers(installed: Installed) -> None:
    """In an empty folder: the wheel has what images are built from."""
    anywhere = replace(installed, variables=installed.variables | {"PATH": os.environ["PATH"]})
    ran = anywhere("run", "smoke", "--via", "docker", "--scenario", "sync", "--client", "redis-py")
    assert ran.code == 0, ran
    (folder,) = (installed.work / "results").iterdir()
    assert [record["status"] for record in records_of(folder)] == ["ok"]
