"""The containers of one run."""

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from respmark.containers.ownership import OWNER_LABEL, RUN_LABEL, Owner, state
from respmark.containers.project import Project, project, project_name
from respmark.errors import ContainerError
from respmark.placement import UNPINNED, Placement
from tests.containers.conftest import FakeDocker
from tests.execute.scripted import Notes

PINNED = Placement(target="0", clients="1-3")


class Commands(Notes):
    """A guardian that notes commands, too."""

    def __init__(self) -> None:
        super().__init__()
        self.commands: list[list[str]] = []
        self.done: list[list[str]] = []

    def protect_command(self, command: list[str]) -> None:
        """Note it."""
        self.commands.append(command)

    def release_command(self, command: list[str]) -> None:
        """Note it."""
        self.done.append(command)


@contextmanager
def opened(folder: Path, guardian: Commands | None = None, placement: Placement = UNPINNED) -> Iterator[Project]:
    """Open the project of a run."""
    share = folder / "share"
    share.mkdir(exist_ok=True)
    with project("20261121T0900Z-quick seed1", share, placement, guardian or Commands()) as made:
        yield made


def override(docker: FakeDocker) -> Path:
    """Return the file that the run added to the compose file."""
    call = docker.calls("compose", "up")[0]
    files = [after for before, after in itertools.pairwise(call) if before == "--file"]
    assert Path(files[0]).name == "docker-compose.yml"
    return Path(files[1])


def test_names_are_the_runs_and_of_the_form_that_compose_accepts() -> None:
    """Two runs of the same name have projects of their own."""
    first, second = project_name("20261121T0900Z-quick seed1"), project_name("20261121T0900Z-quick seed1")
    assert first.startswith("respmark-20261121t0900z-quick-seed1-")
    assert first != second


def test_labels_cpus_and_the_share_are_added_to_the_compose_file(tmp_path: Path, docker: FakeDocker) -> None:
    """Everything that is started can be told to be this run's; runners only read the share."""
    with opened(tmp_path, placement=PINNED) as made:
        made.serve("valkey")
        written = json.loads(override(docker).read_text())
        kept = override(docker)
    labels = written["networks"]["bench"]["labels"]
    assert labels[RUN_LABEL] == "20261121T0900Z-quick seed1"
    assert state(labels[OWNER_LABEL]) is Owner.ALIVE
    services = written["services"]
    assert {name: service["cpuset"] for name, service in services.items()} == {
        "valkey": "0",
        "redis": "0",
        "python": "1-3",
    }
    assert all(service["labels"] == labels for service in services.values())
    (mount,) = services["python"]["volumes"]
    assert mount == {"type": "bind", "source": str(tmp_path / "share"), "target": "/share", "read_only": True}
    assert not kept.exists()


def test_a_server_finds_its_password_in_a_file(tmp_path: Path, docker: FakeDocker) -> None:
    """Not among arguments, labels or variables, which others could read; the file is gone with the run."""
    with opened(tmp_path) as made:
        made.serve("redis")
        service = json.loads(override(docker).read_text())["services"]["redis"]
        (mount,) = service["volumes"]
        file = Path(mount["source"])
        configuration, mode = file.read_text(), file.stat().st_mode & 0o777
        calls = json.dumps(docker.calls())
    secret = made.password.get_secret_value()
    assert service["command"] == ["redis-server", "/run/respmark.conf", "--save", ""]
    assert (mount["target"], mount["read_only"]) == ("/run/respmark.conf", True)
    assert f'requirepass "{secret}"' in configuration
    assert 'rename-command CONFIG ""' in configuration
    # The container's user is another than ours; the folder, which nobody else may look into, is not seen there.
    assert mode == 0o644
    assert secret not in calls + json.dumps(service)
    assert not file.exists()


def test_unpinned_services_have_what_the_compose_file_says(tmp_path: Path, docker: FakeDocker) -> None:
    """Nothing is written over."""
    with opened(tmp_path) as made:
        made.serve("valkey")
        services = json.loads(override(docker).read_text())["services"]
    assert not any("cpuset" in service for service in services.values())


