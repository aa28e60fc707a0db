"""The tables of docs/faults.md: what to set, and what a run saw of it."""

from typing import Any

from respmark.contract.trial import Fault
from respmark.kinds.faults.record import Connections, FaultRecord, Wait, Writes
from tests.builders.plan import SHIPPED
from tests.kinds.faults.builders import fault_record, fault_run, make_figures
from tools.faults_page import GONE, answer, gone, kept, options_table, rounds_of, seen_in


def strict(name: str, fault: Fault, **figures: Any) -> FaultRecord:  # noqa: ANN401 - the fields of figures
    record = fault_record(name, make_figures(**figures), fault)
    options = {"options": {"limits": "strict"}}
    return record.model_copy(update={"client": record.client.model_copy(update=options)})


def test_a_library_has_the_options_to_set_and_what_a_run_saw() -> None:
    """Where a limit held in no round, with how long it was instead; what was not measured says so."""
    run = fault_run(
        strict("jedis[limits=strict]", Fault.SILENCE, longest_wait=Wait(s=1.04)),
        strict("jedis[limits=strict]", Fault.SLOW, longest_wait=Wait(s=1.002)),
        strict("jedis[limits=strict]", Fault.NO_ANSWER, longest_wait=Wait(s=29.9)),
    )
    rows = {line.split(" | ")[0]: line for line in options_table(SHIPPED, seen_in(run)).splitlines()}
    assert "`connectionTimeoutMillis` | `socketTimeoutMillis` | `maxWait`" in rows["| `jedis`"]
    assert "at most 1.04; but no-answer 29.9" in rows["| `jedis`"]
    assert "not measured" in rows["| `lettuce`"]
    assert "no option" in rows["| `redis-rs`"]
    assert rounds_of(run).startswith("Measured in 1 round of each client and fault")


def test_a_host_that_is_gone_stands_beside_a_proxy_that_acknowledges() -> None:
    """For the clients that a run has under both, the soonest first; without any, there is no section."""

    def first_reply(client: str, *waits: Wait) -> list[FaultRecord]:
        name = f"{client}[limits=strict]"
        return [strict(name, fault, last_success=wait) for fault, wait in zip(GONE, waits, strict=True)]

    never = Wait(s=75.0, is_over=False)
    run = fault_run(
        *first_reply("lettuce", Wait(s=3.1), never),
        *first_reply("jedis", Wait(s=1.0), Wait(s=1.02)),
        strict("fred[limits=strict]", Fault.SILENCE),
    )
    rows = [line for line in gone(run).splitlines() if line.startswith("| `") and "half-open" not in line]
    assert rows == ["| `jedis` | 1.00 | 1.02 |", "| `lettuce` | 3.10 | > 75.0 |"]
    assert gone(fault_run(strict("fred[limits=strict]", Fault.SILENCE))) == "\n"
    assert "acknowledged (`swallowed`): `lettuce`." in kept(run)
    assert "lost for good" not in kept(run)


def test_the_answer_says_who_keeps_a_limit_of_a_second() -> None:
    """With the longest wait of each client that does not, and the fault that it was in."""
    run = fault_run(
        strict("jedis[limits=strict]", Fault.SILENCE, longest_wait=Wait(s=1.04)),
        strict("lettuce[limits=strict]", Fault.SLOW, longest_wait=Wait(s=1.5)),
        strict("lettuce[limits=strict]", Fault.NO_ANSWER, longest_wait=Wait(s=29.9)),
        fault_record("hung", make_figures(75.0), Fault.SLOW),
    )
    assert "1 of 2 clients kept it in every fault; a command waited longer with `lettuce` (29.9 s in `no-ans" in kept(
        run
    )
    assert kept(fault_run(fault_record("hung", make_figures(75.0), Fault.SLOW))) == ""


def test_the_answer_names_who_hung_and_whose_writes_were_damaged() -> None:
    """The median of rounds decides who hung; any round, what was damaged."""
    run = fault_run(
        fault_record("brisk", make_figures(0.5, writes=Writes(sent=9, acknowledged=9)), Fault.SLOW),
        fault_record("hung", make_figures(longest_wait=Wait(s=75.0, is_over=False)), Fault.HALF_OPEN),
        fault_record("hung", make_figures(8.0, writes=Writes(sent=9, acknowledged=9, lost=1)), Fault.RESET),
    )
    first, lost, doubled, wrong = answer(run).splitlines()
    assert first.startswith("- Of 2 libraries as installed, 1 had a command wait for longer than 30 s")
    assert first.endswith("of 3 faults: `hung`.")
    assert lost.endswith("with: `hung`.")
    assert doubled.endswith("with: `hung`.")
    assert wrong.endswith("with: none.")


def test_the_answer_names_who_burdens_the_machine_or_the_server() -> None:
    """Clients that keep a processor busy, and those that open connections again and again; others are not named."""
    storm = Connections(opened=24_000, during=24_000, busiest=400, left=0)
    run = fault_run(
        fault_record("spins", fault=Fault.NO_ANSWER, client_cpu_percent=160.0),
        fault_record("storms", fault=Fault.NOAUTH, client_cpu_percent=30.0, connections=storm),
    )
    *_, busy, storms = answer(run).splitlines()
    assert busy.endswith("busy with: `spins` (160 % of one in `no-answer`).")
    assert storms.endswith("opened while a fault lasted by: `storms` (3,000 a second in `noauth`).")
