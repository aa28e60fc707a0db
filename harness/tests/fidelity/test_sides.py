"""A bare loop as a side: its protocol, and what it claims against what a real server saw."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from respmark.contract.events import SliceOrder
from respmark.contract.trial import Scenario, Shape
from respmark.errors import FidelityError
from respmark.fidelity import sides
from respmark.fidelity.sides import BareSide
from respmark.placement import available_cpus
from respmark.plan.trial import Trial
from respmark.run.context import RunContext
from respmark.target.guardian import Guardian
from respmark.target.spawn import Server
from respmark.target.target import Reached, Target
from tests.builders.plan import make_settings, make_trial, tiny_workload, write_workload
from tests.fake_executor import FakeExecutor
from tests.fakes import made_workload, make_context

BARE = str(Path(__file__).parents[1] / "integration" / "bare.py")
ORDER = SliceOrder(slice=1, duration_ns=20_000_000, first_command=7, keep_samples=True)
LED_IN = ORDER.model_copy(update={"lead_in_ns": 10_000_000})


@dataclass
class Loops:
    """Starts bare loops against a real server."""

    context: RunContext
    guardian: Guardian

    def start(self, *mode: str, trial: Trial | None = None) -> BareSide:
        """Return the double in this mode, connected."""
        side = self.side(sys.executable, BARE, *mode, trial=trial)
        side.start()
        return side

    def side(self, *command: str, trial: Trial | None = None) -> BareSide:
        """Return a side that is not started yet."""
        return BareSide(list(command), self.context, trial or make_trial(), self.guardian)

    def calls(self) -> int:
        """Return how many commands of the workload the server has seen."""
        info = self.context.target.control.command("INFO", "commandstats").decode()
        stats = dict(line.split(":", 1) for line in info.splitlines() if line.startswith("cmdstat_"))
        found = [stats.get(f"cmdstat_{name}", "calls=0,") for name in ("get", "set")]
        return sum(int(one.split(",")[0].removeprefix("calls=")) for one in found)


@pytest.fixture
def loops(tmp_path: Path, server: Server, guardian: Guardian) -> Iterator[Loops]:
    """Return what starts bare loops."""
    made = make_context(FakeExecutor(lambda _request, _orders: []))
    with closing(Target(partial(Reached, server.endpoint), allow_flush=True)) as target:
        context = RunContext(
            settings=make_settings(),
            executor=made.executor,
            target=target,
            state=made.state,
            workloads={"tiny": made_workload(tiny_workload(), write_workload(tmp_path, tiny_workload()))},
        )
        yield Loops(context, guardian)


@pytest.mark.skipif(len(available_cpus()) == 1, reason="a single CPU cannot be kept off")
def test_a_loop_keeps_off_the_servers_cpu_as_runners_do(
    loops: Loops, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has one thread; nothing of the slice that shows it is measured."""
    taken = min(available_cpus())
    os.sched_setaffinity(server.pid, {taken})
    monkeypatch.setattr(Target, "pid", server.pid)
    side = loops.start()
    side.settle()
    assert side.process is not None
    threads = side.process.threads_ns() or {}
    assert [os.sched_getaffinity(thread) for thread in threads] == [available_cpus() - {taken}]
    assert side.work(ORDER).rps > 0
    side.end()


@pytest.mark.parametrize("order", [ORDER, LED_IN], ids=["alone", "with a lead-in"])
def test_an_honest_loop_has_a_speed(loops: Loops, order: SliceOrder) -> None:
    """Its rate and its CPU per command; the server saw every command of it, the lead-in's among them."""
    side = loops.start()
    before = loops.calls()
    speed = side.work(order)
    assert speed.rps > 0
    assert speed.cpu_ns_per_command > 0
    assert loops.calls() > before
    side.end()
    assert side.process is not None
    assert side.process.cpu_ns() is None


def test_a_loop_that_ends_with_its_input_has_ended_well(loops: Loops) -> None:
    """Slices in between or none."""
    loops.start().end()


