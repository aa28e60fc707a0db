"""Client specs: options, versions, and what a library cannot express."""

from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.trial import LOOP_SCENARIOS, Form, Scenario, Shape, Window
from respmark.specs.naming import find_clients
from respmark.specs.naming import make_client as named_client
from respmark.workload.spec import Slots
from tests.builders.plan import client_spec, tiny_spec

READS = {"values": ["primary", "any"], "help": "which nodes", "cluster": True}
API = {"values": ["sync", "async"], "help": "which API", "matters_in": {"async": ["sync", "batching"]}}

NO_POOL = [one for one in Scenario if one is not Scenario.POOL]
LIMITS = {"connect": 5.0, "command": "none", "pool": "missing", "retries": 0}


def cannot(what: str, why: str = "no", **more: str | int) -> dict[str, str | int]:
    return {"what": what, "why": why, **more}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"scenarios": NO_POOL}, "`pool` must be in either"),
        ({"cannot": [cannot("pool")]}, "`pool` must be in either"),
        ({"cannot": [cannot("pooling")]}, "cannot `pooling`: it is no scenario"),
        ({"cannot": [cannot("protocal=3", until="1")]}, "cannot `protocal=3`"),
        ({"cannot": [cannot("pool", scenario="pool")]}, "cannot `pool`"),
        ({"cannot": [cannot("pool", option="parser=sloow")]}, "no option with the value parser=sloow"),
        ({"variants": [{"options": {"parsre": "slow"}}]}, "parsre"),
        ({"variants": [{"options": {"parser": "sloow"}}]}, "sloow"),
        ({"versions": {"1.0": {"summary": "old", "options": {"protocal": [2]}}}}, "protocal"),
        ({"options": {"parser": {"values": ["slow"], "help": "h", "without": {"sloow": ["turbo"]}}}}, "sloow"),
        ({"options": {"parser": {"values": ["slow"], "help": "h", "sends": {"sloow": ["ping"]}}}}, "sloow"),
        ({"options": {"api": {**API, "matters_in": {"asinc": ["sync"]}}}}, "the option has no value asinc"),
        (
            {"options": {"limits": {"values": ["1s"], "help": "h"}}, "versions": {}, "variants": [{}]},
            "follows from the rows",
        ),
        ({"limits": {"1s": LIMITS}}, "a row `installed` is missing"),
        ({"limits": {"installed": {**LIMITS, "connect": "never"}}}, "limits.installed.connect"),
        ({"limits": {"installed": {**LIMITS, "retries": None}}}, "`retries` is missing"),
        ({"limits": {"installed": {**LIMITS, "options": {"conect": "timeout"}}}}, "limits.installed.options"),
        ({"limits": {"installed": LIMITS, "2s": LIMITS}}, "limits.2s"),
        ({"limits": {"installed": {**LIMITS, "at": {"api=none": LIMITS}}}}, "no option with the value api=none"),
        ({"callers": "batching"}, "callers"),
        ({"callers": "pool", "scenarios": NO_POOL, "cannot": [cannot("pool")]}, "callers: `pool`"),
    ],
)
def test_a_spec_that_names_what_is_not_there_is_refused(changes: dict[str, Any], named: str) -> None:
    """A misspelt option, value or version would silently measure something else; a scenario cannot be forgotten."""
    with pytest.raises(ValidationError, match=named):
        client_spec(**changes)


BURST, SLIDING = (Shape(depth=1, window=window) for window in Window)
QUEUED = Shape(depth=1, form=Form.QUEUED)


@pytest.mark.parametrize(
    ("client", "scenario", "shape", "reason"),
    [
        ("", Scenario.SYNC, Shape(), None),
        ("", Scenario.PIPELINING, BURST, None),
        ("", Scenario.PIPELINING, SLIDING, "only bursts"),
        ("", Scenario.PIPELINING, BURST.model_copy(update={"threads": 2}), "one event loop"),
        ("", Scenario.TRANSACTION, QUEUED, None),
        ("@1.4", Scenario.TRANSACTION, QUEUED, "no queue before 2"),
        ("@1.4", Scenario.TRANSACTION, None, None),
        ("@1.4", Scenario.CACHING, None, "caching came with 1.5"),
        ("@1.5", Scenario.CACHING, None, "caching came with 2"),
        ("@debian", Scenario.CACHING, None, "caching came with 2"),
        ("[api=async]", Scenario.CACHING, None, "not with async"),
        ("", Scenario.CACHING, None, None),
        ("", Scenario.THREADS, Shape(threads=4, connections=1), None),
        ("[api=async]", Scenario.THREADS, Shape(threads=4, connections=1), "tasks are no threads"),
        ("@1.4[api=async]", Scenario.SYNC, Shape(), "async came with 2"),
    ],
)
def test_what_a_library_cannot_do_has_a_reason(
    client: str, scenario: Scenario, shape: Shape | None, reason: str | None
) -> None:
    """Of several rows that fit, the first counts; without a shape, only the scenario is asked for."""
    rows = [
        cannot("api=async", "async came with 2", until="2"),
        cannot("caching", "caching came with 1.5", until="1.5"),
        cannot("caching", "caching came with 2", until="2"),
        cannot("caching", "not with async", option="api=async"),
        cannot("threads", "tasks are no threads", option="api=async"),
        cannot("window=sliding", "only bursts"),
        cannot("threads", "one event loop", scenario="pipelining"),
        cannot("form=queued", "no queue before 2", until="2"),
    ]
    spec = client_spec(options={"api": API}, variants=[{}], versions={"debian": {"counts_as": "1.9"}}, cannot=rows)
    (found,) = find_clients(f"lib{client}", {"lib": spec})
    assert spec.why_not(found, scenario, shape) == reason


