"""Runs by hand that have everything the page shows."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from respmark.contract.trial import Form, Scenario, Shape
from respmark.figures.cells import RunFigures
from respmark.kinds.loops.record import Aim, FoundRate, HostShare, LoopRecord, SearchEnd
from respmark.machine.sockets import Sockets, SocketSettings
from respmark.report.html.page import page
from respmark.report.report import Report
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_latency, make_record, make_run, make_slice_record
from tests.builders.records import unmeasured as not_measured
from tests.hostile import NASTY

LANGUAGES: Final = {"redis-py": "Python", "slow": "Python", "jedis": "Java", "lettuce": "Java", "phpredis": "PHP"}
RATES: Final = {"redis-py": 10_000, "slow": 5_000, "jedis": 40_000, "lettuce": 39_600, "phpredis": 20_000}
ROUNDS: Final = 3
LAPS: Final = 6
BATCHED: Final = Shape(depth=100, form=Form.BATCHED)


def measured(
    random: Random, scenario: Scenario, shape: Shape, rates: Mapping[str, int], number: int
) -> Iterator[LoopRecord]:
    for client, rate in rates.items():
        trial = make_trial(scenario, shape, number, make_client(client, library=client))
        slices = [make_slice_record(round(rate * random.gauss(1, 0.03)), lap) for lap in range(1, LAPS + 1)]
        latency = make_latency([(99_968, rate), (199_936, rate // 20 + 1), (999_936, rate // 500 + 1)])
        versions = {client: "1.2.3", "runtime": "4"}
        sockets = [Sockets(connections=1, settings=SocketSettings(no_delay=True))]
        language = LANGUAGES[client]
        yield make_record(trial, slices=slices, latency=latency, versions=versions, language=language, sockets=sockets)


def compared_run() -> RunFigures:
    random = Random(1)  # noqa: S311 - noise, no secret
    records: list[LoopRecord] = []
    for number in range(1, ROUNDS + 1):
        records += measured(random, Scenario.SYNC, Shape(), RATES, number)
        for depth in (10, 100):
            rates = {client: rate * depth // 8 for client, rate in RATES.items() if client != "slow"}
            records += measured(random, Scenario.BATCHING, Shape(depth=depth), rates, number)
        for threads in (1, 10):
            for most in (1, 10):
                shape = Shape(threads=threads, max_total=most)
                rates = {client: RATES[client] * min(threads, most) for client in ("jedis", "lettuce")}
                records += measured(random, Scenario.POOL, shape, rates, number)
        records += measured(random, Scenario.TRANSACTION, BATCHED, {"phpredis": 90_000}, number)
    records += missing()
    return make_run(*records, rounds=ROUNDS, laps=LAPS, warnings=["swap: 12 MB in use; `swapoff -a`"])


def loaded_run() -> RunFigures:
    """Return batches by depth with and without a round trip, and rates: two that are kept, one that saturates."""
    rates = {(10, None): 10_000, (100, None): 20_000, (1000, None): 20_500, (10, 1): 900, (100, 1): 8_000}
    records = [
        one
        for (depth, rtt_ms), rate in rates.items()
        for client in ("redis-py", "jedis")
        for one in laps(client, rate, LANGUAGES[client], depth=depth, rtt_ms=rtt_ms)
    ]
    return make_run(*records, *with_rates("redis-py", 1), *with_rates("jedis", 2))


def hosts_run() -> RunFigures:
    """Return two clients on one, two and three hosts, of which the third brings less."""
    rates = {1: 1000, 2: 1900, 3: 2400}
    clients = {"redis-py": 1, "jedis": 10}
    found = (
        on_hosts(client, rate * times, hosts) for client, times in clients.items() for hosts, rate in rates.items()
    )
    return make_run(*(one for records in found for one in records))


def on_hosts(client: str, rate: int, hosts: int, processes: int = 1) -> list[LoopRecord]:
    """Return the rounds of a client with so many processes on each of so many hosts."""
    shares = [
        HostShare(
            host=f"host-{number}",
            processes=processes,
            operations=rate,
            elapsed_ns=10**9,
            client_cpu_ns=10**8,
            clock_error_ns=1000,
        )
        for number in range(hosts)
    ]
    rounds = laps(client, rate, LANGUAGES.get(client, "Python"), processes=hosts * processes)
    return [record.model_copy(update={"hosts": shares}) for record in rounds]


def with_rates(client: str, times: int) -> Iterator[LoopRecord]:
    aims = ((Aim.SEARCH, 1.5, 80, True), (Aim.SEARCH, 0.8, 1, False), (Aim.SEVENTY, 0.7, 0.5, False))
    slices = [
        make_slice_record(
            lap=lap,
            aim=aim,
            rate_due=part * times * 1000,
            is_saturated=is_saturated,
            p50_ns=p99_ms * 5e5,
            p99_ns=p99_ms * 1e6,
            service_p99_ns=p99_ms * 5e5,
        )
        for lap, (aim, part, p99_ms, is_saturated) in enumerate(aims, start=1)
    ]
    found = FoundRate(held=1000.0 * times, failed=1500.0 * times, ended=SearchEnd.FOUND)
    trial = make_trial(Scenario.SYNC, Shape(rate="find p99=5ms"), client=make_client(client, library=client))
    yield make_record(trial, slices=slices, found=found, language=LANGUAGES[client])


def missing() -> Iterator[LoopRecord]:
    jedis, lettuce, redis = (make_client(name, library=name) for name in ("jedis", "lettuce", "redis-py"))
    gone = "composer: not found; install PHP"
    lost = make_trial(Scenario.TRANSACTION, BATCHED, ROUNDS + 1, make_client("phpredis", library="phpredis"))
    ways = [
        (
            Status.UNSUPPORTED,
            "it has no such transactions",
            make_trial(Scenario.TRANSACTION, BATCHED, 1, jedis),
            "Java",
        ),
        (
            Status.FAILED,
            "the runner exited with code 1",
            make_trial(Scenario.TRANSACTION, BATCHED, 1, redis),
            "Python",
        ),
        (Status.MISSING, gone, make_trial(Scenario.TRANSACTION, BATCHED, 1, lettuce), "Java"),
        (Status.FAILED, "claimed 9 calls, the server saw 8", lost, "PHP"),
    ]
    for status, reason, trial, language in ways:
        yield not_measured(status, reason, trial).model_copy(update={"language": language})


MARKUP = [
    NASTY,
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>' autofocus onfocus=alert(1) x='",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
]


def page_of(run: RunFigures) -> str:
    return page(Report(run, SHIPPED.scenarios))
