"""What others use: the machine's CPU time less our own."""

import time
from typing import Any

import pytest

from respmark.machine import load
from respmark.machine.kernel import MachineCpu
from respmark.machine.load import Load, Watch

SECOND_NS = 10**9


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what a new look at the machine sees; nobody waits."""
    seen: dict[str, Any] = {"at_ns": 0, "own_ns": 0, "machine": MachineCpu(0, 0), "slept_s": 0.0}
    monkeypatch.setattr(time, "sleep", lambda seconds: seen.update(slept_s=seconds))
    monkeypatch.setattr(time, "monotonic_ns", lambda: seen["at_ns"])
    monkeypatch.setattr(load, "Watch", lambda: Watch(**{key: seen[key] for key in ("at_ns", "machine", "own_ns")}))
    return seen


def test_our_own_cpu_time_is_not_that_of_others(now: dict[str, Any]) -> None:
    began = Watch(at_ns=0, machine=MachineCpu(5 * SECOND_NS, 0), own_ns=0)
    now.update(at_ns=2 * SECOND_NS, machine=MachineCpu(7 * SECOND_NS, SECOND_NS // 2), own_ns=SECOND_NS)
    assert began.others() == Load(busy_percent=50, stolen_percent=25)
    assert now["slept_s"] == 0


def test_it_waits_until_it_has_watched_for_long_enough(now: dict[str, Any]) -> None:
    now.update(at_ns=SECOND_NS // 5)
    Watch(at_ns=0, machine=MachineCpu(0, 0), own_ns=0).others()
    assert now["slept_s"] == pytest.approx(0.3)


def test_what_was_long_ago_is_not_counted(now: dict[str, Any]) -> None:
    """Set-up may have taken minutes."""
    now.update(at_ns=60 * SECOND_NS, machine=MachineCpu(60 * SECOND_NS, 0))
    assert Watch(at_ns=0, machine=MachineCpu(0, 0), own_ns=0).others() == Load(0, 0)


def test_where_the_kernel_does_not_say_nothing_is_claimed(now: dict[str, Any]) -> None:
    now.update(machine=None)
    assert Watch(at_ns=0, machine=None, own_ns=0).others() is None
