"""Every error that respmark raises for its user, with the exit code that it ends with."""

from enum import IntEnum
from pathlib import Path
from typing import ClassVar


class ExitCode(IntEnum):
    """Exit codes of the command `respmark`."""

    OK = 0
    SOME_FAILED = 1
    INVALID_REQUEST = 2
    NOTHING_RAN = 3
    TARGET_UNREACHABLE = 4
    NOT_WRITTEN = 5
    FAULT = 70
    INTERRUPTED = 130


class RespmarkError(Exception):
    """Base of all: says what failed, where, and what to do next."""

    exit_code: ClassVar[ExitCode] = ExitCode.SOME_FAILED


class InvalidRequestError(RespmarkError):
    """The command line or a spec asks for something that does not exist."""

    exit_code = ExitCode.INVALID_REQUEST


class WorkloadFileError(InvalidRequestError):
    """A workload file cannot be read."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} is not a usable workload file: {problem}")


class SpecError(InvalidRequestError):
    """A spec file is not valid."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class TargetError(RespmarkError):
    """The target cannot be reached, refused us, or is in a state in which nothing can be measured."""

    exit_code = ExitCode.TARGET_UNREACHABLE


class TargetLostError(TargetError):
    """The target answered before and does not answer now."""


class AnotherServerError(TargetError):
    """Where the target was, another server answers."""


class NothingRanError(RespmarkError):
    """Nothing could be measured here."""

    exit_code = ExitCode.NOTHING_RAN


class RunFolderError(RespmarkError):
    """A run's folder cannot be written or read."""

    exit_code = ExitCode.NOTHING_RAN


class ResultsLostError(RunFolderError):
    """Something was measured, and not all of it could be written."""

    exit_code = ExitCode.NOT_WRITTEN
