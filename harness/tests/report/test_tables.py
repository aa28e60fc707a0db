"""Tables, the lines above them, and the small one of a whole run."""

from respmark.contract.trial import Form, Scenario, Shape
from respmark.figures.comparison import Change, changes, per_metric, together
from respmark.figures.pairing import between, versions
from respmark.figures.ranking import cells_of
from respmark.plan.plan import Trial
from respmark.report.changes import comparison, place_chapters, version_chapters, version_sentence
from respmark.report.document import answer
from respmark.report.header import header_lines, short_header
from respmark.report.html.view import View
from respmark.report.report import Report
from respmark.report.table import Table
from respmark.results.manifest import RoundTripDescription, RunStatus
from tests.builders.plan import SHIPPED, make_cell, make_client, make_trial
from tests.builders.records import laps, make_manifest, make_record, make_run, make_workload_description
from tests.report.reading import notes, reported, tables, values
from tests.report.versions import two_versions
from tools.summary import summary_markdown

READS = "commands\nper read"


def test_a_ratio_without_a_difference_is_marked() -> None:
    """`=` stands by the ratio, and by a cost that no difference from the baseline's is shown of; one round has none."""
    (table,) = tables(reported(*laps("one", 2000), *laps("two", 2000), *laps("slow", 1000)))["sync"]
    ratios, costs = values(table, "RPS ratio to one"), values(table, "client CPU µs")
    assert ratios["one"] == "1"
    assert ratios["slow"].startswith("0.50 (0.")
    assert [ratios[name].endswith(") =") for name in ("two", "slow")] == [True, False]
    assert [costs[name].endswith(" =") for name in ("two", "slow")] == [True, False]


def test_clients_that_stand_on_several_servers_are_compared_with_themselves() -> None:
    pairs = [(name, server) for name in ("lib", "other") for server in ("a", "b")]
    cells = [make_cell(make_client(name), block_name=name, server=server) for name, server in pairs]
    (table,) = tables(reported(*(make_record(Trial(cell, number)) for cell in cells for number in (1, 2))))["sync"]
    assert values(table, "RPS ratio to itself on a")["lib on b"].startswith("1.00 (")


def test_tables_of_transactions_always_say_how_they_were_read() -> None:
    """The block is one write in one library, and one for each command in another; a batch is one everywhere."""
    shapes = {Scenario.BATCHING: Shape(depth=10), Scenario.TRANSACTION: Shape(depth=10, form=Form.BATCHED)}
    found = tables(reported(*(make_record(make_trial(*one)) for one in shapes.items())))
    (extra,) = (column.is_extra for column in found["batching"][0].columns if column.head == READS)
    (always,) = (column.is_extra for column in found["transaction"][0].columns if column.head == READS)
    assert (extra, always) == (True, False)


def test_what_replies_are_decoded_to_is_said_where_it_differs() -> None:
    """In a note; figures have no marks of it."""
    report = reported(
        make_record(make_trial(client=make_client("lib"))),
        make_record(make_trial(client=make_client("texts")), decodes_to="text"),
    )
    found = values(tables(report)["sync"][0], "RPS")
    assert all(value.replace(",", "").isdigit() for value in found.values())
    told = "lib decodes replies to bytes, texts to text: this accounts for part of the difference"
    assert told in notes(report)["sync"]


def test_native_code_with_threads_of_its_own_is_said() -> None:
    """Its CPU is in the process's, as that of everything else."""
    report = reported(
        make_record(make_trial(client=make_client("lib"))),
        make_record(make_trial(client=make_client("rusty")), settings={"native_core": "Rust"}),
    )
    assert "native code with threads of its own, which client CPU includes: rusty" in notes(report)["sync"]


def test_the_lines_say_what_was_measured_where() -> None:
    assert header_lines(make_manifest(warnings=["a; b"], status=RunStatus.STOPPED)) == [
        "run 20261121T090000Z-tiny-seed1: 3 rounds planned, each 10 laps of 0.1 s slices with 0.08 s lead-in; seed 1",
        "workload tiny: for tests",
        "server redis 7.0.15, started for the run, 127.0.0.1:6379",
        "machine 4 x A CPU (virtual), 8 GiB, Debian 12, Linux 6.1, in docker",
        "CPUs: not pinned; idle CPUs kept awake",
        "THIS RUN IS INCOMPLETE: stopped; rounds are missing",
        "warning: a; b",
    ]
    assert short_header(make_manifest()) == (
        "run 20261121T090000Z-tiny-seed1: workload tiny, server redis 7.0.15, 127.0.0.1:6379",
        "machine 4 x A CPU (virtual), 8 GiB, Debian 12",
    )


