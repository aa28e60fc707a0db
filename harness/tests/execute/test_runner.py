"""A runner driven by the contract's lines, and every failure in one sentence of the harness."""

import base64
import json
from array import array
from typing import Any

import pytest

from respmark.contract.lines import Work
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.errors import RunnerFailedError, UnsupportedError
from respmark.execute.runner import SAMPLES, TARGET_LOST_EXIT, LocalRunner, explain
from respmark.redaction import conceal, forget
from tests.builders.plan import client_spec, make_client, make_request
from tests.execute.scripted import SOON_S, SURELY_S, ScriptedRunners

MOMENTS = {"started": [1, 1, 0], "measured_from": [2, 2, 0], "ended": [9, 3, 1]}
WORKED: dict[str, Any] = {**MOMENTS, "lead_in": [1], "measured": [2], "errors": {}, "first_error": None, "cache": None}
FAILED = {**WORKED, "lead_in": [0], "measured": [0], "errors": {"IOError": 3}, "first_error": "IOError: gone"}
WORK = Work(first=0, ns=7, keep=True)
NOWHERE = Endpoint(host="127.0.0.1", port=1)


def samples(*latencies_ns: float, counts: list[int] | None = None, dropped: int = 0) -> dict[str, Any]:
    """Return what a runner hands over."""
    text = base64.b64encode(array("d", latencies_ns).tobytes()).decode()
    counts = [len(latencies_ns)] if counts is None else counts
    return {"print": {"samples": {"latencies": text, "counts": counts, "dropped": dropped}}}


GOOD: dict[str, Any] = {
    "trial": {"print": {"loaded": {"contract": 3, "versions": {"lib": "2", "rt": "3"}, "settings": {"a": 1}}}},
    "connect": {"print": {"connected": {}}},
    "echo": {"print": {"replies": [True, "x"]}},
    "work": {"print": {"worked": WORKED}},
    "samples": samples(1500.0, 2500.0, counts=[2, 0]),
}


def start(scripted: ScriptedRunners, target: Endpoint = NOWHERE, **answers: Any) -> LocalRunner:  # noqa: ANN401 - as JSON has them
    """Start a good runner, but for these answers."""
    return scripted.answering(GOOD | answers, target=target)


def connected(scripted: ScriptedRunners, **answers: Any) -> LocalRunner:  # noqa: ANN401 - as above
    """Start a runner that has connected."""
    runner = start(scripted, **answers)
    runner.load(SURELY_S)
    runner.connect(SURELY_S)
    return runner


def test_a_whole_trial(scripted: ScriptedRunners) -> None:
    """Line by line, until it ends by itself."""
    runner = start(scripted)
    loaded = runner.load(SURELY_S)
    assert (loaded.versions, loaded.settings) == ({"lib": "2", "rt": "3"}, {"a": 1})
    runner.connect(SURELY_S)
    assert runner.echo(100, SURELY_S) == [True, "x"]
    runner.work(WORK)
    worked = runner.worked(SURELY_S)
    assert (worked.units, worked.elapsed_ns, worked.cpu_ns) == (3, 7, 3)
    assert [list(one) for one in runner.samples(SURELY_S)] == [[1500.0, 2500.0], []]
    assert (runner.peak_memory_bytes() or 0) > 0
    runner.end(SURELY_S)


def test_latencies_are_fetched_when_they_fill_half_of_the_storage(scripted: ScriptedRunners) -> None:
    """Between two slices, so that no slice pays for it."""
    many = {**WORKED, "measured": [SAMPLES // 2 + 1]}
    runner = connected(scripted, work={"print": {"worked": many}}, samples=samples(1.0))
    for _ in range(2):
        runner.work(WORK)
        runner.worked(SURELY_S)
        runner.collect(SURELY_S)
    assert [list(one) for one in runner.samples(SURELY_S)] == [[1.0]] * 3


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (samples(1.0, dropped=5), "the runner had no room for 5 latencies"),
        (samples(1.0, counts=[2]), "the runner hands over 1 latencies, and counts 2"),
        ({"print": {"samples": {"latencies": "?", "counts": [], "dropped": 0}}}, "latencies cannot be read"),
    ],
)
def test_latencies_must_be_all_that_were_measured(scripted: ScriptedRunners, answer: dict[str, Any], said: str) -> None:
    """Less would say something else."""
    with pytest.raises(RunnerFailedError, match=said):
        connected(scripted, samples=answer).samples(SURELY_S)


