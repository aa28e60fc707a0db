"""What machine this is, from the files of a made-up kernel."""

from pathlib import Path

import pytest

from respmark.results.machine import Machine, this_machine

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
    """Return the machine whose kernel shows these files."""
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


def test_a_virtual_machine(tmp_path: Path) -> None:
    """The processors say that they are virtual, and there is no governor to be seen."""
    files = BARE | {"proc/cpuinfo": BARE["proc/cpuinfo"].replace("sse", "sse hypervisor avx")}
    del files["sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"]
    machine = machine_with(tmp_path, files)
    assert machine.hypervisor
    assert machine.frequency_governor is None


@pytest.mark.parametrize(
    ("files", "container"),
    [
        ({".dockerenv": ""}, "docker"),
        ({"run/.containerenv": ""}, "podman"),
        ({"proc/1/cgroup": "0::/docker/0123abc\n"}, "docker"),
        ({"proc/1/cgroup": "0::/kubepods/burstable/pod1\n"}, "kubepods"),
        ({"proc/1/cgroup": "1:name=systemd:/lxc/one\n"}, "lxc"),
        ({"proc/1/cgroup": "0::/init.scope\n"}, None),
        ({}, None),
    ],
)
def test_a_container_is_told_by_its_marks(tmp_path: Path, files: dict[str, str], container: str | None) -> None:
    """Where the root file system is no disk, files and control groups tell which container it is."""
    assert machine_with(tmp_path, BARE | OVERLAY | files).container == container


def test_a_pod_is_told_by_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kubernetes leaves a variable."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert machine_with(tmp_path, BARE | OVERLAY).container == "kubernetes"


def test_marks_on_a_disk_are_left_over_from_an_image(tmp_path: Path) -> None:
    """A virtual machine that was made from a container's image is no container."""
    assert machine_with(tmp_path, BARE | {".dockerenv": ""}).container is None


def test_a_system_without_any_of_it_is_described_all_the_same(tmp_path: Path) -> None:
    """Where the kernel has no such files, the rest is still told."""
    machine = machine_with(tmp_path, {})
    assert machine.cpu_model
    assert machine.operating_system
    assert machine.frequency_governor is None
