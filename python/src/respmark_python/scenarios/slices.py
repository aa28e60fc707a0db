"""What every scenario does around its loops: start, verify, work for a slice."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from respmark_python.clients.session import Session
from respmark_python.contract.events import LocalCache, Segment, Slice, Work
from respmark_python.contract.orders import SliceOrder
from respmark_python.recorder.moment import closing_moment, opening_moment
from respmark_python.recorder.samples import Samples
from respmark_python.scenarios.failures import Failures
from respmark_python.verification.verifier import Verifier
from respmark_python.workload.commands import Command
from respmark_python.workload.walker import Walker

MESSAGE_LENGTH: Final = 500


class Slices:
    """The slices of a trial: its walkers, and the samples and failures of their threads or tasks."""

    def __init__(self, session: Session, walkers: Sequence[Walker], samples: Sequence[Samples]) -> None:
        self.session = session
        self.walkers = walkers
        self.samples = samples
        """As many for each walker: number i belongs to walker i mod n. The same holds for failures."""
        self.failures = [Failures(session.failures, done) for done in samples]
        self.walks: list[Iterator[Command]] = []
        """Each walker's units in the slice under way."""
        self.cache_before: LocalCache | None = None
        """What the client's own cache had done when the last slice, or the verification, ended."""

    def start(self) -> None:
        """Start threads or tasks, which then wait for work."""

    def work(self, end_ns: int) -> None:
        """Perform units until `end_ns`, and complete what is in flight."""
        raise NotImplementedError

    def perform(self, unit: Command) -> Any:
        """Perform one unit and return what it returns."""
        call, value = unit[1]
        return call(unit[0]) if value is None else call(unit[0], value)

    def verify(self, verifier: Verifier, commands: int) -> int:
        """Perform whole units of the first walker until `commands` commands are done, and check every reply."""
        walker, done = self.walkers[0], 0
        first, units = walker.first(0), walker.units(0)
        while done < commands:
            try:
                reply = self.perform(next(units))
            except self.session.failures as error:
                raise verifier.failure(first + done, error) from error
            done += verifier.check(first + done, walker.replies(reply), walker.per_unit)
        self.cache_before = self.session.local_cache()
        return done

    def work_slice(self, trial_id: str, order: SliceOrder) -> Slice:
        """Work for one slice."""
        self.walks = [walker.units(order.first_command) for walker in self.walkers]
        for failures in self.failures:
            failures.begin_slice()
        cache_before = self.cache_before
        started = opening_moment()
        if order.lead_in_ns:
            self.work(started.at_ns + order.lead_in_ns)
        lead_in = [samples.end_part(keep=False) for samples in self.samples]
        measured_from = opening_moment()
        self.work(measured_from.at_ns + order.duration_ns)
        ended = closing_moment()
        measured = [samples.end_part(keep=order.keep_samples) for samples in self.samples]
        for samples in self.samples:
            samples.end_slice()
        self.cache_before = self.session.local_cache()
        return Slice(
            trial_id=trial_id,
            slice=order.slice,
            started=started,
            measured_from=measured_from,
            ended=ended,
            lead_in=self._work_of(lead_in),
            measured=self._work_of(measured),
            segments=self._segments(order.first_command, lead_in, measured),
            errors=sum((failures.errors for failures in self.failures if failures.errors), Counter()),
            first_error=self._first_error(),
            local_cache=_between(cache_before, self.cache_before),
        )

    def _work_of(self, units: Sequence[int]) -> Work:
        return Work(sum(units) * self.walkers[0].per_unit, sum(units))

    def _segments(self, first_command: int, lead_in: Sequence[int], measured: Sequence[int]) -> list[Segment]:
        count = len(self.walkers)
        return [
            Segment(walker.first(first_command), (sum(lead_in[i::count]) + sum(measured[i::count])) * walker.per_unit)
            for i, walker in enumerate(self.walkers)
        ]

    def _first_error(self) -> str | None:
        errors = [failures.first_error for failures in self.failures if failures.first_error]
        return f"{type(errors[0]).__name__}: {errors[0]}"[:MESSAGE_LENGTH] if errors else None


def _between(before: LocalCache | None, after: LocalCache | None) -> LocalCache | None:
    return None if before is None or after is None else after.since(before)
