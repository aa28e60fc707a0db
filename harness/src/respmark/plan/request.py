"""What the user asked for, and the suite that follows: it supplies only what the user did not name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from respmark.contract.trial import SHAPE_FIELDS, Scenario
from respmark.errors import InvalidRequestError
from respmark.plan.claims import made_of_claims
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.guidance import UNLIMITED, Capacity, Named, chosen_claims, lacking_lines, left_out
from respmark.specs.scenario import ScenarioSpec, usual_trials
from respmark.specs.suite import ANY_SHAPE, Dimension, ShapeAxes, SuiteSpec, TrialsSpec
from respmark.workload.spec import WorkloadSpec

Workloads = Mapping[str, WorkloadSpec]
"""By the names or paths that trials have for them; the suite's own, or the first that was asked for, comes first."""
Places = Mapping[Dimension, tuple[str, ...]]
"""What the user named in these dimensions."""
MOST_TIMES: Final = 100_000
MOST_S: Final = 86_400
"""A day."""
NUMBERS: Final = ("rounds", "laps", "slice_s", "lead_in_s", "warmup_limit_s")
"""Numbers of a suite that have an option each."""


@dataclass(frozen=True)
class Request:
    """What the user asked for on the command line; the suite decides about fields that are empty."""

    suite: str = "quick"
    clients: tuple[Client, ...] = ()
    """The first is the baseline of every comparison."""
    scenarios: tuple[Scenario, ...] = ()
    shape: ShapeAxes = ANY_SHAPE
    """Replaces these parts of the suite's shapes, where scenarios have them."""
    rounds: int | None = None
    laps: int | None = None
    slice_s: float | None = None
    lead_in_s: float | None = None
    warmup_limit_s: float | None = None
    servers: tuple[str, ...] = ()
    """Replace every server of the suite; several take turns."""
    workloads: tuple[str, ...] = ()
    """Replace every workload of the suite; several take turns."""
    seed: int = 1
    memory_bytes: int | None = None
    """Memory that the processes of a block may use together; None: no limit."""
    claims: tuple[str, ...] = ()
    """If the suite is made from guidance: only these claims; empty: all."""
    capacity: Capacity = UNLIMITED
    """Claims that need more than this are left out."""
    control: str | None = None
    """The client that is in every block, if the clients are releases of one library, from the oldest to the newest."""


@dataclass(frozen=True)
class AskedSuite:
    """A suite with everything that the user asked for."""

    suite: SuiteSpec
    """With the server that was asked for; if it is made from guidance, with the trials that its claims compare."""
    trials: tuple[TrialsSpec, ...]
    """The suite's trials that were asked for, or those that take their place."""
    clients: tuple[Client, ...]
    """Clients of every trial; empty: each trial names its own."""
    named: tuple[str, ...]
    """Names of the clients that the user named."""
    workloads: Workloads
    numbers: Mapping[str, Any]
    """Fields of `Settings`."""
    names_servers: bool
    """Whether the user named the servers."""
    left_out: Mapping[str, str]
    """Why claims are not measured, by their ids."""
    control: str | None
    """The client that is in every block of a series of releases, see `Request`."""


