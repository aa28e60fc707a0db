"""What on a machine would spoil a measurement, from the files of a made-up kernel."""

import os
from pathlib import Path

import pytest

from respmark.machine import checks
from respmark.machine.checks import CheckResult


def write(root: Path, name: str, text: str) -> Path:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("available", "runners", "here", "advised"),
    [
        (2, 1, True, "nothing is left for the harness"),
        (2, 1, False, ""),
        (4, 4, True, "they share processors"),
    ],
)
def test_processors_are_held_against_busy_processes(available: int, runners: int, advised: str, *, here: bool) -> None:
    """Runners, and the server where it runs here, each want one, and the harness a little."""
    finding = checks.cpu_count(available, runners, servers_here=int(here))
    assert finding.found.startswith(f"{available} for {runners + here} busy processes ({runners} runner process")
    assert ("and the server" in finding.found) is here
    assert (finding.advice or "").startswith(advised)
    assert bool(finding.advice) is bool(advised)


def test_idle_cpus(tmp_path: Path) -> None:
    """Where the kernel chooses how idle CPUs sleep, it can be asked for none that does, by those who may."""
    assert checks.idle_cpus(tmp_path).advice is None
    write(tmp_path, "sys/devices/system/cpu/cpuidle/current_driver", "haltpoll\n")
    assert "docker run --device /dev/cpu_dma_latency" in (checks.idle_cpus(tmp_path).advice or "")
    unwritable = tmp_path / "dev/cpu_dma_latency"
    unwritable.mkdir(parents=True)
    assert f"`chown {os.getuid()} /dev/cpu_dma_latency`" in (checks.idle_cpus(tmp_path).advice or "")
    unwritable.rmdir()
    assert checks.idle_cpus(write(tmp_path, "dev/cpu_dma_latency", "")).advice is None


def test_swap(tmp_path: Path) -> None:
    """Swap that is there but empty does no harm."""
    assert "cannot be read" in checks.swap(tmp_path).found
    empty = "MemTotal: 1000 kB\nSwapTotal: 2048000 kB\nSwapFree: 2048000 kB\nHugePages_Total: 0\n"
    assert checks.swap(write(tmp_path, "proc/meminfo", empty)) == CheckResult("swap", "none in use")
    used = checks.swap(write(tmp_path, "proc/meminfo", empty.replace("SwapFree: 2048000", "SwapFree: 0")))
    assert used.found == "2,000 MB in use"
    assert "swapoff" in (used.advice or "")


@pytest.mark.parametrize(("here", "warnings"), [(True, 2), (False, 1)])
def test_a_runs_warnings_are_the_findings_with_advice(
    monkeypatch: pytest.MonkeyPatch, warnings: int, *, here: bool
) -> None:
    """Two processes and a server want three processors and more; a server elsewhere wants none here."""
    monkeypatch.setattr(checks, "available_cpus", lambda: frozenset(range(3)))
    for check in ("governor", "idle_cpus"):
        monkeypatch.setattr(checks, check, lambda: CheckResult("a", "b"))
    monkeypatch.setattr(checks, "swap", lambda: CheckResult("swap", "12 MB in use", "`swapoff -a`"))
    monkeypatch.setattr(checks, "other_load", lambda _since: [])
    found = checks.quick_warnings(2, servers_here=int(here))
    assert found[-1] == "swap: 12 MB in use; `swapoff -a`"
    assert len(found) == warnings
