"""What runners say becomes events, and every failure becomes one sentence of the harness."""

import base64
import json
import sys
from array import array
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.events import Connect, Finish, Loaded, Ready, Result, Slice, SliceOrder
from respmark.contract.trial import Endpoint
from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.execute.contract3 import SAMPLES, UNSUPPORTED_EXIT, Contract3Process, beside
from respmark.execute.local import LocalExecutor
from respmark.specs.runner import RunnerSpec
from respmark.workload import columns
from respmark.workload import file as workload_file
from tests.builders.plan import client_spec, make_client, make_request, tiny_workload
from tests.execute.scripted import SOON_S, SURELY_S, Notes

DOUBLE = """
import json, os, signal, sys, time
ANSWERS = json.loads(sys.argv[1])
for line in sys.stdin:
    name = next(iter(json.loads(line)))
    answer = ANSWERS.get("trial" if name == "client" else name, {})
    if "print" in answer:
        print(answer["print"] if isinstance(answer["print"], str) else json.dumps(answer["print"]), flush=True)
    if "hang" in answer:
        time.sleep(60)
    if "signal" in answer:
        os.kill(os.getpid(), answer["signal"])
    if "fail" in answer:
        sys.exit(answer["fail"])
"""
"""Answers each line as it is told in its argument: prints, hangs, gets a signal, or fails with a last word."""

MOMENTS = {"started": [1, 1, 0], "measured_from": [2, 2, 0], "ended": [9, 3, 1]}
WORKED: dict[str, Any] = {**MOMENTS, "lead_in": [1], "measured": [2], "errors": {}, "first_error": None, "cache": None}
FAILED = {**WORKED, "lead_in": [0], "measured": [0], "errors": {"IOError": 3}, "first_error": "IOError: gone"}


def samples(*latencies_ns: float, counts: list[int] | None = None, dropped: int = 0) -> dict[str, Any]:
    """Return what a runner hands over."""
    text = base64.b64encode(array("d", latencies_ns).tobytes()).decode()
    counts = [len(latencies_ns)] if counts is None else counts
    return {"print": {"samples": {"latencies": text, "counts": counts, "dropped": dropped}}}


def _reply(index: int) -> Any:  # noqa: ANN401 - as JSON has it
    made = tiny_workload()
    kind, key = made.header.mix[made.kinds[index]].name, int(made.keys[index])
    if kind == "SET":
        return True
    return made.value(key, made.header.sizes.min_bytes).decode() if key < made.header.preload_keys else None


GOOD = {
    "trial": {"print": {"loaded": {"contract": 3, "versions": {"lib": "2", "rt": "3"}, "settings": {"a": 1}}}},
    "connect": {"print": {"connected": {}}},
    "echo": {"print": {"replies": [_reply(0), _reply(1)]}},
    "work": {"print": {"worked": WORKED}},
    "samples": samples(1500.0, 2500.0),
}
NOWHERE = Endpoint(host="127.0.0.1", port=1)


class Double:
    """A good runner, but for the answers that a test gives."""

    def __init__(self, folder: Path, workload: Path) -> None:
        self._folder, self._workload = folder, workload
        self._executors: list[LocalExecutor] = []
        (folder / "double.py").write_text(DOUBLE)

    def executor(self, **answers: Any) -> LocalExecutor:  # noqa: ANN401 - as JSON has them
        """Return an executor of the double."""
        told = json.dumps(GOOD | answers).replace("{", "{{").replace("}", "}}")
        command = (sys.executable, "-IS", str(self._folder / "double.py"), told)
        runner = RunnerSpec(name="python", language="Python", runtime="rt", command=command, advice="run it")
        clients = {("python", "lib"): client_spec()}
        self._executors.append(LocalExecutor({"python": runner}, clients, Notes(), self._folder))
        return self._executors[-1]

    def start(self, target: Endpoint = NOWHERE, **answers: Any) -> Contract3Process:  # noqa: ANN401 - as above
        """Start it on a trial."""
        request = make_request(verify_commands=2, target=target)
        request = request.model_copy(
            update={"workload": request.workload.model_copy(update={"path": str(self._workload)})}
        )
        process = self.executor(**answers).start(make_client(), request)
        assert isinstance(process, Contract3Process)
        return process

    def close(self) -> None:
        """End what was started."""
        for executor in self._executors:
            executor.__exit__()


