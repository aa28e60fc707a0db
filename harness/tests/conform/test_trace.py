"""Traces: bounded, saved, without secrets, and drawn."""

import json
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from respmark.conform.picture import picture
from respmark.conform.trace import Trace, TraceRecorder
from respmark.errors import OutputError
from tests.conform.builders import ERROR, Line


def drawn(trace: Trace, lines: int = 40, around: int | None = None) -> str:
    return "\n".join(re.sub(r"\d+\.\d\d ms", "*.** ms", line) for line in picture(trace, lines, around))


def test_a_trace_is_saved_whole(tmp_path: Path) -> None:
    """As JSON, with everything that there was."""
    Line().mark("go").send(1, "GET", "SET").answer(1, 2).close(1).mark("end").trace.save(tmp_path / "trace.json")
    saved = json.loads((tmp_path / "trace.json").read_text())
    (connection,) = saved["connections"]
    assert [command["name"] for command in connection["commands"]] == ["GET", "SET"]
    assert (connection["commands"][0]["reply"]["kind"], connection["closed_by"]) == ("+", "client")
    assert [mark["name"] for mark in saved["marks"]] == ["go", "end"]
    with pytest.raises(OutputError, match="name another file"):
        Line().trace.save(tmp_path / "no" / "folder" / "trace.json")


def test_a_full_trace_counts_what_it_leaves_out() -> None:
    """Memory is bounded, and the mark of it cannot be overlooked."""
    line = Line()
    line.recorder = TraceRecorder(line.trace.subject, limit=3)
    trace = line.send(1, *["GET"] * 10).trace
    assert len(trace.connections[0].commands) == 3
    assert trace.commands_dropped == 7


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
def test_of_a_handshake_only_version_and_subcommand_are_kept(name: str, first: bytes, kept: str | None) -> None:
    """A password is an argument of AUTH or HELLO: nothing else of their arguments is in the trace."""
    recorder = Line().recorder
    command = recorder.arrived(recorder.opened(0), [name.encode(), first, b"more"], 1)
    assert (command.name, command.key, command.sizes, command.digest) == (name, kept, (), None)


def test_the_picture_of_a_batch_and_of_single_commands(snapshot: SnapshotAssertion) -> None:
    """Commands that came without a reply between them are one line, and so are their replies."""
    line = Line().send(1, "HELLO").answer(1).mark("go")
    line.send(1, "GET", "GET", "SET").send(1, "GET").answer(1, 4)
    line.send(2, "GET").send(3, "SET").answer(2).answer(3, 1, ERROR).mark("end")
    assert drawn(line.trace) == snapshot