def test_a_server_is_reached_in_two_ways(tmp_path: Path, docker: FakeDocker) -> None:
    """The harness by the published port, runners by the address on the private network."""
    with opened(tmp_path) as made:
        served = made.serve("valkey")
    assert (served.published, served.address, served.image) == (32768, "172.30.0.2", "valkey/valkey:8.1")
    assert "--wait" in docker.calls("compose", "up")[0]


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("Bind for 127.0.0.1:6379 failed: port is already allocated", "taken by another program"),
        ("pull access denied for valkey/valkey", "an image cannot be pulled"),
        ("network with name x already exists", "a network of this name"),
        ("no space left on device", "the disk is full"),
        ("container x is unhealthy", "docker says: container x is unhealthy"),
    ],
)
def test_a_server_that_does_not_start_is_told(tmp_path: Path, docker: FakeDocker, stderr: str, words: str) -> None:
    """With what was being done."""
    docker.fail("compose", "up", stderr=stderr)
    with opened(tmp_path) as made, pytest.raises(ContainerError, match=words) as caught:
        made.serve("valkey")
    assert "starting `valkey` in a container" in str(caught.value)


def test_a_server_without_an_address_is_no_server(tmp_path: Path, docker: FakeDocker) -> None:
    """It may have ended while we asked."""
    docker.answer("container", "inspect", stdout=json.dumps([{"Id": "c1", "NetworkSettings": {"Networks": {}}}]))
    with opened(tmp_path) as made, pytest.raises(ContainerError, match="no address"):
        made.serve("valkey")


def test_everything_is_removed_at_the_end_and_the_guardian_knows_how(tmp_path: Path, docker: FakeDocker) -> None:
    """While the run goes on, the guardian has the command that does the same if the run is killed."""
    guardian = Commands()
    with opened(tmp_path, guardian) as made:
        ((*_, last),) = guardian.commands
        assert last == made.name
        assert guardian.done == []
    assert guardian.done == guardian.commands
    label = f"label=com.docker.compose.project={made.name}"
    for kind in ("container", "network", "volume"):
        assert docker.calls(kind, "--filter", label)


def test_an_error_in_the_run_does_not_keep_containers(tmp_path: Path, docker: FakeDocker) -> None:
    """Interrupts among them."""
    guardian = Commands()
    with pytest.raises(KeyboardInterrupt), opened(tmp_path, guardian):
        raise KeyboardInterrupt
    assert guardian.done == guardian.commands
    assert docker.calls("--filter")


def test_where_removing_fails_the_guardian_tries_again(tmp_path: Path, docker: FakeDocker) -> None:
    """Its command is not taken back."""
    guardian = Commands()
    docker.fail("container", "--filter", stderr="Cannot connect to the Docker daemon")
    with pytest.raises(ContainerError, match="does not answer"), opened(tmp_path, guardian):
        pass
    assert guardian.done == []


def test_a_runner_is_started_on_our_streams_in_a_container_of_its_own(tmp_path: Path, docker: FakeDocker) -> None:
    """No terminal between, no other service with it; names never come again."""
    with opened(tmp_path) as made:
        first, second = made.new_name("python"), made.new_name("python")
        command = made.run_command("python", first, ["runner", "run"])
    assert first != second
    assert first.startswith(f"{made.name}-python-")
    assert command[-8:] == ["run", "--no-TTY", "--no-deps", "--name", first, "python", "runner", "run"]
    assert docker.calls("config")


def test_the_gateway_is_this_machine_on_the_private_network(tmp_path: Path, docker: FakeDocker) -> None:
    """Where a proxy must listen."""
    docker.answer("network", "inspect", stdout='[{"IPAM": {"Config": [{"Subnet": "x", "Gateway": "172.30.0.1"}]}}]')
    with opened(tmp_path) as made:
        assert made.gateway() == "172.30.0.1"
    docker.answer("network", "inspect", stdout='[{"IPAM": {"Config": [{}]}}]')
    with opened(tmp_path) as made, pytest.raises(ContainerError, match="has no gateway"):
        made.gateway()
