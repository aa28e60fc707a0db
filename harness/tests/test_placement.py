"""Which CPUs target and clients get."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.errors import InvalidRequestError
from respmark.placement import (
    UNPINNED,
    Placement,
    available_cpus,
    cores,
    parse_cpus,
    place,
    placed,
    split,
    usual,
    write_cpus,
)
from tests.properties import UNTIMED


@UNTIMED
@given(st.frozensets(st.integers(0, 300), min_size=1))
def test_a_list_of_cpus_reads_as_it_was_written(cpus: frozenset[int]) -> None:
    """In the kernel's form."""
    assert parse_cpus(write_cpus(cpus)) == cpus


def test_neighbours_are_written_as_a_range() -> None:
    """As people write them."""
    assert write_cpus({0, 1, 2, 4, 7, 6}) == "0-2,4,6-7"


@pytest.mark.parametrize("written", ["", "a", "1-", "-1", "3-1", "0,,1", "0x1"])
def test_what_is_no_list_of_cpus_is_refused(written: str) -> None:
    """With what to write."""
    with pytest.raises(InvalidRequestError, match="write 0-1,4"):
        parse_cpus(written)


EIGHT = frozenset(range(8))


def single(*cpus: int) -> list[frozenset[int]]:
    """Return cores of one thread."""
    return [frozenset({cpu}) for cpu in cpus]


@pytest.mark.parametrize(
    ("available", "target", "clients"),
    [
        (single(0, 1), "0", "1"),
        (single(0, 1, 2), "1", "2"),
        (single(0, 1, 2, 3), "1", "2-3"),
        (single(*range(9)), "1-4", "5-8"),
        # Threads of one core stay together: 0 and 4 are one core, 1 and 5 the next, ...
        ([frozenset({core, core + 4}) for core in range(4)], "1,5", "2-3,6-7"),
    ],
)
def test_cores_are_split_between_target_and_clients(available: list[frozenset[int]], target: str, clients: str) -> None:
    """One stays free from three on; the odd one is the clients'."""
    found = split(available)
    assert (found.target, found.clients) == (target, clients)


def test_two_cores_leave_none_for_the_rest_and_it_is_said() -> None:
    """The run is pinned all the same."""
    assert split(single(0, 1)).words == (
        "target on CPU 0, clients on CPU 1; no core is left for the harness and the system"
    )
    assert split(single(0, 1, 2)).note is None


def test_one_core_cannot_be_split_and_it_is_said() -> None:
    """Even if it has two threads: they are one core to both sides."""
    assert split([frozenset({0, 1})]).words == "not pinned; one core cannot be split between target and clients"


def test_without_a_word_the_target_has_a_core_that_one_threaded_clients_keep_off() -> None:
    """Others may use it: a runtime with several busy threads gets every CPU, as it does where it is at home."""
    found = usual(EIGHT)
    assert (found.target, found.clients) == (write_cpus(cores(EIGHT)[0]), None)
    assert found.words.endswith("; a client that works with one thread keeps off it")
    assert usual(frozenset({0})) == UNPINNED


def test_threads_of_a_core_are_found(tmp_path: Path) -> None:
    """Where the kernel does not tell, every CPU counts as a core; CPUs that are not ours count for none."""
    for cpu, siblings in ((0, "0,2"), (2, "0,2"), (1, "1,3")):
        folder = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{siblings}\n")
    assert cores(frozenset({0, 1, 2, 9}), tmp_path) == [frozenset({0, 2}), frozenset({1}), frozenset({9})]


def test_what_is_given_is_taken_and_the_rest_is_the_other_sides() -> None:
    """One set is enough."""
    assert place("0-1", None, target_is_ours=True, available=EIGHT) == Placement(target="0-1", clients="2-7")
    assert place(None, "7", target_is_ours=True, available=EIGHT) == Placement(target="0-6", clients="7")
    assert place("0", "2-3", target_is_ours=True, available=EIGHT) == Placement(target="0", clients="2-3")


def test_sets_that_overlap_are_taken_and_it_is_said() -> None:
    """With all CPUs for both, nobody is kept from anything: a reader must know."""
    found = place("0-1", "1-2", target_is_ours=True, available=EIGHT)
    assert found == Placement(target="0-1", clients="1-2", note="they share CPU 1")
    assert "they share CPU 1" in found.words


def test_a_target_that_is_not_ours_is_not_pinned() -> None:
    """Its process is another's; it may be on another machine."""
    assert place("0-1", "1", target_is_ours=False, available=EIGHT) == Placement(target=None, clients="1")


@pytest.mark.parametrize(
    ("target", "clients", "words"),
    [
        ("8", None, "--pin-target: CPU 8 is not here; there are 0-7"),
        (None, "4-9", "--pin-clients: CPU 8-9 is not here"),
        ("0-7", None, "--pin-target takes every CPU"),
    ],
)
def test_sets_that_cannot_be_are_refused(target: str | None, clients: str | None, words: str) -> None:
    """Before anything is started."""
    with pytest.raises(InvalidRequestError, match=words):
        place(target, clients, target_is_ours=True, available=EIGHT)


def test_programs_inherit_the_cpus_and_we_get_ours_back() -> None:
    """With the real kernel."""
    before = available_cpus()
    chosen = min(before)
    with placed(str(chosen)):
        shown = subprocess.run(
            [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
    assert shown.strip() == str({chosen})
    assert os.sched_getaffinity(0) == before


def test_unpinned_changes_nothing() -> None:
    """Neither here nor in what is started."""
    before = available_cpus()
    with placed(UNPINNED.clients):
        assert available_cpus() == before
