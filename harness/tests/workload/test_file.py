"""The workload file: written, read, and refused."""

import struct
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respmark.errors import WorkloadFileError
from respmark.workload.file import PREAMBLE, Workload, read
from respmark.workload.generate import generate
from respmark.workload.spec import CommandSpec, KeyArgument, LiteralArgument, ValueArgument, WorkloadSpec
from tests.builders.plan import tiny_spec, tiny_workload, write_workload
from tests.properties import UNTIMED

ARGUMENTS = st.one_of(
    st.just(KeyArgument()), st.just(ValueArgument()), st.builds(LiteralArgument, text=st.text(max_size=30))
)


@st.composite
def specs(draw: st.DrawFn) -> WorkloadSpec:
    """Draw a workload's spec with any mix of commands and arguments."""
    preloaded = draw(st.integers(1, 200))
    names = draw(st.lists(st.from_regex(r"[A-Z]{1,8}", fullmatch=True), min_size=1, max_size=4, unique=True))
    mix = tuple(
        CommandSpec(
            name=name,
            share=1 / len(names),
            keys=draw(st.integers(1, preloaded)),
            arguments=tuple(draw(st.lists(ARGUMENTS, max_size=3))),
        )
        for name in names
    )
    return tiny_spec(
        mix=mix,
        preload_keys=preloaded,
        commands=draw(st.integers(1, 100)),
        key_prefix=draw(st.text(max_size=60).filter(lambda text: "\x00" not in text)),
    )


def assert_same(first: Workload, second: Workload) -> None:
    """Compare two workloads; where columns lie is a matter of the file."""
    places = {"kinds", "keys", "sizes", "block"}
    assert first.header.model_dump(exclude=places) == second.header.model_dump(exclude=places)
    for field in fields(Workload)[1:]:
        assert np.array_equal(getattr(first, field.name), getattr(second, field.name))


@settings(UNTIMED, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(specs(), st.integers(0, 2**32))
def test_what_is_written_is_read(tmp_path: Path, spec: WorkloadSpec, seed: int) -> None:
    """Any workload comes back as it was, whatever its mix, prefix and literals."""
    workload = generate(spec, seed)
    assert_same(read(write_workload(tmp_path, workload)), workload)


def test_a_long_prefix_in_another_alphabet_is_read(tmp_path: Path) -> None:
    """Room is made for the header's bytes, of which a character may need more than one."""
    workload = tiny_workload(key_prefix="ключ:" * 20)
    assert_same(read(write_workload(tmp_path, workload)), workload)


def test_columns_lie_where_the_header_says(tmp_path: Path) -> None:
    """A reader in any language finds each column by offset and length, at a multiple of 8, behind the header."""
    workload = tiny_workload()
    path = write_workload(tmp_path, workload)
    content, header = path.read_bytes(), read(path).header
    _, _, length = PREAMBLE.unpack_from(content)
    end = PREAMBLE.size + length
    for name, expected in {
        "kinds": workload.kinds.tobytes(),
        "keys": struct.pack(f"<{len(workload.keys)}I", *workload.keys.tolist()),
        "sizes": struct.pack(f"<{len(workload.sizes)}I", *workload.sizes.tolist()),
        "block": workload.block,
    }.items():
        section = getattr(header, name)
        assert section.offset % 8 == 0
        assert section.offset >= end
        assert content[section.offset : section.offset + section.length] == expected
        end = section.offset + section.length
    assert len(content) == end


def changed(path: Path, begin: int, data: bytes) -> Path:
    """Overwrite some bytes of a file."""
    content = bytearray(path.read_bytes())
    content[begin : begin + len(data)] = data
    path.write_bytes(content)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a workload file."""
    return write_workload(tmp_path, tiny_workload())


@settings(UNTIMED, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_that_is_cut_off_anywhere_is_refused(path: Path, data: st.DataObject) -> None:
    """No prefix of a workload file passes for one."""
    whole = path.read_bytes()
    short = path.with_name("short.workload")
    short.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(WorkloadFileError, match=r"short\.workload is not a usable workload file: it"):
        read(short)


def test_another_file_is_refused(path: Path) -> None:
    """A file that does not begin as a workload is not read as one."""
    with pytest.raises(WorkloadFileError, match="does not begin with RESPMARK"):
        read(changed(path, 0, b"NOTOURS!"))


def test_a_newer_layout_is_refused(path: Path) -> None:
    """The message says which version it is and what to do."""
    with pytest.raises(WorkloadFileError, match="schema_version 3 is newer than 2; update respmark"):
        read(changed(path, 8, struct.pack("<I", 3)))


@pytest.mark.parametrize("text", [b"not json", b'{"schema_version":2,"surprise":1}'])
def test_a_broken_header_is_refused(path: Path, text: bytes) -> None:
    """What is not JSON, or has other fields, does not read."""
    with pytest.raises(WorkloadFileError, match="its header does not read"):
        read(changed(path, PREAMBLE.size, text))
