"""What is measured: what the user named; the suite supplies only what was not named."""

from collections.abc import Iterable, Mapping

from respmark.contract.trial import OF_ALL, SHAPE_FIELDS, Scenario
from respmark.errors import InvalidRequestError
from respmark.specs.scenario import ScenarioSpec, usual_trials
from respmark.specs.suite import ShapeAxes, SuiteSpec, TrialsSpec


def trials_in(
    suite: SuiteSpec, scenarios: Iterable[Scenario], shape: ShapeAxes, specs: Mapping[Scenario, ScenarioSpec]
) -> list[TrialsSpec]:
    """Return the trials of these scenarios (default: the suite's), in named shapes, or usual ones if it has none."""
    named = list(dict.fromkeys(scenarios))
    chosen = [trials for scenario in named for trials in _of_suite(suite, scenario, specs)] or list(suite.trials)
    axes = {name: values for name, values in shape if values}
    for name in axes:
        if not any(_takes(trials.scenario, name, is_named=bool(named)) for trials in chosen):
            raise InvalidRequestError(_of_none(name, chosen))
    return [_in_shape(trials, axes, is_named=bool(named)) for trials in chosen]


def _of_suite(suite: SuiteSpec, scenario: Scenario, specs: Mapping[Scenario, ScenarioSpec]) -> list[TrialsSpec]:
    own = [trials for trials in suite.trials if trials.scenario == scenario]
    return own or [usual_trials(scenario, specs[scenario])]


def _in_shape(trials: TrialsSpec, axes: Mapping[str, tuple[object, ...]], *, is_named: bool) -> TrialsSpec:
    taken = {name: values for name, values in axes.items() if _takes(trials.scenario, name, is_named=is_named)}
    return trials.model_copy(update={"shape": trials.shape.model_copy(update=taken)})


def _takes(scenario: Scenario, field: str, *, is_named: bool) -> bool:
    """Return whether a field of the shape is meant for a scenario.

    What a scenario may do without, but others need, is meant for it only if the scenario is named: `--threads` alone is
    about threads and pools, not about pipelining.
    """
    fields = SHAPE_FIELDS[scenario]
    if field in fields.required or field in OF_ALL:
        return True
    return field in fields.optional and (is_named or not any(field in one.required for one in SHAPE_FIELDS.values()))


def _of_none(field: str, chosen: Iterable[TrialsSpec]) -> str:
    here = ", ".join(dict.fromkeys(trials.scenario for trials in chosen))
    having = [scenario for scenario, fields in SHAPE_FIELDS.items() if field in fields.required]
    having += [scenario for scenario, fields in SHAPE_FIELDS.items() if field in fields.optional]
    return f"--{option(field)} is of {', '.join(having)}, and of nothing that is measured here: {here}"


def option(field: str) -> str:
    """Return the option that names a field of the shape, without its dashes."""
    return "rtt" if field == "rtt_ms" else field.replace("_", "-")


def for_all(chosen: Iterable[TrialsSpec]) -> list[TrialsSpec]:
    """Return the trials without clients of their own, for clients that the user named.

    A block that the suite makes for some clients of its own is the usual block of its scenario and shape for them.
    """
    return [trials.model_copy(update={"clients": (), "block": None}) if trials.clients else trials for trials in chosen]