@pytest.fixture
def double(tmp_path: Path) -> Iterator[Double]:
    """Return the double, with its workload beside it."""
    path = tmp_path / "tiny.workload"
    workload_file.write(tiny_workload(), path)
    columns.write(tiny_workload(), Path(beside(str(path))))
    with closing(Double(tmp_path, path)) as made:
        yield made


def connected(process: Contract3Process) -> Contract3Process:
    """Return the process, connected."""
    assert isinstance(process.next_event(SURELY_S), Loaded)
    process.order(Connect())
    assert isinstance(process.next_event(SURELY_S), Ready)
    return process


def problem(process: Contract3Process, *orders: Connect | SliceOrder | Finish, limit_s: float = SURELY_S) -> str:
    """Return what is said of a runner that fails after these orders were answered."""
    for order in orders:
        process.next_event(SURELY_S)
        process.order(order)
    with pytest.raises(RunnerFailedError) as caught:
        process.next_event(limit_s)
    return str(caught.value)


ORDER = SliceOrder(slice=1, duration_ns=7, first_command=0, keep_samples=True)


def test_a_whole_trial_becomes_events(double: Double) -> None:
    """Units become commands of each walker, latencies a histogram, and what was loaded is told at the end."""
    process = connected(double.start())
    process.order(ORDER)
    worked = process.next_event(SURELY_S)
    assert isinstance(worked, Slice)
    assert (worked.lead_in.units, worked.measured.units, worked.ended.cpu_ns) == (1, 2, 4)
    assert [(one.first_command, one.operations) for one in worked.segments] == [(0, 3)]
    process.order(Finish())
    result = process.next_event(SURELY_S)
    assert isinstance(result, Result)
    assert (list(result.latency.histogram), result.latency.max_ns) == ([(1500, 1), (2500 >> 1 << 1, 1)], 2500)
    assert (result.versions, result.runtime_settings) == ({"lib": "2", "rt": "3"}, {"a": 1})
    assert result.peak_memory_bytes > 0
    process.wait(SURELY_S)


def test_latencies_are_fetched_when_they_fill_half_of_the_storage(double: Double) -> None:
    """Between two slices; those of all slices are in the result."""
    many = {**WORKED, "measured": [SAMPLES // 2 + 1]}
    process = connected(double.start(work={"print": {"worked": many}}))
    for _ in range(2):
        process.order(ORDER)
        process.next_event(SURELY_S)
        process.collect(SURELY_S)
    process.order(Finish())
    result = process.next_event(SURELY_S)
    assert isinstance(result, Result)
    assert list(result.latency.histogram) == [(1500, 3), (2500 >> 1 << 1, 3)]


def test_what_this_machine_cannot_do_is_unsupported(double: Double) -> None:
    """The reason is the runner's."""
    with pytest.raises(RunnerFailedError, match="no virtual threads") as caught:
        double.start(trial={"print": {"unsupported": "no virtual threads"}}).next_event(SURELY_S)
    assert caught.value.runner_exit_code == UNSUPPORTED_EXIT


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            {"trial": {"fail": "ModuleNotFoundError: No module named 'lib'"}},
            "exit code 1 before its result: ModuleNotFoundError: No module named 'lib'",
        ),
        (
            {"trial": {"print": "hello"}},
            "the runner printed something that is not in the contract (Invalid JSON: expected value at line 1",
        ),
        ({"trial": {"print": {"connected": {}}}}, "the runner said `connected` where `loaded` was due"),
    ],
)
def test_a_runner_that_cannot_start_is_quoted(double: Double, answers: dict[str, Any], said: str) -> None:
    """There is no server to ask."""
    assert said in problem(double.start(**answers))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("E: WRONGPASS", "refused the user or the password (E: WRONGPASS): check the target's username and password"),
        ("E: NOPERM", "refused a command of the workload (E: NOPERM): let the user run the workload's commands on its"),
        ("E: max number of clients", "accepts no more clients (E: max number of clients): raise its maxclients or"),
        ("E: no luck", "refuses connections (E: no luck): start the server, or correct host and port"),
    ],
)
def test_a_library_that_does_not_connect_is_explained(double: Double, words: str, said: str) -> None:
    """By its own words, and where they say nothing by what the harness finds at the server."""
    assert problem(double.start(connect={"fail": words}), Connect()).startswith(f"127.0.0.1:1 {said}")