def test_a_library_without_a_method_for_a_command_cannot_send_a_workload_that_has_it() -> None:
    spec = client_spec(cannot=[cannot("SET", "it only reads")])
    client = named_client(spec, None, {})
    assert spec.why_not(client, Scenario.SYNC, Shape(), tiny_spec()) == "workload tiny has SET: it only reads"
    assert spec.why_not(client, Scenario.SYNC, Shape()) is None


@pytest.mark.parametrize(
    ("client", "scenario", "slots", "reason"),
    [
        ("", Scenario.SYNC, None, None),
        ("", Scenario.SYNC, "across", None),
        ("", Scenario.BATCHING, None, None),
        ("", Scenario.BATCHING, "one", None),
        ("", Scenario.BATCHING, "across", "a batch is of one slot"),
        ("", Scenario.POOL, "one", "a cluster has no pool"),
        ("@1.4", Scenario.SYNC, "one", "the cluster client came with 2"),
        ("@1.4", Scenario.SYNC, None, None),
    ],
)
def test_what_a_library_cannot_do_on_a_cluster_has_a_reason(
    client: str, scenario: Scenario, slots: Slots | None, reason: str | None
) -> None:
    """A row can be of clusters alone, and there of where the keys are."""
    rows = [
        cannot("cluster", "the cluster client came with 2", until="2"),
        cannot("batching", "a batch is of one slot", slots="across"),
        cannot("pool", "a cluster has no pool", server="cluster"),
    ]
    spec = client_spec(cluster="LibCluster", cannot=rows, versions={"1.4": {}})
    (found,) = find_clients(f"lib{client}", {"lib": spec})
    assert spec.why_not(found, scenario, slots=slots) == reason


def test_what_a_library_cannot_do_over_several_nodes_it_may_do_on_one() -> None:
    """Where all slots are on one node, a batch for one node has keys in any of them."""
    spec = client_spec(
        cluster="LibCluster", cannot=[cannot("batching", "a batch is for one node", slots="across", primaries=2)]
    )
    client = named_client(spec, None, {})
    reasons = [spec.why_not(client, Scenario.BATCHING, slots="across", primaries=count) for count in (1, 2, 3)]
    assert reasons == [None, "a batch is for one node", "a batch is for one node"]


def test_an_option_of_clusters_is_for_clusters_alone() -> None:
    spec = client_spec(cluster="LibCluster", options={"reads": READS}, versions={}, variants=[{}])
    every, primary = (named_client(spec, None, {"reads": value}) for value in ("any", "primary"))
    assert spec.why_not(every, Scenario.SYNC) == "reads=any is for clusters alone"
    assert spec.why_not(every, Scenario.SYNC, slots="across") is None
    assert spec.why_not(primary, Scenario.SYNC) is None


def test_a_library_whose_cluster_client_nobody_drives_is_unsupported_on_a_cluster() -> None:
    spec = client_spec()
    client = named_client(spec, None, {})
    assert spec.why_not(client, Scenario.SYNC, slots="one") == "respmark drives no cluster client of lib"


@pytest.mark.parametrize(
    ("version", "values", "adapter"),
    [
        (None, (3, 2), "new"),
        ("2.0.0", (3, 2), "new"),
        ("1.9", (2, 3), "new"),
        ("1.0.0", (2,), "old"),
        ("0.9", (2, 3), "old"),
    ],
)
def test_spans_of_versions_lie_one_over_the_other(version: str | None, values: tuple[int, ...], adapter: str) -> None:
    """A later span goes before an earlier one, and what a pinned version says of itself before both."""
    spans = [{"until": "2", "options": {"protocol": [2, 3]}}, {"since": "0.5", "until": "1.5", "adapter": "old"}]
    here = client_spec(spans=spans, adapter="new").of_version(version)
    assert (here.options["protocol"], here.adapter) == (values, adapter)


