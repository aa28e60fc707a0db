"""Drives a runner by the lines of `harness/contract.md`; whatever fails is explained in a sentence."""

import base64
import json
from typing import Any, Final

import numpy as np
from pydantic import ValidationError

from respmark.contract.lines import Line, Loaded, Samples, Work, Worked
from respmark.contract.trial import Endpoint
from respmark.errors import RunnerFailedError, TargetError, UnsupportedError
from respmark.execute.process import Program
from respmark.execute.protocol import Latencies, TrialRequest
from respmark.redaction import redacted
from respmark.specs.client import COMMON_OPTIONS
from respmark.target.control import Control, refusal
from respmark.target.url import address

CONTRACT: Final = 3
SAMPLES: Final = 1 << 18
"""How many latencies a runner has room for: 2 MiB, seconds of most scenarios."""
ECHO_BYTES: Final = 1_000_000
HEARD: Final = 300
"""The most characters of a library's words in a sentence."""
TARGET_LOST_EXIT: Final = 4
"""Stands for the exit code of a runner whose server refused it or was lost."""


class LocalRunner(Program):
    """One runner at work on one trial; see `Runner`."""

    _trial: TrialRequest
    _latencies: list[Latencies]
    """Of each slice that kept them."""
    _keeps = False
    """Whether the slice under way does."""
    _kept = 0
    """Latencies in the storage of the walker that has most."""
    _walkers = 1

    def give(self, trial: TrialRequest, adapter: str) -> None:
        """Give it its trial."""
        self._trial = trial
        self._latencies = []
        self.send(_trial_line(trial, adapter))

    def load(self, limit_s: float) -> Loaded:
        """Wait until the library is loaded."""
        found: Loaded = self._line("loaded", limit_s)
        settings = {name: redacted(one) if isinstance(one, str) else one for name, one in found.settings.items()}
        versions = {name: redacted(one) for name, one in found.versions.items()}
        return found.model_copy(update={"versions": versions, "settings": settings})

    def connect(self, limit_s: float) -> None:
        """Let it open its connections."""
        self.send('{"connect": {}}')
        self._explained("connected", limit_s)

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        """Return its replies to the workload's first commands."""
        self.send(json.dumps({"echo": {"commands": commands, "bytes": ECHO_BYTES}}))
        replies: list[Any] = self._explained("replies", limit_s)
        return replies

    def work(self, work: Work) -> None:
        """Let it work for a slice."""
        self._keeps = work.keep
        self.send(json.dumps({"work": work.model_dump()}))

    def worked(self, limit_s: float) -> Worked:
        """Wait until the slice is over; one of nothing but errors ends the trial."""
        found: Worked = self._explained("worked", limit_s)
        errors = dict.fromkeys(map(redacted, found.errors), 0)
        for name, count in found.errors.items():
            errors[redacted(name)] += count
        first_error = found.first_error and redacted(found.first_error)
        if errors and not found.units:
            raise self.failed(lost(self._trial.target, first_error or ", ".join(errors)), TARGET_LOST_EXIT)
        if self._keeps:
            self._kept, self._walkers = self._kept + max(found.measured, default=0), max(1, len(found.measured))
        return found.model_copy(update={"errors": errors, "first_error": first_error})

    def collect(self, limit_s: float) -> None:
        """Take over its latencies, if they fill half of the storage."""
        if self._kept * 2 > SAMPLES // self._walkers:
            self._take_over(limit_s)

    def samples(self, limit_s: float) -> list[Latencies]:
        """Return the latencies of each slice that kept them."""
        self._take_over(limit_s)
        return self._latencies

    def _take_over(self, limit_s: float) -> None:
        self.send('{"samples": {}}')
        found: Samples = self._line("samples", limit_s)
        try:
            latencies = np.frombuffer(base64.b64decode(found.latencies, validate=True), dtype="<f8")
        except ValueError as error:
            raise self.failed(f"the runner's latencies cannot be read: {error}") from error
        if len(latencies) != sum(found.counts):
            raise self.failed(f"the runner hands over {len(latencies):,} latencies, and counts {sum(found.counts):,}")
        if found.dropped:
            raise self.failed(f"the runner had no room for {found.dropped:,} latencies: make the slices shorter")
        self._latencies += np.split(latencies, np.cumsum(found.counts)[:-1]) if found.counts else []
        self._kept = 0

    def _line(self, name: str, limit_s: float) -> Any:  # noqa: ANN401 - each line has its own type
        text = self.next_line(limit_s)
        try:
            line = Line.model_validate_json(text)
        except ValidationError as error:
            shown = redacted(text.decode(errors="replace"))[:200].rstrip()
            problem = error.errors()[0]["msg"]
            raise self.failed(
                f"the runner printed something that is not in the contract ({problem}): {shown}"
            ) from error
        if line.unsupported is not None:
            raise UnsupportedError(redacted(line.unsupported))
        if (found := getattr(line, name)) is None:
            said = ", ".join(line.model_fields_set) or "nothing"
            raise self.failed(f"the runner said `{said}` where `{name}` was due")
        return found

    def _explained(self, name: str, limit_s: float) -> Any:  # noqa: ANN401 - as above
        """Return the next line; if the runner ended in place of it, say why its library did not get on."""
        try:
            return self._line(name, limit_s)
        except UnsupportedError:
            raise
        except RunnerFailedError as error:
            meaning = explain(self._trial.target, error.stderr[-1] if error.stderr else str(error))
            if meaning is None:
                raise
            raise RunnerFailedError(meaning, TARGET_LOST_EXIT, error.stderr) from error


def explain(target: Endpoint, words: str) -> str | None:
    """Return why a library could not do its work; None if its own words do not say so, and the server is well."""
    if known := refusal(words, _shortened(words), target):
        return known
    try:
        with Control(target):
            return None
    except TargetError as error:
        return f"{error}; the runner said: {_shortened(words)}" if words else str(error)


def lost(target: Endpoint, words: str) -> str:
    """Return the sentence for a server with which no unit of a slice succeeded; `words` are the first error's."""
    heard = _shortened(words)
    advice = "see whether it still runs, then run again"
    return refusal(words, heard, target) or (
        f"the target at {address(target)} was lost: no unit of a slice succeeded ({heard}): {advice}"
    )


def _shortened(words: str) -> str:
    return " ".join(words.split())[:HEARD]


def _trial_line(trial: TrialRequest, adapter: str) -> str:
    """Return the trial as a runner reads it; the password is in it."""
    client = trial.client
    return json.dumps(
        {
            "client": client.library,
            "adapter": adapter,
            "options": {name: value for name, value in client.options.items() if name not in COMMON_OPTIONS},
            "scenario": trial.scenario,
            "shape": trial.shape.model_dump(mode="json", exclude_none=True, exclude={"processes", "rtt_ms"}),
            "workload": str(trial.workload),
            "part": trial.part,
            "parts": trial.shape.processes,
            "samples": SAMPLES,
            "target": trial.target.model_dump(mode="json"),
        }
    )
