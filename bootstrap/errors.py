"""What can go wrong in set-up; every error says what failed and what to do next.

BootstrapError
├── RequestError      the request is not valid (exit 2)
├── CannotContinue    the harness itself cannot be set up (exit 3)
├── StepFailed        a step's command failed
└── Missing           a command is not on this machine and could not be brought
"""

from pathlib import Path


class BootstrapError(Exception):
    """The root of this tree."""


class RequestError(BootstrapError):
    """The request is not valid."""


class StepFailed(BootstrapError):  # noqa: N818 - says what happened
    """A step's command failed; the package manager's own decisive sentence and the log's place."""

    def __init__(self, sentence: str, log: Path) -> None:
        """Keep both for whoever reports it."""
        super().__init__(sentence)
        self.sentence = sentence
        self.log = log


class Missing(BootstrapError):  # noqa: N818 - says what happened
    """Something is not on this machine; why, and what to do."""

    def __init__(self, sentence: str, advice: str) -> None:
        """Keep both for whoever reports it."""
        super().__init__(sentence)
        self.sentence = sentence
        self.advice = advice


class CannotContinue(Missing):
    """Without this the harness cannot be set up, so nothing can."""