def test_what_this_machine_cannot_do_is_unsupported(scripted: ScriptedRunners) -> None:
    """The reason is the runner's."""
    with pytest.raises(UnsupportedError, match=r"^no virtual threads$"):
        start(scripted, trial={"print": {"unsupported": "no virtual threads"}}).load(SURELY_S)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"fail": "ModuleNotFoundError: lib"}, "exit code 1 before its result: ModuleNotFoundError: lib"),
        ({"print": "hello"}, "printed something that is not in the contract (Invalid JSON: expected value at line 1"),
        ({"print": {"connected": {}}}, "the runner said `connected` where `loaded` was due"),
    ],
)
def test_a_runner_that_cannot_start_is_quoted(scripted: ScriptedRunners, answer: dict[str, Any], said: str) -> None:
    """There is no server to ask."""
    with pytest.raises(RunnerFailedError) as caught:
        start(scripted, trial=answer).load(SURELY_S)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("target", "words", "said"),
    [
        (NOWHERE, "E: WRONGPASS", "127.0.0.1:1 refused the password: E: WRONGPASS; check user and password"),
        (NOWHERE, "E: no luck", "is the server running there?; the runner said: E: no luck"),
        (Endpoint(unix_socket="/nowhere"), "E: no luck", "unix socket /nowhere cannot be reached: "),
    ],
)
def test_a_library_that_does_not_connect_is_explained(
    scripted: ScriptedRunners, target: Endpoint, words: str, said: str
) -> None:
    """By its own words, and where they say nothing by what the harness finds at the server."""
    runner = start(scripted, target, connect={"fail": words})
    runner.load(SURELY_S)
    with pytest.raises(RunnerFailedError) as caught:
        runner.connect(SURELY_S)
    assert said in str(caught.value)
    assert caught.value.runner_exit_code == TARGET_LOST_EXIT


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"hang": 1}, "is the server running there?; the runner said: the runner hung: it said nothing for"),
        (
            {"signal": 9},
            "; the runner said: the runner was ended by signal 9 before its result",
        ),
        ({"fail": "E: Connection reset"}, "is the server running there?; the runner said: E: Connection reset"),
        ({"print": {"worked": FAILED}}, "127.0.0.1:1 was lost: no unit of a slice succeeded (IOError: gone)"),
    ],
)
def test_a_slice_that_comes_to_nothing_is_explained(
    scripted: ScriptedRunners, answer: dict[str, Any], said: str
) -> None:
    """If the server is gone, that is the reason; else what became of the runner."""
    runner = connected(scripted, work=answer)
    runner.work(WORK)
    with pytest.raises(RunnerFailedError) as caught:
        runner.worked(SOON_S if "hang" in answer else SURELY_S)
    assert said in str(caught.value)


def test_no_text_of_a_library_has_the_password(scripted: ScriptedRunners, request: pytest.FixtureRequest) -> None:
    """Neither in what it loaded nor in its errors, wherever it put it."""
    conceal("hush-hush")
    request.addfinalizer(forget)
    loaded = {"contract": 3, "versions": {"lib": "1 hush-hush"}, "settings": {"flags": "-Dp=hush-hush", "heap": 1}}
    worked = {**WORKED, "errors": {"ReplyError hush-hush": 2}, "first_error": "WRONGPASS hush-hush"}
    runner = start(scripted, trial={"print": {"loaded": loaded}}, work={"print": {"worked": worked}})
    found = runner.load(SURELY_S)
    assert (found.versions, found.settings) == ({"lib": "1 ***"}, {"flags": "-Dp=***", "heap": 1})
    runner.connect(SURELY_S)
    runner.work(WORK)
    said = runner.worked(SURELY_S)
    assert (said.errors, said.first_error) == ({"ReplyError ***": 2}, "WRONGPASS ***")


@pytest.mark.parametrize(
    ("reply", "meaning"),
    [
        ("WRONGPASS invalid username-password pair or user is disabled.", "refused the password"),
        ("NOAUTH Authentication required.", "asks for a password"),
        ("NOPERM this user has no permissions to run the 'get' command", "does not let this user do what is needed"),
        ("LOADING Redis is loading the dataset in memory", "is still loading its data"),
        ("READONLY You can't write against a read only replica.", "is a read-only replica"),
        ("MISCONF Redis is configured to save RDB snapshots, but it's unable to persist.", "refuses to write"),
        ("ERR max number of clients reached", "has no connection free"),
        ("OOM command not allowed when used memory > 'maxmemory'.", "is out of memory"),
        ("DENIED Redis is running in protected mode because protected mode is enabled.", "is in protected mode"),
        ("MOVED 3999 127.0.0.1:6381", "does not serve the run's keys in its cluster"),
        ("CROSSSLOT Keys in request don't hash", "does not serve the run's keys in its cluster"),
        ("MASTERDOWN Link with MASTER is down", "cannot serve now"),
        ("ERR DB index is out of range", "has no database 0"),
    ],
)
def test_what_servers_answer_is_recognised(reply: str, meaning: str) -> None:
    """Whichever library passes it on: the sentence says what it means, and quotes it."""
    said = explain(Endpoint(host="h", port=1), f"ResponseError: {reply}")
    assert said is not None
    assert said.startswith(f"the target at h:1 {meaning}: ResponseError: {reply}")


def test_the_trial_is_the_contracts_first_line(scripted: ScriptedRunners) -> None:
    """With every option of the library, and no other; shape and target as the contract has them."""
    seen = scripted.folder / "seen"
    scripted.write(f"open({str(seen)!r}, 'w').write(sys.stdin.readline())")
    client = make_client(options={"parser": "fast", "tls": "as-target"})
    shape = Shape(depth=10, processes=3)
    request = make_request(client=client, scenario=Scenario.BATCHING, shape=shape, target=NOWHERE, part=2)
    with pytest.raises(RunnerFailedError):
        scripted.executor.start(request).load(SURELY_S)
    line = json.loads(seen.read_text())
    assert line.pop("target") == NOWHERE.model_dump(mode="json")
    assert line == {
        "client": "lib",
        "adapter": client_spec().adapter_of(None),
        "options": {"parser": "fast"},
        "scenario": "batching",
        "shape": {"depth": 10},
        "workload": "tiny.columns",
        "part": 2,
        "parts": 3,
        "samples": SAMPLES,
    }
