"""Traces: bounded, saved and read back, and without secrets."""

import json
from pathlib import Path

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.errors import TraceFileError
from respmark.wire.recorder import Recorder
from respmark.wire.requests import Request
from respmark.wire.trace import Subject, Trace
from tests.wire.builders import Line


def test_a_trace_reads_back_as_it_was_saved(tmp_path: Path) -> None:
    """What is in the file is all there was."""
    trace = Line().mark("go").send(1, "GET", "SET").answer(1, 2).close(1).mark("end").trace()
    trace.save(tmp_path / "trace.json")
    assert Trace.load(tmp_path / "trace.json") == trace


def test_a_newer_trace_and_no_trace_are_refused(tmp_path: Path) -> None:
    """The message names the file."""
    path = tmp_path / "trace.json"
    content = json.loads(Line().trace().model_dump_json())
    path.write_text(json.dumps(content | {"schema_version": 99}))
    with pytest.raises(TraceFileError, match=r"trace\.json is not a trace"):
        Trace.load(path)
    with pytest.raises(TraceFileError, match=r"gone\.json cannot be read"):
        Trace.load(tmp_path / "gone.json")


def test_a_trace_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """With what to do."""
    with pytest.raises(TraceFileError, match="name another file"):
        Line().trace().save(tmp_path / "no" / "folder" / "trace.json")


def test_a_full_trace_counts_what_it_leaves_out() -> None:
    """Memory is bounded, and the mark of it cannot be overlooked."""
    subject = Subject(client="c", scenario=Scenario.SYNC, shape=Shape(), workload="w", commands=("GET",))
    recorder = Recorder(subject, limit=3)
    connection = recorder.opened(0)
    for _ in range(10):
        recorder.arrived(connection, Request("GET", 1, (1,), b"k", 1), 1, 0)
    trace = recorder.freeze()
    assert len(trace.connections[0].commands) == 3
    assert (trace.commands_dropped, trace.commands_limit) == (7, 3)


@pytest.mark.parametrize(
    ("name", "first", "kept"),
    [
        ("AUTH", b"secret", None),
        ("HELLO", b"3", "3"),
        ("HELLO", b"secret", None),
        ("CLIENT", b"SETINFO", "SETINFO"),
        ("CLIENT", b"s3cret", None),
        ("SELECT", b"7", None),
    ],
)
def test_of_a_handshakes_words_only_version_and_subcommand_are_kept(name: str, first: bytes, kept: str | None) -> None:
    """A password is an argument of AUTH or HELLO: nothing else of their arguments is in the trace."""
    subject = Subject(client="c", scenario=Scenario.SYNC, shape=Shape(), workload="w", commands=("GET",))
    recorder = Recorder(subject)
    recorder.arrived(recorder.opened(0), Request(name, 4, (6,), first, 77), 1, 0)
    command = recorder.freeze().connections[0].commands[0]
    assert (command.name, command.key, command.sizes, command.digest) == (name, kept, (), None)
