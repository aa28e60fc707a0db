"""The options that `run` and `plan` share."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from respmark.contract.trial import Scenario
from respmark.plan.expand import Request

Repeated = Parameter(negative=(), consume_multiple=False, show_default=False)


@Parameter(name="*")
@dataclass(frozen=True)
class PlanOptions:
    """What to measure; what is not given is the suite's."""

    client: Annotated[tuple[str, ...], Repeated] = ()
    """A library (all its variants) or one variant, such as `redis-py[parser=python]`; repeats."""
    scenario: Annotated[tuple[Scenario, ...], Repeated] = ()
    """Only this scenario; repeats."""
    depth: Annotated[tuple[int, ...], Repeated] = ()
    """This depth in place of the suite's, where a scenario has one; repeats."""
    rounds: int | None = None
    """How often every trial is measured."""
    measure_s: float | None = None
    """Length of the measured window, in seconds."""
    warmup_s: float | None = None
    """Length of the warm-up, in seconds."""
    target: str | None = None
    """A target's name, or a URL: redis://, rediss://, unix://."""
    workload: str | None = None
    """A workload's name, or a .toml file."""
    seed: int = 1
    """Decides the workload's commands and the order of trials."""

    def request(self, suite: str) -> Request:
        """Return what was asked for."""
        return Request(
            suite=suite,
            clients=self.client,
            scenarios=self.scenario,
            depths=self.depth,
            rounds=self.rounds,
            warmup_s=self.warmup_s,
            measure_s=self.measure_s,
            target=self.target,
            workload=self.workload,
            seed=self.seed,
        )


DEFAULTS = PlanOptions()