def asked_suite(request: Request, catalogue: Catalogue) -> AskedSuite:
    """Return the suite as the user asked for it; raises InvalidRequestError if it cannot be met."""
    names = tuple(client.name for client in request.clients)
    suite = catalogue.suite(request.suite)
    claims = _claims(suite, request.claims, names, catalogue)
    lacking = left_out(claims, request.capacity)
    if claims and len(lacking) == len(claims):
        raise InvalidRequestError(f"none of this can be measured: {'; '.join(lacking_lines(lacking))}")
    if suite.guidance:
        suite = made_of_claims(suite, [one for one in claims if one[1].id not in lacking], catalogue.clients, names)
    if request.servers:
        suite = suite.model_copy(update={"server": request.servers[0]})
    # What guidance claims about a client is a comparison of two clients: the suite has both.
    clients = () if suite.guidance else request.clients
    trials = _chosen(suite, request.scenarios, request.shape, catalogue.scenarios)
    places: Places = {"workload": request.workloads, "server": request.servers}
    if request.control is not None:
        trials = [_in_each(places, one) for one in trials]
    else:
        round_trips = dict(request.shape).get("rtt_ms", ())
        trials = [_across(places, one, round_trips, has_several_clients=len(clients) > 1) for one in trials]
    if clients:
        trials = [_for_all(one) for one in trials]
    beside = None if request.workloads else catalogue.suite_folder(request.suite)
    own = request.workloads[0] if request.workloads else suite.workload
    words = dict.fromkeys((own, *(word for one in trials for word in one.workloads)))
    is_part = bool(request.clients or request.scenarios or request.shape != ANY_SHAPE or request.claims)
    asked = {name: value for name in NUMBERS if (value := getattr(request, name)) is not None}
    return AskedSuite(
        suite=suite,
        trials=tuple(trials),
        clients=clients,
        named=names,
        workloads=_distinct(suite.name, {word: catalogue.workload(word, beside) for word in words}),
        numbers=_checked({**_numbers(suite, asked, is_part=is_part), "seed": request.seed}),
        names_servers=bool(request.servers),
        left_out=lacking,
        control=request.control,
    )


def _claims(suite: SuiteSpec, ids: Sequence[str], names: Sequence[str], catalogue: Catalogue) -> list[Named]:
    """Return the claims that the suite is to be made of, also those about named clients; none if it is not made so."""
    if suite.guidance:
        others = dict.fromkeys(suite.guidance, names)
        return chosen_claims(catalogue.claims(suite.guidance, others), ids)
    if ids:
        raise InvalidRequestError(
            f"suite `{suite.name}` does not measure claims, so --claim does not apply; use: respmark run guidance "
            f"--claim {ids[0]}"
        )
    return []


def _chosen(
    suite: SuiteSpec, scenarios: Iterable[Scenario], shape: ShapeAxes, specs: Mapping[Scenario, ScenarioSpec]
) -> list[TrialsSpec]:
    """Return the trials of these scenarios (default: the suite's), in named shapes, or usual ones if it has none."""
    named = list(dict.fromkeys(scenarios))
    chosen = [trials for scenario in named for trials in _trials_of(suite, scenario, specs)] or list(suite.trials)
    axes = {name: values for name, values in shape if values}
    for name in axes:
        if not any(_takes(trials.scenario, name, is_named=bool(named)) for trials in chosen):
            raise InvalidRequestError(_of_none(name, chosen))
    return [_in_shape(trials, axes, is_named=bool(named)) for trials in chosen]


def _trials_of(suite: SuiteSpec, scenario: Scenario, specs: Mapping[Scenario, ScenarioSpec]) -> list[TrialsSpec]:
    own = [one.model_copy(update={"clients_without": None}) for one in suite.trials if one.scenario == scenario]
    return own or [usual_trials(scenario, specs[scenario])]


def _in_shape(trials: TrialsSpec, axes: Mapping[str, tuple[object, ...]], *, is_named: bool) -> TrialsSpec:
    taken = {name: values for name, values in axes.items() if _takes(trials.scenario, name, is_named=is_named)}
    return trials.model_copy(update={"shape": trials.shape.model_copy(update=taken)})


def _takes(scenario: Scenario, field: str, *, is_named: bool) -> bool:
    """Return whether a field of the shape is meant for a scenario.

    What a scenario may do without, but others need, is meant for it only if the scenario is named: `--threads` alone is
    about threads and pools, not about pipelining.
    """
    one = SHAPE_FIELDS[field]
    return scenario in one.required or (scenario in one.optional and (is_named or not one.required))


