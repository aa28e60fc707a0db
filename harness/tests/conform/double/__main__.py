"""`python -m tests.conform.double describe|run`: the runner's main."""

import os
import resource
import sys
import time

from respmark.contract.base import SCHEMA_VERSION, Message
from respmark.contract.description import ClientDescription, Description, ScenarioSupport
from respmark.contract.events import (
    ORDER,
    Connect,
    Latency,
    Loaded,
    Moment,
    Ready,
    Result,
    Segment,
    Slice,
    SliceOrder,
    Work,
)
from respmark.contract.trial import Form, Scenario, TrialRequest, Window
from respmark.evidence.kernel import peak_memory_bytes
from respmark.specs.scenario import sample_covers
from tests.conform.double.honest import TargetLostError, WrongReplyError
from tests.conform.double.liar import Liar
from tests.conform.double.lies import LIES

NO_WORK = Work(operations=0, units=0)
SUPPORT = {
    Scenario.PIPELINING: ScenarioSupport(windows=list(Window)),
    Scenario.TRANSACTION: ScenarioSupport(forms=list(Form)),
}


def main() -> int:
    """Do what is asked; return the exit code."""
    if sys.argv[1:] == ["describe"]:
        say(describe())
        return 0
    try:
        run(TrialRequest.model_validate_json(sys.stdin.readline()))
    except WrongReplyError as error:
        return fail(1, str(error))
    except (TargetLostError, OSError) as error:
        return fail(4, f"the target is lost: {error}")
    return 0


def run(trial: TrialRequest) -> None:
    """Run one trial: obey orders until standard input ends."""
    runner = LIES[str(trial.client.options["lie"])](trial)
    say(Loaded(schema_version=SCHEMA_VERSION, trial_id=trial.trial_id, startup_ns=1))
    kept = kept_ns = 0
    for line in sys.stdin:
        order = ORDER.validate_json(line)
        if isinstance(order, Connect):
            runner.open()
            say(Ready(trial_id=trial.trial_id, connect_ns=1, verified_replies=runner.verify()))
            runner.before_slice()
        elif isinstance(order, SliceOrder):
            answer = runner.claim(work(trial, runner, order))
            kept += answer.measured.units if order.keep_samples else 0
            kept_ns += runner.sampled_ns if order.keep_samples else 0
            say(answer)
            runner.after_slice()
        else:
            say(runner.tell(result(trial, kept, kept_ns)))
    runner.close()


def work(trial: TrialRequest, runner: Liar, order: SliceOrder) -> Slice:
    """Work for one slice."""
    runner.go_to(order.first_command)
    runner.misses = 0
    started = moment()
    lead_in, led_in = part(runner, order.lead_in_ns) if order.lead_in_ns else (NO_WORK, [0] * runner.lanes)
    measured_from = moment()
    measured, done = part(runner, order.duration_ns)
    ended = moment()
    every = zip(runner.firsts, led_in, done, strict=True)
    return Slice(
        trial_id=trial.trial_id,
        slice=order.slice,
        started=started,
        measured_from=measured_from,
        ended=ended,
        lead_in=lead_in,
        measured=measured,
        segments=[Segment(first_command=first, operations=before + after) for first, before, after in every],
        errors=dict(runner.errors),
        first_error=runner.first_error,
        local_cache=runner.local_cache(),
    )


def part(runner: Liar, duration_ns: int) -> tuple[Work, list[int]]:
    """Work for one part of a slice; return what was done, also by walker."""
    runner.units = runner.sampled_ns = 0
    done = runner.walk(duration_ns / 1e9)
    return Work(operations=sum(done), units=runner.units), done


def moment() -> Moment:
    """Return the moment."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    user_ns, system_ns = int(usage.ru_utime * 1e9), int(usage.ru_stime * 1e9)
    return Moment(at_ns=time.monotonic_ns(), cpu_user_ns=user_ns, cpu_system_ns=system_ns)


def result(trial: TrialRequest, kept: int, kept_ns: int) -> Result:
    """Return the result: every unit took as long as any other."""
    mean_ns = kept_ns // max(1, kept)
    histogram = [(mean_ns, kept)] if kept else []
    covers = sample_covers(trial.scenario, trial.shape)
    return Result(
        schema_version=SCHEMA_VERSION,
        trial_id=trial.trial_id,
        latency=Latency(sample_covers=covers, histogram=histogram, max_ns=mean_ns),
        peak_memory_bytes=peak_memory_bytes(os.getpid()) or 0,
        decodes_to="bytes",
        runtime_health={},
        runtime_settings={},
        versions={"double": "1"},
    )


def describe() -> Description:
    """Say what there is."""
    client = ClientDescription(
        library="double",
        version="1",
        options={"lie": list(LIES)},
        scenarios={scenario: SUPPORT.get(scenario, ScenarioSupport()) for scenario in Scenario},
    )
    return Description(
        schema_version=SCHEMA_VERSION,
        runner="double",
        runtime="CPython",
        runtime_version="3",
        clients=[client],
        missing=[],
    )


def say(message: Message) -> None:
    """Print one line of the contract."""
    print(message.model_dump_json(), flush=True)


def fail(code: int, sentence: str) -> int:
    """Say what was wrong."""
    print(sentence, file=sys.stderr)
    return code


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
