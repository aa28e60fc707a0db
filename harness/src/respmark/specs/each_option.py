"""Trials of every option, but of those for clusters alone: each value beside the library as installed."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from respmark.contract.trial import Scenario
from respmark.specs.client import Client, ClientSpec
from respmark.specs.client_tables import written
from respmark.specs.naming import make_client
from respmark.specs.scenario import ScenarioSpec, usual_trials
from respmark.specs.suite import TrialsSpec


def trials_of_options(specs: Iterable[ClientSpec], scenarios: Mapping[Scenario, ScenarioSpec]) -> list[TrialsSpec]:
    """Return the trials, those of a library and a scenario in one block."""
    usual = {one: usual_trials(one, spec) for one, spec in scenarios.items()}
    return list(chain.from_iterable(_trials_of(spec, usual) for spec in specs))


def _trials_of(spec: ClientSpec, usual: Mapping[Scenario, TrialsSpec]) -> Iterator[TrialsSpec]:
    plain, here = make_client(spec, None, {}), dict[Scenario, list[str]]()

    def can(client: Client, scenario: Scenario) -> bool:
        (shape,) = usual[scenario].shape.shapes()
        return spec.why_not(client, scenario, shape) is None

    for client, matters_in in _each_value(spec):
        able = (one for one in matters_in if can(plain, one) and can(client, one))
        here.setdefault(next(able, Scenario.SYNC), [plain.name]).append(client.name)
    for scenario, names in here.items():
        yield usual[scenario].model_copy(update={"clients": tuple(names), "block": f"{{library}}-{scenario}"})


def _each_value(spec: ClientSpec) -> Iterator[tuple[Client, Iterable[Scenario]]]:
    """Yield a client with each value of each option, and variants with several, with where each is to be measured."""
    others = (Scenario.BATCHING, Scenario.SYNC, *Scenario)
    for name, option in spec.options.items():
        for value in () if option.cluster else option.values[1:]:
            client = make_client(spec, None, {**option.needs, name: value})
            yield client, option.matters_in.get(written(value), others)
    for variant in spec.variants:
        if variant.version is None and len(variant.options) > 1:
            yield make_client(spec, None, variant.options), variant.scenarios or others
