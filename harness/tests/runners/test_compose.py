"""The containers of one run."""

import contextlib
import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from respmark.machine.placement import UNPINNED, Placement
from respmark.runners.compose import Project, project
from respmark.runners.docker_engine import MACHINE_LABEL, RUN_LABEL, this_machine
from tests.runners.conftest import FakeDocker
from tests.runners.scripted import Notes

PINNED = Placement(server="0", clients="1-3")
RUN = "20261121T0900Z-quick seed1"


@contextmanager
def opened(folder: Path, guardian: Notes | None = None, placement: Placement = UNPINNED) -> Iterator[Project]:
    share = folder / "share"
    share.mkdir(exist_ok=True)
    with project(RUN, share, placement, guardian or Notes()) as made:
        yield made


def override(docker: FakeDocker) -> Path:
    call = docker.calls("compose", "up")[0]
    files = [after for before, after in itertools.pairwise(call) if before == "--file"]
    assert Path(files[0]).name == "docker-compose.yml"
    return Path(files[1])


@pytest.mark.parametrize(("placement", "cpus"), [(PINNED, ("0", "1-3")), (UNPINNED, (None, None))])
def test_labels_cpus_and_the_share_are_added_to_the_compose_file(
    tmp_path: Path, docker: FakeDocker, placement: Placement, cpus: tuple[str | None, str | None]
) -> None:
    """Everything that is started can be told to be this run's; runners only read the share."""
    with opened(tmp_path, placement=placement) as made:
        made.serve("valkey")
        written = json.loads(override(docker).read_text())
        kept = override(docker)
    labels = {RUN_LABEL: RUN, MACHINE_LABEL: this_machine()}
    services = written["services"]
    assert written["networks"]["bench"]["labels"] == labels
    assert all(service["labels"] == labels for service in services.values())
    assert tuple(services[name].get("cpuset") for name in ("valkey", "python")) == cpus
    (mount,) = services["python"]["volumes"]
    assert mount == {"type": "bind", "source": str(tmp_path / "share"), "target": "/share", "read_only": True}
    assert made.name.startswith("respmark-20261121t0900z-quick-seed1-")
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


def test_everything_is_removed_at_the_end_and_the_guardian_knows_how(tmp_path: Path, docker: FakeDocker) -> None:
    """While the run goes on, the guardian has the command that does the same if the run is killed."""
    guardian = Notes()
    with contextlib.suppress(KeyboardInterrupt), opened(tmp_path, guardian) as made:
        (command,) = guardian.protected
        assert isinstance(command, list)
        assert (command[-1], guardian.released) == (made.name, [])
        raise KeyboardInterrupt
    assert guardian.released == guardian.protected
    for kind in ("container", "network"):
        assert docker.calls(kind, "--filter", f"label=com.docker.compose.project={made.name}")