def test_clients_that_behave_alike_in_a_scenario_are_measured_once() -> None:
    """A value changes something where it matters, or where it cannot do the scenario."""
    rows = [cannot("threads", "tasks are no threads", option="api=async")]
    spec = client_spec(options={"api": API}, variants=[{}], versions={}, cannot=rows)
    default, is_async = named_client(spec, None, {}), named_client(spec, None, {"api": "async"})
    differs = {one for one in Scenario if spec.what_is_measured(default, one) != spec.what_is_measured(is_async, one)}
    assert differs == {Scenario.SYNC, Scenario.BATCHING, Scenario.THREADS}


def test_an_option_says_what_the_library_sends_with_each_unit() -> None:
    borrowed = {"values": [False, True], "help": "test on borrow", "sends": {"true": ["ping"]}}
    spec = client_spec(options={"borrow": borrowed, "give-back": borrowed}, variants=[{}], versions={})
    assert not spec.sent_with_units({"borrow": False, "give-back": False})
    assert spec.sent_with_units({"borrow": True, "give-back": True}) == {"ping": 2}


def test_limits_are_named_only_where_they_are_not_as_installed() -> None:
    """They change no other trial: there the client is the same as the library as installed, and is measured once."""
    spec = client_spec(limits={"1s": LIMITS, "installed": LIMITS}, callers="pool")
    plain, limited = (find_clients(f"lib{name}", {"lib": spec})[0] for name in ("[limits=installed]", "[limits=1s]"))
    assert plain == named_client(spec, None, {})
    assert (plain.limits, "limits" in plain.options) == ("installed", False)
    assert (limited.name, limited.limits) == ("lib[limits=1s]", "1s")
    assert all(spec.what_is_measured(plain, one) == spec.what_is_measured(limited, one) for one in LOOP_SCENARIOS)


def test_a_row_of_limits_has_those_of_other_options_of_the_client() -> None:
    at = {"parser=fast": {**LIMITS, "connect": 1.0}}
    spec = client_spec(limits={"installed": {**LIMITS, "at": at}})
    found = [spec.limits_of(named_client(spec, None, {"parser": parser})) for parser in ("slow", "fast")]
    assert [one and one.connect for one in found] == [5.0, 1.0]


def test_a_row_of_limits_has_those_of_the_cluster_client() -> None:
    """Whatever the client's other options are."""
    at = {"parser=fast": {**LIMITS, "retries": 1}, "cluster": {**LIMITS, "retries": 16}}
    spec = client_spec(limits={"installed": {**LIMITS, "at": at}})
    client = named_client(spec, None, {"parser": "fast"})
    found = [spec.limits_of(client, kind) for kind in (None, "cluster")]
    assert [one and one.retries for one in found] == [1, 16]


def test_older_versions_have_limits_of_their_own_whatever_the_options() -> None:
    until = {"2": {**LIMITS, "connect": 2.0}, "1": {**LIMITS, "connect": 1.0}, "10": {**LIMITS, "connect": 10.0}}
    row = {**LIMITS, "command": 4.0, "at": {"parser=fast": {**LIMITS, "command": 3.0}}, "until": until}
    spec = client_spec(limits={"installed": row})
    found = [
        spec.limits["installed"].before(one, spec.version_order) for one in ("0.9", "1.0", "9.9.9", "10.0", "main")
    ]
    assert [one and one.connect for one in found] == [1.0, 2.0, 10.0, None, None]
    assert [spec.waits_without_limit(one) for one in ("9.9.9", "10.0", "")] == [True, False, False]


def test_only_who_waits_without_a_limit_with_every_option_does() -> None:
    """A server does not see the options of its clients."""
    some = client_spec(limits={"installed": {**LIMITS, "at": {"parser=fast": {**LIMITS, "command": 1.0}}}})
    every = client_spec(limits={"installed": LIMITS})
    assert [one.waits_without_limit("1.0") for one in (some, every, client_spec())] == [False, True, False]


@pytest.mark.parametrize(
    ("named", "lacking", "callers"),
    [
        ("pool", [], Scenario.POOL),
        ("pool", ["pool"], Scenario.THREADS),
        (None, [], Scenario.THREADS),
        (None, ["threads"], Scenario.POOL),
        (None, ["threads", "pool"], Scenario.SYNC),
        ("sync", [], Scenario.SYNC),
    ],
)
def test_callers_have_the_scenario_that_is_named_or_the_first_that_the_client_can(
    named: str | None, lacking: list[str], callers: Scenario
) -> None:
    rows = [cannot(what, option="parser=slow") for what in lacking]
    spec = client_spec(callers=named, cannot=rows)
    assert spec.callers_of(named_client(spec, None, {"parser": "slow"})) == callers
