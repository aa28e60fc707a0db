"""Failed units are counted, and lose the target when nothing succeeds between them."""

import json
from time import monotonic_ns

import pytest

from paths import GOLDEN
from respmark_python.contract import limits
from respmark_python.recorder.moment import SECOND_NS
from respmark_python.recorder.samples import Samples, make_samples
from respmark_python.scenarios import failures as failures_module
from respmark_python.scenarios.failures import Failures, LostError


@pytest.fixture
def samples() -> Samples:
    """Return the samples of one thread."""
    return make_samples(1)[0]


@pytest.fixture
def failures(samples: Samples) -> Failures:
    """Return the failures of one thread."""
    return Failures((Exception,), samples)


def test_the_limits_are_the_contracts() -> None:
    """They are the same in every language."""
    assert json.loads((GOLDEN / "limits.json").read_text()) == {
        "failures_in_a_row": limits.FAILURES_IN_A_ROW,
        "silence_ms": limits.SILENCE_NS // 1_000_000,
        "pool_wait_ms": limits.POOL_WAIT_S * 1_000,
    }


def test_so_many_failures_in_a_row_lose_the_target(samples: Samples, failures: Failures) -> None:
    """The 25th failed unit in a row ends the trial, however many slices they are spread over."""
    for _ in range(24):
        failures.failed(OSError("gone"), 0, monotonic_ns())
        samples.end_part(keep=False)
        failures.begin_slice()
    with pytest.raises(LostError, match="25 units in a row failed"):
        failures.failed(OSError("gone"), 0, monotonic_ns())


def test_failing_for_long_loses_the_target(failures: Failures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds in units that fail end the trial, however few they are; waiting between slices does not count."""
    readings = iter([4 * SECOND_NS, 104 * SECOND_NS, 204 * SECOND_NS])
    monkeypatch.setattr(failures_module, "monotonic_ns", lambda: next(readings))
    failures.failed(OSError("gone"), 3, 0)
    failures.failed(OSError("gone"), 3, 100 * SECOND_NS)
    with pytest.raises(LostError, match="3 units in a row"):
        failures.failed(OSError("gone"), 3, 201 * SECOND_NS)


def test_a_success_in_between_is_patience_renewed(
    samples: Samples, failures: Failures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failures with successes between them do not lose the target."""
    readings = iter([8 * SECOND_NS, 16 * SECOND_NS])
    monkeypatch.setattr(failures_module, "monotonic_ns", lambda: next(readings))
    failures.failed(OSError("gone"), 3, 0)
    samples.index = 4
    samples.end_part(keep=False)
    failures.failed(OSError("gone"), 0, 8 * SECOND_NS)
    assert failures.errors == {"OSError": 2}


def test_errors_are_those_of_a_slice(failures: Failures) -> None:
    """Each slice counts its own errors, and tells its own first."""
    failures.failed(ValueError("one"), 0, monotonic_ns())
    failures.failed(OSError("two"), 0, monotonic_ns())
    assert (dict(failures.errors), str(failures.first_error)) == ({"ValueError": 1, "OSError": 1}, "one")
    failures.begin_slice()
    assert (dict(failures.errors), failures.first_error) == ({}, None)