def _of_none(field: str, chosen: Iterable[TrialsSpec]) -> str:
    here = ", ".join(dict.fromkeys(trials.scenario for trials in chosen))
    one = SHAPE_FIELDS[field]
    having = [scenario for of in (one.required, one.optional) for scenario in Scenario if scenario in of]
    return f"--{option(field)} applies to {', '.join(having)}; this run measures only {here}"


def option(field: str) -> str:
    """Return the option that names a field of the shape, without its dashes."""
    return SHAPE_FIELDS[field].option or field.replace("_", "-")


def _in_each(places: Places, trials: TrialsSpec) -> TrialsSpec:
    """Return the trials for releases, which are compared in each place that the user named; places are not compared."""
    changes = {f"{name}s": asked if len(asked) > 1 else () for name, asked in places.items() if asked}
    return trials.model_copy(update={**changes, "compared": frozenset({"client"}), "block": None})


def _across(
    places: Places, trials: TrialsSpec, round_trips: Sequence[object], *, has_several_clients: bool
) -> TrialsSpec:
    """Return the trials in the places that the user named; several of them are compared.

    Several clients as well share the block: each is compared with the first client in the same place, and with itself
    from the first place on.
    """
    several = {name for name, asked in places.items() if len(asked) > 1}
    compared = several | {name for name in trials.compared if len(places.get(name, ())) != 1}
    if has_several_clients and len(round_trips) > 1:
        several.add("rtt")
        compared.add("rtt")
    if several and has_several_clients:
        compared.add("client")
    block = {"block": None} if several else {}
    named = {f"{name}s": asked if name in several else () for name, asked in places.items() if asked}
    return trials.model_copy(update={**named, **block, "compared": frozenset(compared)})


def _for_all(trials: TrialsSpec) -> TrialsSpec:
    """Return the trials without clients of their own, for those that the user named.

    A block that the suite makes for some clients of its own is the usual block of its scenario and shape for them.
    """
    return trials.model_copy(update={"clients": (), "block": None}) if trials.clients else trials


def _distinct(suite: str, found: Workloads) -> Workloads:
    """Return the workloads; refuse two of the same name."""
    by_name: dict[str, WorkloadSpec] = {}
    for word, spec in found.items():
        if by_name.setdefault(spec.name, spec) != spec:
            raise InvalidRequestError(
                f"suite `{suite}` has two workloads named `{spec.name}`: results identify workloads by name, "
                f"so rename that of `{word}`"
            )
    return found


def _numbers(suite: SuiteSpec, asked: Mapping[str, Any], *, is_part: bool) -> dict[str, Any]:
    """Return the numbers of settings; who asks for rounds or laps has no limit of time."""
    part = suite.part.model_dump() if suite.part is not None and is_part else {}
    minutes = suite.minutes if asked.keys().isdisjoint({"rounds", "laps"}) else None
    usual = {name: getattr(suite, name) for name in NUMBERS}
    return {**usual, "minutes": minutes, **part, **asked}


def _checked(numbers: dict[str, Any]) -> dict[str, Any]:
    checks = {
        f"--rounds must be from 1 to {MOST_TIMES:,}": 1 <= numbers["rounds"] <= MOST_TIMES,
        f"--laps must be from 1 to {MOST_TIMES:,}": 1 <= numbers["laps"] <= MOST_TIMES,
        f"--slice-s must be more than 0, and at most {MOST_S:,}": 0 < numbers["slice_s"] <= MOST_S,
        f"--lead-in-s must be from 0 to {MOST_S:,}": 0 <= numbers["lead_in_s"] <= MOST_S,
        f"--warmup-limit-s must be from 0 to {MOST_S:,}": 0 <= numbers["warmup_limit_s"] <= MOST_S,
        "--seed must not be negative": numbers["seed"] >= 0,
    }
    for problem, holds in checks.items():
        if not holds:
            raise InvalidRequestError(problem)
    return numbers
