"""Failed units: how many there are of each kind, and when the target is lost."""

from collections import Counter
from time import monotonic_ns

from respmark_python.contract.limits import FAILURES_IN_A_ROW, SILENCE_NS
from respmark_python.errors import TargetError
from respmark_python.recorder.samples import Samples


class LostError(TargetError):
    """Nothing succeeds any more; `error` is the last failure."""

    def __init__(self, error: Exception, failures: int) -> None:
        super().__init__(f"{failures} units in a row failed")
        self.error = error


class Failures:
    """The failed units of one thread or task; the loops call it only after failures."""

    def __init__(self, kinds: tuple[type[Exception], ...], samples: Samples) -> None:
        self.kinds = kinds
        """What a unit raises when it fails; anything else is a fault of the runner."""
        self.errors: Counter[str] = Counter()
        self.first_error: Exception | None = None
        self._samples = samples
        self._units_at_failure: int | None = None
        self._in_a_row = 0
        self._failing_ns = 0

    def begin_slice(self) -> None:
        """Forget the errors of the slice before."""
        self.errors, self.first_error = Counter(), None

    def failed(self, error: Exception, index: int, then: int) -> int:
        """Count a failed unit that began at `then`, with samples up to `index`; return when it ended.

        Raises:
            LostError: too many units failed in a row, or for too long.
        """
        now, units = monotonic_ns(), self._samples.units_until(index)
        self.errors[type(error).__name__] += 1
        self.first_error = self.first_error or error
        if units != self._units_at_failure:
            self._units_at_failure, self._in_a_row, self._failing_ns = units, 0, 0
        self._in_a_row += 1
        self._failing_ns += now - then
        if self._in_a_row >= FAILURES_IN_A_ROW or self._failing_ns >= SILENCE_NS:
            raise LostError(error, self._in_a_row)
        return now
