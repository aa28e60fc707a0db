"""A runner driven by the contract's lines, and every failure in one sentence of the harness."""

import base64
from array import array
from typing import Any

import pytest
from pydantic import SecretStr

from respmark.contract.lines import Due, KeepGoing, Work
from respmark.contract.trial import Endpoint
from respmark.errors import RunnerFailedError
from respmark.runners.runner import Runner
from respmark.servers.node import Node
from tests.runners.scripted import SOON_S, SURELY_S, ScriptedRunners

MOMENTS = {"started": [1, 1, 0], "measured_from": [2, 2, 0], "ended": [9, 3, 1]}
WORKED: dict[str, Any] = {**MOMENTS, "lead_in": [1], "measured": [2], "errors": {}, "first_error": None, "cache": None}
FAILED = {**WORKED, "lead_in": [0], "measured": [0], "errors": {"IOError": 3}, "first_error": "IOError: gone"}
WORK = Work(first=0, ns=7, keep=True)
NOWHERE = Endpoint(host="127.0.0.1", port=1)


def samples(*latencies_ns: float, counts: list[int] | None = None, dropped: int = 0) -> dict[str, Any]:
    text = base64.b64encode(array("d", latencies_ns).tobytes()).decode()
    counts = [len(latencies_ns)] if counts is None else counts
    return {"print": {"samples": {"latencies": text, "counts": counts, "dropped": dropped}}}


GOOD: dict[str, Any] = {
    "trial": {"print": {"loaded": {"contract": 4, "versions": {"lib": "2", "rt": "3"}, "settings": {"a": 1}}}},
    "connect": {"print": {"connected": {}}},
    "echo": {"print": {"replies": [True, "x"]}},
    "work": {"print": {"worked": WORKED}},
    "samples": samples(1500.0, 2500.0, counts=[2, 0]),
}


def start(scripted: ScriptedRunners, server: Endpoint = NOWHERE, **answers: Any) -> Runner:  # noqa: ANN401 - as JSON has them
    return scripted.answering(GOOD | answers, server=server)


def connected(scripted: ScriptedRunners, **answers: Any) -> Runner:  # noqa: ANN401 - as above
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


def test_a_process_keeps_going_until_it_says_that_it_went(scripted: ScriptedRunners) -> None:
    runner = connected(scripted, keep_going={"print": {"went": {}}})
    runner.keep_going(KeepGoing(due=Due(file="due", at=1), log="log", enough="enough", until=2))
    runner.went(SURELY_S)
    runner.end(SURELY_S)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (samples(1.0, counts=[2]), "the runner reports 1 latencies, but its counts add up to 2"),
        ({"print": {"samples": {"latencies": "?", "counts": [], "dropped": 0}}}, "latencies cannot be read"),
    ],
)
def test_latencies_are_as_many_as_the_runner_says(scripted: ScriptedRunners, answer: dict[str, Any], said: str) -> None:
    with pytest.raises(RunnerFailedError, match=said):
        connected(scripted, samples=answer).samples(SURELY_S)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"hang": 1}, "is a server running there?; the runner said: the runner hung: it printed nothing for"),
        (
            {"signal": 9},
            "; the runner said: the runner was killed by signal 9 before its result",
        ),
        ({"fail": "E: Connection reset"}, "is a server running there?; the runner said: E: Connection reset"),
        ({"print": {"worked": FAILED}}, "is a server running there?; the runner said: IOError: gone"),
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


@pytest.mark.parametrize(
    ("password", "first_error", "said"),
    [
        (None, "ReplyError: OOM command not allowed", "is out of memory: ReplyError: OOM command not allowed; raise"),
        (None, "NoPermissionError: not you", "which answers now: NoPermissionError: not you"),
        ("wrong", "AuthenticationError: not you", "has no password, but one was given"),
    ],
)
def test_why_no_unit_succeeded_is_the_servers_code_or_what_the_server_answers_now(
    scripted: ScriptedRunners, server: Node, password: str | None, first_error: str, said: str
) -> None:
    """A library that passes the code on has said it; where it does not, the harness connects and asks."""
    wrong = {} if password is None else {"password": SecretStr(password)}
    failed = {"print": {"worked": FAILED | {"first_error": first_error}}}
    runner = start(scripted, server.endpoint.model_copy(update=wrong), work=failed)
    runner.load(SURELY_S)
    runner.connect(SURELY_S)
    runner.work(WORK)
    with pytest.raises(RunnerFailedError) as caught:
        runner.worked(SURELY_S)
    assert said in str(caught.value)
    assert first_error in str(caught.value)


def test_no_text_of_a_library_has_the_password(scripted: ScriptedRunners) -> None:
    """Neither in what it loaded nor in its errors, wherever it put it; the trial is all that names the password."""
    endpoint = NOWHERE.model_copy(update={"password": SecretStr("hush-hush")})
    loaded = {"contract": 4, "versions": {"lib": "1 hush-hush"}, "settings": {"flags": "-Dp=hush-hush", "heap": 1}}
    worked = {**WORKED, "errors": {"ReplyError hush-hush": 2}, "first_error": "WRONGPASS hush-hush"}
    runner = start(scripted, endpoint, trial={"print": {"loaded": loaded}}, work={"print": {"worked": worked}})
    found = runner.load(SURELY_S)
    assert (found.versions, found.settings) == ({"lib": "1 ***"}, {"flags": "-Dp=***", "heap": 1})
    runner.connect(SURELY_S)
    runner.work(WORK)
    said = runner.worked(SURELY_S)
    assert (said.errors, said.first_error) == ({"ReplyError ***": 2}, "WRONGPASS ***")
