"""What on a machine would spoil a measurement, from the files of a made-up kernel."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from respmark.contract.trial import Shape
from respmark.doctor import checks
from respmark.doctor.finding import Finding
from respmark.evidence.kernel import MachineCpu
from respmark.plan.trial import Plan
from tests.builders.plan import SHIPPED, make_block, make_settings, make_trial


def write(root: Path, name: str, text: str) -> Path:
    """Write a file of the kernel's."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("available", "runners", "here", "advised"),
    [
        (1, 1, True, "they share processors"),
        (2, 1, True, "nothing is left for the harness"),
        (3, 1, True, None),
        (1, 1, False, "nothing is left for the harness"),
        (2, 1, False, None),
        (4, 4, True, "they share processors"),
        (8, 4, True, None),
    ],
)
def test_processors_are_held_against_busy_processes(
    available: int, runners: int, advised: str | None, *, here: bool
) -> None:
    """Runners, and the server where it runs here, each want one, and the harness a little."""
    finding = checks.cpu_count(available, runners, server_here=here)
    assert finding.found.startswith(f"{available} for {runners + here} busy processes ({runners} runner process")
    assert ("and the server" in finding.found) is here
    assert (finding.advice is None) is (advised is None)
    assert (advised or "") in (finding.advice or "")


@pytest.mark.parametrize(("available", "here", "advised"), [(1, True, True), (2, True, False), (1, False, False)])
def test_server_and_client_may_share_a_processor(available: int, *, here: bool, advised: bool) -> None:
    """With one processor they must; across machines they cannot."""
    assert (checks.shared_core(available, server_here=here).advice is not None) is advised


def test_idle_cpus(tmp_path: Path) -> None:
    """Where the kernel chooses how idle CPUs sleep, it can be asked for none that does, by those who may."""
    assert checks.idle_cpus(tmp_path).advice is None
    write(tmp_path, "sys/devices/system/cpu/cpuidle/current_driver", "none\n")
    assert checks.idle_cpus(tmp_path).advice is None
    write(tmp_path, "sys/devices/system/cpu/cpuidle/current_driver", "haltpoll\n")
    assert "docker run --device /dev/cpu_dma_latency" in (checks.idle_cpus(tmp_path).advice or "")
    unwritable = tmp_path / "dev/cpu_dma_latency"
    unwritable.mkdir(parents=True)
    assert f"`chown {os.getuid()} /dev/cpu_dma_latency`" in (checks.idle_cpus(tmp_path).advice or "")
    unwritable.rmdir()
    assert checks.idle_cpus(write(tmp_path, "dev/cpu_dma_latency", "")).advice is None


def test_the_governor(tmp_path: Path) -> None:
    """Only `performance` keeps the clock still; a virtual machine has none to be seen."""
    name = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    assert checks.governor(tmp_path).advice is None
    assert checks.governor(write(tmp_path, name, "performance\n")) == Finding("frequency governor", "performance")
    powersave = checks.governor(write(tmp_path, name, "powersave\n"))
    assert powersave.found == "powersave"
    assert "as root: `echo performance | tee /sys" in (powersave.advice or "")


def test_swap(tmp_path: Path) -> None:
    """Swap that is there but empty does no harm."""
    assert "cannot be seen" in checks.swap(tmp_path).found
    empty = "MemTotal: 1000 kB\nSwapTotal: 2048000 kB\nSwapFree: 2048000 kB\nHugePages_Total: 0\n"
    assert checks.swap(write(tmp_path, "proc/meminfo", empty)) == Finding("swap", "none in use")
    used = checks.swap(write(tmp_path, "proc/meminfo", empty.replace("SwapFree: 2048000", "SwapFree: 0")))
    assert used.found == "2,000 MB in use"
    assert "swapoff" in (used.advice or "")


def load_between(monkeypatch: pytest.MonkeyPatch, before: MachineCpu | None, after: MachineCpu | None) -> list[Finding]:
    """Return what is found when one second passes between two readings."""
    readings = iter([before, after])
    nanoseconds = iter([0, 10**9])
    monkeypatch.setattr(checks, "machine_cpu", lambda _stat: next(readings))
    monkeypatch.setattr(checks, "time", SimpleNamespace(monotonic_ns=lambda: next(nanoseconds)))
    return checks.other_load(sleep=lambda _seconds: None)


@pytest.mark.parametrize(("busy_ms", "advised"), [(100, False), (101, True), (1500, True), (0, False)])
def test_other_load(monkeypatch: pytest.MonkeyPatch, busy_ms: int, *, advised: bool) -> None:
    """More than 10 % of a processor moves figures."""
    busy, _ = load_between(monkeypatch, MachineCpu(5, 0), MachineCpu(5 + busy_ms * 10**6, 0))
    assert busy.found == f"{busy_ms / 10:.0f} % of one CPU"
    assert (busy.advice is not None) is advised


@pytest.mark.parametrize(("stolen_ms", "advised"), [(20, False), (30, True)])
def test_what_the_hypervisor_takes(monkeypatch: pytest.MonkeyPatch, stolen_ms: int, *, advised: bool) -> None:
    """A machine that shares its processors needs more rounds."""
    _, stolen = load_between(monkeypatch, MachineCpu(0, 7), MachineCpu(0, 7 + stolen_ms * 10**6))
    assert (stolen.advice is not None) is advised


def test_load_that_cannot_be_seen_is_not_called_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel does not tell, the finding says so."""
    (finding,) = load_between(monkeypatch, None, None)
    assert "cannot be seen" in finding.found


def test_load_is_watched_for_a_while(tmp_path: Path) -> None:
    """The kernel's file is read before and after the wait."""
    write(tmp_path, "proc/stat", "cpu 0 0 0 0 0 0 0 0 0 0\n")
    ticks = 10 * os.sysconf("SC_CLK_TCK")
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        write(tmp_path, "proc/stat", f"cpu {ticks} 0 0 0 0 0 0 0 0 0\n")

    busy, stolen = checks.other_load(wait, tmp_path)
    assert waited == [checks.LOAD_SAMPLE_S]
    assert busy.advice is not None
    assert stolen.advice is None


def plan_for(target: str, processes: int) -> Plan:
    """Return a plan with one cell."""
    trial = make_trial(shape=Shape(processes=processes))
    return Plan(make_settings(target=target), SHIPPED.suite("smoke"), (trial.cell,), (make_block(trial),))


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the machine one of three processors with nothing else to say."""
    monkeypatch.setattr(checks, "available_cpus", lambda: frozenset(range(3)))
    for check in ("governor", "idle_cpus"):
        monkeypatch.setattr(checks, check, lambda: Finding("a", "b"))
    monkeypatch.setattr(checks, "swap", lambda: Finding("swap", "12 MB in use", "`swapoff -a`"))
    monkeypatch.setattr(checks, "other_load", list)


@pytest.mark.usefixtures("calm")
def test_a_runs_warnings_are_the_findings_with_advice() -> None:
    """What is well is not worth a line in the manifest."""
    assert checks.quick_warnings(plan_for("spawned", 1)) == ["swap: 12 MB in use; `swapoff -a`"]


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize(("target", "warnings"), [("spawned", 2), ("redis://127.0.0.1", 2), ("redis://h", 1)])
def test_a_runs_warnings_know_plan_and_target(target: str, warnings: int) -> None:
    """Two processes and a server want three processors and more; a server elsewhere wants none here."""
    assert len(checks.quick_warnings(plan_for(target, 2))) == warnings