def test_a_socket_that_is_not_there_is_told(double: Double) -> None:
    """The harness asks it, too."""
    target = Endpoint(unix_socket="/nowhere")
    assert problem(double.start(target, connect={"fail": "E: no luck"}), Connect()) == (
        "unix socket /nowhere does not exist (E: no luck): start the server, or correct the path of the socket"
    )


def test_a_wrong_reply_names_its_command(double: Double) -> None:
    """The harness compares replies with the workload."""
    said = problem(double.start(echo={"print": {"replies": ["wrong", "wrong"]}}), Connect())
    assert said.startswith("the reply to command 0 of the workload, ")
    assert said.endswith("not 'wrong'")


def test_lost_replies_are_told(double: Double) -> None:
    """An echo without replies shows nothing."""
    said = problem(double.start(echo={"print": {"replies": []}}), Connect())
    assert said == "1 commands were sent, 0 replies came: the client lost count"


def test_a_slice_of_nothing_but_errors_ends_the_trial(double: Double) -> None:
    """The server is lost, or refuses what is sent."""
    process = connected(double.start(work={"print": {"worked": FAILED}}))
    process.order(ORDER)
    with pytest.raises(
        RunnerFailedError, match=r"127\.0\.0\.1:1 was lost: no unit of a slice succeeded \(IOError: gone\)"
    ):
        process.next_event(SURELY_S)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"hang": 1}, "127.0.0.1:1 refuses connections (the runner hung: it said nothing for"),
        ({"signal": 9}, "127.0.0.1:1 refuses connections (the runner was ended by signal 9 before its result"),
        ({"fail": "E: Connection reset"}, "127.0.0.1:1 refuses connections (E: Connection reset)"),
        ({"print": {"worked": {**WORKED, "measured": [1, 2]}}}, "the runner counts 2 walkers, the trial has 1"),
    ],
)
def test_a_slice_that_is_not_answered_is_explained(double: Double, answer: dict[str, Any], said: str) -> None:
    """If the server is gone, that is the reason; else what became of the runner."""
    process = connected(double.start(work=answer))
    process.order(ORDER)
    with pytest.raises(RunnerFailedError) as caught:
        process.next_event(SOON_S if "hang" in answer else SURELY_S)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (samples(1.0, dropped=5), "the runner dropped 5 latencies, for which it had no room"),
        (samples(1.0, counts=[2]), "the runner handed over 1 latencies, and counts 2"),
        ({"print": {"samples": {"latencies": "?", "counts": [], "dropped": 0}}}, "latencies cannot be read"),
    ],
)
def test_latencies_must_be_all_that_were_measured(double: Double, answer: dict[str, Any], said: str) -> None:
    """Less would say something else."""
    process = connected(double.start(samples=answer))
    process.order(Finish())
    with pytest.raises(RunnerFailedError, match=said):
        process.next_event(SURELY_S)


def test_the_description_is_made_of_the_spec_and_what_was_loaded(double: Double) -> None:
    """A trial line, and the end of the input after its answer."""
    described = double.executor().describe(make_client())
    assert (described.runtime, described.runtime_version) == ("rt", "3")
    assert (described.clients[0].library, described.clients[0].version) == ("lib", "2")


def test_what_cannot_be_loaded_is_missing(double: Double) -> None:
    """In the library's own words, with the runner's advice."""
    executor = double.executor(trial={"fail": "ModuleNotFoundError: No module named 'lib'"})
    with pytest.raises(RunnerMissingError, match=r"^ModuleNotFoundError: No module named 'lib'; run it$"):
        executor.describe(make_client())
