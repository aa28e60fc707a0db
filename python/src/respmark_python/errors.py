"""Every error that ends a trial, with the exit code that the contract gives it."""

from typing import ClassVar


class RunnerError(Exception):
    """Base of all errors: one sentence that says what failed, where, and what to do."""

    exit_code: ClassVar[int] = 1


class WrongReplyError(RunnerError):
    """A reply is not what its command must return: nothing measured with this client would mean anything."""


class InvalidInputError(RunnerError):
    """The trial, its workload file or an order is not valid."""

    exit_code = 2


class UnsupportedError(RunnerError):
    """The trial is valid, but this client cannot express it."""

    exit_code = 3


class TargetError(RunnerError):
    """The target cannot be reached, refused the runner, or was lost."""

    exit_code = 4