def test_a_round_trip_says_of_which_server_and_which_relay_it_is() -> None:
    """Where one server has it, it is its own; that of a cluster is the slowest of its relays."""
    one = RoundTripDescription(server="a", asked_ms=0.2, p50_ms=0.2, p99_ms=0.3, alone_ms=0.05)
    three = one.model_copy(update={"server": "b", "relays": 3})
    (line,) = short_header(make_manifest(round_trips=[one]))[2:]
    assert line.startswith("round trip 0.2 ms: PING took 0.200 ms through the relay (p99")
    _, second = short_header(make_manifest(round_trips=[one, three]))[2:]
    assert second.startswith(
        "round trip 0.2 ms to b: PING took 0.200 ms through the slowest of 3 relays, one for each node"
    )


def test_many_workloads_take_one_line() -> None:
    workloads = {name: make_workload_description(name) for name in ("a", "b", "c", "d", "e")}
    assert header_lines(make_manifest(workloads=workloads))[1] == (
        "5 workloads: a, b, c and 2 more; manifest.json describes each"
    )


def table(rounds: int = 3) -> Table:
    (chapter,) = version_chapters(changes(versions(two_versions(rounds)), together))
    (found,) = chapter.tables
    assert found.title == "redis-py 6.4.0 / 3.5.3"
    return found


def test_a_difference_has_a_word_and_what_is_not_shown_is_called_so() -> None:
    """Beside the ratios with their intervals; of one round nothing is claimed."""
    assert values(table(), "throughput") == {"new-connection": "not shown", "sync": "faster"}
    ratios = values(table(), "RPS ratio new / old")
    assert ratios["sync"].startswith(("1.9", "2.0"))
    assert ratios["new-connection"].endswith(" =")
    assert values(table(1), "throughput")["sync"] == "not claimed: one round"


def test_a_sentence_on_versions_says_what_is_known() -> None:
    """With a rate, CPU is not."""
    change = changes(versions(two_versions(1)), together)[0]
    without_cpu = Change(change.pair, {}, {"rps": change.ratio("rps")})
    assert version_sentence(without_cpu).endswith("of the throughput (no interval)")


def test_how_clients_change_with_the_workload_is_a_table_of_its_own() -> None:
    """Where a block compares several clients with several workloads: each with itself, from the first one on."""
    rounds = [
        record.model_copy(update={"block": "both", "cell_id": f"{client}--{workload}"})
        for client, workload, rate in (("a", "tiny", 2000), ("a", "mget", 500), ("b", "tiny", 1000), ("b", "mget", 750))
        for record in laps(client, rate, workload=workload)
    ]
    (chapter,) = place_chapters(cells_of(make_run(*rounds)))
    (table,) = chapter.tables
    assert table.title == "sync: to the same client with tiny"
    found = values(table, "RPS ratio")
    assert [one.partition(" ")[0] for one in (found["a with mget"], found["b with mget"])] == ["0.25", "0.75"]
    assert place_chapters(cells_of(make_run(*laps("a", 2000), *laps("b", 1000)))) == []


RECORDS = [
    *(*laps("a", 2000), *laps("b", 1000)),
    *(*laps("a", 500, workload="mget"), *laps("b", 700, workload="mget")),
]
LABELS = ["workload tiny", "workload mget"]


def test_it_stands_in_headers_in_the_answer_on_the_page_and_in_comparisons() -> None:
    """As a part of the use's name."""
    run = make_run(*RECORDS)
    report = Report(run, SHIPPED.scenarios)
    assert header_lines(run.manifest)[1:3] == ["workload tiny: for tests", "workload mget: mget for tests"]
    assert "workload tiny, mget, server" in short_header(run.manifest)[0]
    labels = [f"sync, {label}" for label in LABELS]
    assert [(use.title, use.rows[0][0].text) for use in answer(report)[0].tables] == list(
        zip(labels, "ab", strict=True)
    )
    assert "**sync**<br>workload mget" in summary_markdown(report.cells)
    rows = View(report).rows
    assert [row.label for row in rows] == labels
    assert [set(row.groups.values()) for row in rows] == [{label} for label in labels]
    again = changes(between(run, run), per_metric)
    assert [table.title for table in comparison([run], [run], again, [])[1].tables] == LABELS


def test_every_cell_has_its_place(report: Report) -> None:
    """One row a client, one column a scenario and shape: figures, states, and nothing where there is no cell."""
    lines = summary_markdown(report.cells).splitlines()
    heads = ["**sync**", "**pipelining**<br>depth 100, burst", "**batching**<br>depth 100"]
    figures = "commands per second<br>lowest..highest round<br>client CPU per command"
    assert lines[0].startswith(f"| {figures} | {' | '.join(heads)} | ")
    assert lines[2].startswith("| `lib` | 21,345<br>20,000..22,000<br>23.4 µs | 50,000<br>10.0 µs<br>100 conn. | ")
    assert lines[3] == "| `lib[parser=slow]` | 9,000 \\*<br>55.6 µs |  |  |  | 3,000<br>167 µs |"
    assert lines[4] == "| `other` | failed | unsupported | not measured |  |  |"
