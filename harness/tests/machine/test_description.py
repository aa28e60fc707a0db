"""What machine this is, from the files of a made-up kernel."""

from pathlib import Path

import pytest

from respmark.machine.description import Machine, this_machine

BARE = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: A CPU @ 3.00GHz\nflags\t\t: fpu vme sse\n",
    "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "proc/mounts": "/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
}
OVERLAY = {"proc/mounts": "overlay / overlay rw,lowerdir=/a 0 0\n/dev/sda1 /etc/hosts ext4 rw 0 0\n"}


@pytest.fixture(autouse=True)
def _no_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine of the tests out of it."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


def machine_with(root: Path, files: dict[str, str]) -> Machine:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return this_machine(root)


def test_a_machine_of_metal(tmp_path: Path) -> None:
    """Processor, system and governor are told by the kernel's files."""
    machine = machine_with(tmp_path, BARE)
    assert machine.cpu_model == "A CPU @ 3.00GHz"
    assert machine.operating_system == "Debian GNU/Linux 12 (bookworm)"
    assert machine.frequency_governor == "powersave"
    assert not machine.hypervisor
    assert machine.container is None
    assert machine.cpus >= 1
    assert machine.memory_bytes > 2**20


@pytest.mark.parametrize(
    ("files", "container"),
    [
        ({".dockerenv": ""}, "docker"),
        ({"proc/1/cgroup": "0::/docker/0123abc\n"}, "docker"),
        ({"proc/1/cgroup": "0::/kubepods/burstable/pod1\n"}, "kubepods"),
        ({"proc/1/cgroup": "0::/init.scope\n"}, None),
        ({}, None),
    ],
)
def test_a_container_is_reported_by_its_marks(tmp_path: Path, files: dict[str, str], container: str | None) -> None:
    """Where the root file system is no disk, files and control groups tell which container it is."""
    assert machine_with(tmp_path, BARE | OVERLAY | files).container == container
