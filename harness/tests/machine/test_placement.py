"""Which CPUs server and clients get, and keeping CPUs awake with the files of a made-up kernel."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.machine.awake import DEVICE, DRIVER, can_keep_awake, kept_awake
from respmark.machine.cpus import cores, parse_cpus, placed, write_cpus
from respmark.machine.placement import UNPINNED, Placement, place, split, usual

EIGHT = frozenset(range(8))


@given(st.frozensets(st.integers(0, 300), min_size=1))
def test_a_list_of_cpus_reads_as_it_was_written(cpus: frozenset[int]) -> None:
    """In the kernel's form, with neighbours as a range."""
    assert parse_cpus(write_cpus(cpus)) == cpus
    assert write_cpus({0, 1, 2, 4, 7, 6}) == "0-2,4,6-7"


def single(*cpus: int) -> list[frozenset[int]]:
    return [frozenset({cpu}) for cpu in cpus]


@pytest.mark.parametrize(
    ("available", "words"),
    [
        # Even if it has two threads: they are one core to both sides.
        ([frozenset({0, 1})], "not pinned; one core cannot be split between server and clients"),
        (single(0, 1), "server on CPU 0, clients on CPU 1; no core is left for the harness and the system"),
        (single(0, 1, 2, 3), "server on CPU 1, clients on CPU 2-3"),
        (single(*range(9)), "server on CPU 1-4, clients on CPU 5-8"),
        # Threads of one core stay together: 0 and 4 are one core, 1 and 5 the next, ...
        ([frozenset({core, core + 4}) for core in range(4)], "server on CPU 1,5, clients on CPU 2-3,6-7"),
    ],
)
def test_cores_are_split_between_server_and_clients(available: list[frozenset[int]], words: str) -> None:
    """One stays free from three on, otherwise it is said; the odd one is the clients'."""
    assert split(available).words == words


def test_without_a_word_the_server_has_a_core_that_one_threaded_clients_keep_off() -> None:
    """Others may use it: a runtime with several busy threads gets every CPU, as it does where it is at home."""
    found = usual(EIGHT)
    assert (found.server, found.clients) == (write_cpus(cores(EIGHT)[0]), None)
    assert found.words.endswith("; a client that works with one thread keeps off it")
    assert usual(frozenset({0})) == UNPINNED


@pytest.mark.parametrize(
    ("asked", "is_ours", "found"),
    [
        ("0-1:", True, Placement(server="0-1", clients="2-7")),
        (":7", True, Placement(server="0-6", clients="7")),
        ("0:2-3", True, Placement(server="0", clients="2-3")),
        ("0-1:1-2", True, Placement(server="0-1", clients="1-2", note="they share CPU 1")),
        # Its process is another's; it may be on another machine.
        ("0-1:1", False, Placement(server=None, clients="1")),
    ],
)
def test_what_is_given_is_taken_and_the_rest_is_the_other_sides(asked: str, found: Placement, *, is_ours: bool) -> None:
    """One set is enough; sets that overlap keep nobody from anything, which a reader must know."""
    assert place(asked, server_is_ours=is_ours, available=EIGHT) == found


@pytest.mark.parametrize("is_pinned", [True, False])
def test_programs_inherit_the_cpus_and_we_get_ours_back(*, is_pinned: bool) -> None:
    """With the real kernel."""
    before = os.sched_getaffinity(0)
    chosen = {min(before)} if is_pinned else before
    with placed(write_cpus(chosen) if is_pinned else UNPINNED.clients):
        command = [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.strip() == str(chosen)
    assert os.sched_getaffinity(0) == before


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A system whose kernel chooses idle states, and lets us say which."""
    for path, text in ((DRIVER, "intel_idle\n"), (DEVICE, "")):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def holders(path: Path) -> list[Path]:
    return [one for one in Path("/proc/self/fd").iterdir() if one.exists() and one.resolve() == path]


def test_cpus_are_kept_awake_as_long_as_the_file_is_open(root: Path) -> None:
    """The kernel is told: no time to wake up; the end of the file's use takes that back."""
    assert can_keep_awake(root)
    assert holders(root / DEVICE) == []
    with kept_awake(root):
        assert (root / DEVICE).read_bytes() == struct.pack("i", 0)
        assert len(holders(root / DEVICE)) == 1
    assert holders(root / DEVICE) == []


@pytest.mark.parametrize(("path", "text"), [(DRIVER, None), (DRIVER, "none\n"), (DEVICE, None)])
def test_without_a_driver_or_the_file_nobody_can(root: Path, path: Path, text: str | None) -> None:
    """Of a kernel that knows one way to idle, asking changes nothing; no file is made where there is none."""
    (root / path).unlink() if text is None else (root / path).write_text(text)
    assert not can_keep_awake(root)
    assert not (text is None and (root / path).exists())