def test_a_loop_is_told_where_and_what(loops: Loops, tmp_path: Path) -> None:
    """Endpoint, workload, scenario and depth; in each line, seconds and the command to begin with."""
    script = tmp_path / "loop.py"
    script.write_text(
        "import sys\nprint('ready', flush=True)\nfor line in sys.stdin:\n"
        f"    open({str(tmp_path / 'told')!r}, 'a').write(' '.join(sys.argv[1:]) + '|' + line)\n"
        "    print('0 1 1', flush=True)\n"
    )
    side = loops.side(sys.executable, str(script), trial=make_trial(Scenario.BATCHING, Shape(depth=10)))
    side.start()
    with pytest.raises(FidelityError):
        side.work(ORDER.model_copy(update={"first_command": 67}))
    side.kill()
    endpoint = loops.context.target.endpoint
    words, line = (tmp_path / "told").read_text().split("|")
    assert words == (
        f"--host {endpoint.host} --port {endpoint.port} --workload {loops.context.workloads['tiny'].path} "
        "--scenario batching --depth 10"
    )
    assert line == "0.020000000 7\n"  # 67 of 60 commands


def test_the_measured_part_goes_on_where_the_lead_in_stopped(loops: Loops, tmp_path: Path) -> None:
    """As a runner's does."""
    script = tmp_path / "loop.py"
    script.write_text(
        "import sys\nprint('ready', flush=True)\nfor line in sys.stdin:\n"
        f"    open({str(tmp_path / 'told')!r}, 'a').write(line)\n    print('5 1 1', flush=True)\n"
    )
    side = loops.side(sys.executable, str(script))
    side.start()
    with pytest.raises(FidelityError, match="claims 10 commands, the server saw 0"):
        side.work(LED_IN)
    side.kill()
    assert (tmp_path / "told").read_text() == "0.010000000 7\n0.020000000 12\n"


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("overclaims", r"claims [\d,]+ commands, the server saw [\d,]+"),
        ("underclaims", r"claims [\d,]+ commands, the server saw [\d,]+"),
        ("idle", r"claims [\d,]+ commands, the server saw 0"),
        ("garbage", "answered `I did a lot`, not `OPERATIONS ELAPSED_NS CPU_NS`"),
        ("negative", r"answered `\d+ \d+ -5`, not `OPERATIONS ELAPSED_NS CPU_NS`"),
        ("chatty", r"answered `\d+ \d+ \d+ \d+`, not `OPERATIONS ELAPSED_NS CPU_NS`"),
        ("ends-early", "it ended with exit code 1 before its result: bare: gave up"),
    ],
)
def test_a_loop_that_does_not_keep_its_word_is_told(loops: Loops, mode: str, words: str) -> None:
    """With its command, and what it said."""
    side = loops.start(mode)
    with pytest.raises(FidelityError, match=words) as caught:
        side.work(ORDER)
    side.kill()
    assert f"the bare loop {sys.executable} {BARE} {mode}: " in str(caught.value)


def test_a_lie_in_the_lead_in_is_noticed(loops: Loops) -> None:
    """It is not looked at for the figure, but it is counted."""
    side = loops.start("overclaims")
    with pytest.raises(FidelityError, match=r"claims [\d,]+ commands, the server saw [\d,]+"):
        side.work(LED_IN)
    side.kill()


def test_a_loop_that_is_silent_is_ended(loops: Loops, monkeypatch: pytest.MonkeyPatch) -> None:
    """The round does not wait for ever."""
    monkeypatch.setattr(sides, "SLICE_GRACE_S", 0.2)
    side = loops.start("silent")
    with pytest.raises(FidelityError, match="it hung: it said nothing"):
        side.work(ORDER)
    side.kill()


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("never-ready", "it ended with exit code 1 before its result: bare: no such module"),
        ("unready", "said `Warning: something is deprecated` where `ready` was due"),
    ],
)
def test_a_loop_that_does_not_get_ready_is_told(loops: Loops, mode: str, words: str) -> None:
    """Whatever else it prints is not `ready`."""
    side = loops.side(sys.executable, BARE, mode)
    with pytest.raises(FidelityError, match=words):
        side.start()
    side.kill()


def test_a_loop_that_ends_badly_is_told(loops: Loops) -> None:
    """Its exit code counts."""
    side = loops.start("ends-badly")
    side.work(ORDER)
    with pytest.raises(FidelityError, match="exit code 9"):
        side.end()


def test_a_loop_that_is_not_there_is_told(loops: Loops) -> None:
    """With what to do."""
    with pytest.raises(FidelityError, match=r"no-such-program does not start: .*; run `make setup`"):
        loops.side("no-such-program").start()


def test_a_loop_that_was_not_started_can_be_ended(guardian: Guardian) -> None:
    """Whoever cleans up need not know how far it came."""
    context = make_context(FakeExecutor(lambda _request, _orders: []))
    side = BareSide([], context, make_trial(), guardian)
    side.end()
    side.kill()
    with pytest.raises(FidelityError, match="was not started"):
        side.work(ORDER)
