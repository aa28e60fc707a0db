"""The workload file, as an adapter's commands are called."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from conftest import MakeSlices
from doubles import KINDS, Adapter, order, write_dues, write_workload

RUNNER: Final = Path(__file__).parent.parent / "runner"
EXPECTED: Final = {
    "GET": ("k0",),
    "SET": ("k0", b"a"),
    "SETEX": ("k0", 86400, b"a"),
    "EXPIRE": ("k0", 86400),
    "LRANGE": ("k0", 0, 9),
    "ZADD": ("k0", {b"a": 1.5}),
    "MGET": (["k0", "k1"],),
    "MSET": ({"k0": b"a", "k1": b"bb"},),
    "PING": (),
}


@pytest.mark.parametrize("name", KINDS)
def test_each_command_has_the_arguments_that_its_method_takes(
    make_slices: MakeSlices, tmp_path: Path, name: str
) -> None:
    """Numbers are numbers; several keys are a list or a dict."""
    make_slices(write_workload(tmp_path, name), adapter := Adapter()).work(order())
    assert adapter.asked == [(name, *EXPECTED[name])]


def test_commands_without_a_key_or_with_several_shift_nothing(make_slices: MakeSlices, tmp_path: Path) -> None:
    """Every command gets the keys that are its own."""
    workload = write_workload(tmp_path, "PING", "MGET", "GET")
    make_slices(workload, adapter := Adapter(), "batching", shape={"depth": 3}).work(order())
    assert adapter.asked == [("PING",), ("MGET", ["k0", "k1"]), ("GET", "k2")]


def test_a_command_that_the_adapter_lacks_is_unsupported(make_slices: MakeSlices, tmp_path: Path) -> None:
    """It is named."""
    del (adapter := Adapter()).commands["GET"]
    with pytest.raises(NotImplementedError, match="no method for GET"):
        make_slices(write_workload(tmp_path, "GET"), adapter)


@pytest.mark.parametrize(
    ("name", "words"),
    [("PING", ()), ("LRANGE", ("k0", "0", "9")), ("MGET", ("k0", "k1")), ("SETEX", ("k0", "86400", b"a"))],
)
def test_a_command_without_a_method_is_sent_word_by_word(
    make_slices: MakeSlices, tmp_path: Path, name: str, words: tuple[Any, ...]
) -> None:
    """In the order in which the server reads them, through what the adapter has for any command."""
    del (adapter := Adapter()).commands[name]
    asked: list[tuple[Any, ...]] = []
    adapter.commands["*"] = lambda _client, sent: asked.append(sent)
    make_slices(write_workload(tmp_path, name), adapter).work(order())
    assert asked == [(name, *words)]


def test_a_key_among_the_words_is_what_the_adapter_makes_of_it(make_slices: MakeSlices, tmp_path: Path) -> None:
    """Values and numbers stay as they are."""
    del (adapter := Adapter()).commands["LRANGE"]
    asked: list[tuple[Any, ...]] = []
    adapter.commands |= {"*": lambda _client, sent: asked.append(sent), "*key": str.upper}
    make_slices(write_workload(tmp_path, "LRANGE"), adapter).work(order())
    assert asked == [("LRANGE", "K0", "0", "9")]


def run(*lines: dict[str, Any]) -> tuple[int, list[dict[str, Any]], str]:
    """Run the program on these lines; return its exit code, what it printed, and its last words."""
    text = "\n".join(map(json.dumps, lines))
    ended = subprocess.run([sys.executable, RUNNER], input=text, capture_output=True, text=True, check=False)
    return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()], ended.stderr.strip()


def trial(workload: Path, adapter: str = "null_client.py") -> dict[str, Any]:
    """Return a trial of the null client."""
    shape: dict[str, Any] = {"client": "null", "options": {}, "scenario": "sync", "shape": {}}
    return {**shape, "adapter": adapter, "workload": str(workload), "samples": 4096, "server": {}}


@pytest.mark.parametrize(
    ("scenario", "shape"),
    [("sync", {}), ("threads", {"threads": 3, "connections": 3}), ("pipelining", {"depth": 4, "window": "sliding"})],
)
def test_one_trial_may_follow_another(tmp_path: Path, scenario: str, shape: dict[str, Any]) -> None:
    """In the same process, whatever the one before was; what it had kept is gone with it."""
    workload = write_workload(tmp_path, "GET")
    first = trial(workload)
    echo = {"first": 0, "commands": 1, "bytes": 9}
    orders: list[dict[str, Any]] = [{"connect": {}}, {"echo": echo}, {"work": order(1, 0, 0, 0)}]
    second = {**first, "scenario": scenario, "shape": shape, "open": True}
    samples: list[dict[str, Any]] = [{"samples": {}}]
    code, answers, _ = run(first, *orders, second, *orders, first, *orders, *samples)
    assert code == 0
    names = [name for answer in answers for name in answer]
    assert names == ["loaded", "connected", "replies", "worked"] * 3 + ["samples"]
    assert answers[2] == answers[6] == answers[10]
    assert answers[-1]["samples"]["counts"] == [1]


def test_what_is_unsupported_ends_a_trial_and_not_the_process(tmp_path: Path) -> None:
    """The bare loop has one walker; the next trial is as if it were the first."""
    orders: list[dict[str, Any]] = [{"connect": {}}, {"bare": {"first": 0, "ns": 1}}]
    threads = {"scenario": "threads", "shape": {"threads": 2, "connections": 1}}
    first = trial(write_workload(tmp_path, "GET"))
    code, answers, _ = run({**first, **threads}, *orders, first, *orders)
    names = [name for answer in answers for name in answer]
    assert (code, names) == (0, ["loaded", "connected", "unsupported", "loaded", "connected", "bared"])


def test_a_thread_that_fails_ends_the_process(tmp_path: Path) -> None:
    """With its error as the last word: the others would wait for it. Here there is no room for when units were due."""
    threads = {"scenario": "threads", "shape": {"threads": 2, "connections": 1}}
    arrivals = {"file": str(write_dues(tmp_path, [0])), "at": 0, "lead_in": 0, "drain_ns": 10**18}
    code, _, words = run(
        {**trial(write_workload(tmp_path, "GET")), **threads},
        {"connect": {}},
        {"work": {**order(1, 0, 0), "arrivals": arrivals}},
    )
    assert code == 1
    assert words.splitlines()[-1].startswith("AttributeError: 'Samples' object has no attribute")
