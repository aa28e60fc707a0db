"""Every error that respmark raises for its user, with the exit code that it leads to.

The tree is complete: no other module of the package defines an exception, except for those that never leave their own
folder. Each class says what has happened; the message of each error says where, and what to do next.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import ClassVar, Final


class ExitCode(IntEnum):
    """Exit codes of the command `respmark`."""

    OK = 0
    SOME_FAILED = 1
    INVALID_REQUEST = 2
    NOTHING_RAN = 3
    SERVER_UNREACHABLE = 4
    NOT_WRITTEN = 5
    UNEXPECTED = 70
    INTERRUPTED = 130


MEANS: Final = {
    ExitCode.OK: "all measured",
    ExitCode.SOME_FAILED: (
        "some trials failed, or a client is missing that was named (the tables still appear), or `--fail-on` found a "
        "regression"
    ),
    ExitCode.INVALID_REQUEST: "the request is not valid",
    ExitCode.NOTHING_RAN: "nothing could run",
    ExitCode.SERVER_UNREACHABLE: "the server cannot be reached or refused",
    ExitCode.NOT_WRITTEN: "not all results, or not the whole report, could be written",
    ExitCode.UNEXPECTED: "an unexpected error",
    ExitCode.INTERRUPTED: "interrupted",
}
"""What the exit codes mean, in the words of the help; the rows of the README's table begin with the same words."""
_OF_A_RUN: Final = {
    ExitCode.OK: "all measured",
    ExitCode.SOME_FAILED: "some trials failed, or a client is missing that was named; the tables still appear",
    ExitCode.NOTHING_RAN: MEANS[ExitCode.NOTHING_RAN],
    ExitCode.SERVER_UNREACHABLE: MEANS[ExitCode.SERVER_UNREACHABLE],
    ExitCode.NOT_WRITTEN: MEANS[ExitCode.NOT_WRITTEN],
}
_OF_COMMANDS: Final[Mapping[str, Mapping[ExitCode, str]]] = {
    **dict.fromkeys(("run", "versions", "bisect", "cold-start", "micro"), _OF_A_RUN),
    "compare": {
        ExitCode.SOME_FAILED: "`--fail-on` found a regression",
        ExitCode.NOTHING_RAN: "`--fail-on` found nothing to compare",
    },
    "verdict": {ExitCode.NOTHING_RAN: "the runs measured none of the claims"},
    "conform": {
        ExitCode.OK: "nothing deviates",
        ExitCode.SOME_FAILED: "something deviates",
        ExitCode.NOTHING_RAN: "nothing could be tried",
        ExitCode.SERVER_UNREACHABLE: MEANS[ExitCode.SERVER_UNREACHABLE],
    },
    "trace": {
        ExitCode.SOME_FAILED: "the trial failed",
        ExitCode.SERVER_UNREACHABLE: MEANS[ExitCode.SERVER_UNREACHABLE],
    },
    "triage": {
        ExitCode.SOME_FAILED: "a node was lost, or `--fail-on` found something of that severity",
        ExitCode.SERVER_UNREACHABLE: MEANS[ExitCode.SERVER_UNREACHABLE],
    },
    "doctor": {ExitCode.SERVER_UNREACHABLE: MEANS[ExitCode.SERVER_UNREACHABLE]},
    "setup": {ExitCode.SOME_FAILED: "something is missing that was named, or that RESPMARK_REQUIRE names"},
    "clean": {
        ExitCode.NOTHING_RAN: "Docker cannot be asked, or a run is measuring",
        ExitCode.SERVER_UNREACHABLE: MEANS[ExitCode.SERVER_UNREACHABLE],
    },
}


def codes_of(command: str) -> dict[ExitCode, str]:
    """Return the exit codes that a command can have, and what they mean there."""
    every = {ExitCode.OK: "done", ExitCode.NOT_WRITTEN: "the output could not be written"}
    always = {code: MEANS[code] for code in (ExitCode.INVALID_REQUEST, ExitCode.UNEXPECTED, ExitCode.INTERRUPTED)}
    return dict(sorted({**every, **always, **_OF_COMMANDS.get(command, {})}.items()))


class RespmarkError(Exception):
    """Base of all: an error says what failed, where, and what to do next."""

    exit_code: ClassVar[ExitCode] = ExitCode.SOME_FAILED


class InvalidRequestError(RespmarkError):
    """The command line or a spec asks for something that does not exist."""

    exit_code = ExitCode.INVALID_REQUEST


class SpecError(InvalidRequestError):
    """A spec file is not valid."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class ServerError(RespmarkError):
    """The server cannot be reached, refused us, or is in a state in which nothing can be measured."""

    exit_code = ExitCode.SERVER_UNREACHABLE


class ServerLostError(ServerError):
    """The server answered before and does not answer now."""


class AnotherServerError(ServerError):
    """Another server answers where the server was."""


class InfoError(ServerError):
    """The server's INFO does not contain what evidence is made from, or not in a form that can be read."""


class PortTakenError(ServerError):
    """Another program has taken the port since we found it free."""


class NothingRanError(RespmarkError):
    """Nothing could be measured here."""

    exit_code = ExitCode.NOTHING_RAN


class ContainerError(NothingRanError):
    """Docker could not do what was needed."""


class RunFolderError(RespmarkError):
    """A run's folder cannot be written or read."""

    exit_code = ExitCode.NOTHING_RAN


class ResultsLostError(RunFolderError):
    """Something was measured, and not all of it could be written."""

    exit_code = ExitCode.NOT_WRITTEN


class OutputError(RespmarkError):
    """Standard output, or a file that was asked for, cannot be written."""

    exit_code = ExitCode.NOT_WRITTEN


class RunnerMissingError(RespmarkError):
    """The runner, or the client in it, is not installed here."""


class RunnerFailedError(RespmarkError):
    """The runner ended, hung (and was ended), or said something that is not in the contract."""

    def __init__(self, message: str, stderr: Sequence[str] = ()) -> None:
        """`stderr` has its last lines."""
        super().__init__(message)
        self.stderr = tuple(stderr)


class ClientLostServerError(RunnerFailedError):
    """The runner's library lost its server, or was refused by it."""


class RunnerHungError(RunnerFailedError):
    """The runner did not answer, and was ended."""


class UnsupportedError(RunnerFailedError):
    """The runner says that this machine, or this server, cannot do what the trial asks for."""


class WireError(RespmarkError):
    """A connection carries something that is not RESP as we know it."""
