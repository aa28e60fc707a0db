"""What pages begin with: the ends of what was measured, with whose they are and their bounds."""

from collections.abc import Sequence

from respmark.contract.trial import Scenario, Shape
from respmark.figures.kind import FigureKind
from respmark.kinds.cold_start.kind import STARTS
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.record import LoopRecord
from respmark.micro.model import MicroRecord
from respmark.report.report import Report
from respmark.results.records import TrialRecord
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_record, make_run, make_slice_record
from tests.kinds.cold_start.builders import rounds
from tests.micro.builders import make_measured, make_micro_record, make_micro_run
from tools.page_answers import (
    as_list,
    of_caching,
    of_cluster,
    of_cold_starts,
    of_memory,
    of_micro,
    of_moves,
    of_network,
    of_servers,
    of_tls,
)


def report(*records: TrialRecord, kind: FigureKind = LOOPS) -> Report:
    return Report(make_run(*records, kind=kind), SHIPPED.scenarios)


def on(server: str, records: Sequence[LoopRecord]) -> list[LoopRecord]:
    """Return the same trials on another server, as cells of their own in the same block."""
    return [
        one.model_copy(
            update={"server": server, "trial_id": f"{one.trial_id}-{server}", "cell_id": f"{one.cell_id}-{server}"}
        )
        for one in records
    ]


def starts_with(text: str, *beginnings: str) -> bool:
    """Return whether a text has each of these, one after the other."""
    places = [text.index(one) for one in beginnings]
    return places == sorted(places)


def test_sentences_are_a_list_and_none_is_an_empty_line() -> None:
    assert as_list(["one", "two"]) == "\n- one\n- two\n\n"
    assert as_list([]) == "\n"


def test_what_tls_leaves_is_told_from_the_least_to_the_most() -> None:
    run = report(*laps("plain[tls=off]", 1000), *laps("least", 400), *laps("middle", 600), *laps("most", 900))
    (told,) = of_tls(run)
    assert starts_with(told, "in `sync` 0.40 (", "(`least`) to 0.90 (", "(`most`).")
    assert "middle" not in told
    assert list(of_tls(report(*laps("alone", 1000)))) == []


def test_clients_are_further_apart_without_a_network_than_behind_one() -> None:
    """What is not as installed does not count; one client alone is no comparison."""
    near = [*laps("fast", 1000), *laps("slow", 400), *laps("slow[parser=python]", 100)]
    far = [*laps("fast", 100, rtt_ms=1.0), *laps("slow", 80, rtt_ms=1.0)]
    _, table = of_network(report(*near, *far, *laps("fast", 900, depth=100)))
    head, _, row = table.splitlines()
    assert head == "|  | without a network | behind 1 ms |"
    assert starts_with(row, "| `sync` | 2.50 (", ": `fast` 1,000 to `slow` 400 | 1.25 (", ": `fast` 100 to `slow` 80 |")


def test_servers_of_which_a_difference_is_shown_are_named() -> None:
    run = report(*laps("lib", 1000), *on("other", laps("lib", 1000)), *on("slower", laps("lib", 500)))
    (told,) = of_servers(run)
    assert "of 2 comparisons" in told
    assert starts_with(told, "these show a difference: 1, of 0.50 (", "(lib on slower, tiny)")


def test_what_a_cluster_leaves_and_how_commands_are_split() -> None:
    split = make_slice_record(1000, split_calls=3000)
    client = make_client("lib", library="lib")
    records = [
        *laps("lib", 1000),
        *on("nodes", laps("lib", 800)),
        make_record(make_trial(Scenario.SYNC, Shape(), 1, client, "mget-5"), slices=[split]),
    ]
    told, left, calls = of_cluster(report(*records))
    assert told == "Of the commands a second that a client does on `spawned`, it does this share on:\n"
    head, _, row = left.splitlines()
    assert head == "|  | `nodes` |"
    assert starts_with(row, "| `sync` | 0.80 (", "(`lib`) |")
    assert calls == "A command of several keys across slots became, at the nodes: `mget-5` 3.00.\n"


def test_what_clients_do_while_slots_move() -> None:
    def moved(name: str, redirects: int) -> LoopRecord:
        asked = {"cluster|slots": redirects}
        each = make_slice_record(1000, redirects=redirects, asks=0, moved_slots=10, topology_calls=asked)
        return make_record(make_trial(client=make_client(name, library=name)), slices=[each])

    (table,) = of_moves(report(moved("learns", 10), moved("asks", 200), moved("middle", 20)))
    assert table.splitlines()[2:] == ["| `sync` | 1.00 (`learns`) to 20.0 (`asks`) | 10.0 (`learns`) to 200 (`asks`) |"]


def test_caches_stand_beside_the_same_client_without_one() -> None:
    client = make_client("lib", library="lib")
    cached = [make_trial(Scenario.CACHING, Shape(cache_entries=number), 1, client, "tiny") for number in (10, 50)]
    records = [
        make_record(trial, slices=[make_slice_record(number)])
        for trial, number in zip(cached, (800, 2000), strict=True)
    ]
    plain = make_record(make_trial(Scenario.SYNC, Shape(), 1, client, "tiny"), slices=[make_slice_record(1000)])
    (told,) = of_caching(report(*records, plain))
    assert starts_with(
        told, "Client-side caching in `lib`", "800 (800 to 800) with 10 cache", "2,000 (", "with 50 cache", "1,000 ("
    )
    assert told.endswith("without a cache.")


def test_what_a_connection_takes_is_told_from_the_least_to_the_most() -> None:
    def pool(name: str, connections: int, memory_kib: int) -> LoopRecord:
        shape = Shape(threads=connections, max_total=connections)
        trial = make_trial(Scenario.POOL, shape, 1, make_client(name, library=name), "tiny")
        return make_record(trial, peak_memory_bytes=memory_kib << 10)

    (told,) = of_memory(report(pool("a", 10, 900), pool("a", 100, 1800), pool("b", 10, 90), pool("b", 100, 9090)))
    assert starts_with(told, "`pool`: 10.0 KiB (`a`) to 100 KiB (`b`)")


def test_an_operation_takes_so_many_times_as_long_as_with_the_first_client() -> None:
    def took(subject: str, operation: str, time_ns: float) -> MicroRecord:
        return make_micro_record(subject=subject, operation=operation, measured=make_measured(time_ns=time_ns))

    records = [took("a", "GET", 100.0), took("a", "SET", 100.0), took("b", "GET", 150.0), took("b", "SET", 2600.0)]
    assert list(of_micro(make_micro_run(*records))) == [
        "`sync`: `b` takes 1.50 times (GET) to 26.0 times (SET) as long as `a`."
    ]
    assert list(of_micro(make_micro_run(took("a", "GET", 100.0)))) == []


def test_the_quickest_and_the_slowest_start_of_a_language() -> None:
    named = report(
        *rounds("quick", 10, 11, 12), *rounds("medium", 50, 51, 52), *rounds("slow", 90, 91, 92), kind=STARTS
    )
    (told,) = of_cold_starts(named)
    assert starts_with(told, "`quick` 54.5", "`slow` 134")
    assert "medium" not in told
