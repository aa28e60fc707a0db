"""Runners in containers: one container for each runner process of a trial, driven through its standard streams."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, Self

from respmark.containers.accounting import CpuCounter
from respmark.containers.errors import meaning
from respmark.containers.images import Images
from respmark.containers.project import SHARE, Project
from respmark.contract.description import Description
from respmark.contract.events import Loaded
from respmark.contract.trial import TrialRequest
from respmark.errors import ContainerError, NoDescriptionError, RunnerFailedError, RunnerMissingError
from respmark.execute.local import ask
from respmark.execute.process import LocalProcess, start_program
from respmark.execute.protocol import RunnerEvent
from respmark.specs.client import Client
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian

CHECKOUT: Final = "/respmark"
"""Where images have what the checkout has: the same command starts a runner in both."""
DESCRIBE_LIMIT_S: Final = 60.0
DOCKER_FAILED: Final = frozenset({125, 126, 127})
"""Exit codes of docker itself, which no runner uses."""


class DockerExecutor:
    """Starts each runner process in its own container."""

    def __init__(self, runners: Mapping[str, RunnerSpec], project: Project, images: Images, guardian: Guardian) -> None:
        self._runners = runners
        self._project = project
        self._images = images
        self._guardian = guardian
        self._started: list[DockerProcess] = []
        self._descriptions: dict[tuple[str, str], Description | RunnerMissingError] = {}

    def describe(self, client: Client) -> Description:
        """Build the image and return its runner's description, asking once for each environment."""
        key = (client.runner, client.environment)
        if key not in self._descriptions:
            self._descriptions[key] = self._ask(client)
        answer = self._descriptions[key]
        if isinstance(answer, RunnerMissingError):
            raise answer
        return answer

    @property
    def services(self) -> list[str]:
        """Return the compose services of the runners that can be started."""
        answered = [key[0] for key, answer in self._descriptions.items() if isinstance(answer, Description)]
        return list(dict.fromkeys(answered))

    def start(self, client: Client, request: TrialRequest) -> "DockerProcess":
        """Start a container with one runner process, and give it its trial."""
        self._build(client)
        name = self._project.new_name(client.runner)
        compilers = self._runners[client.runner].compilers
        process = DockerProcess(self._command(client, name, "run"), self._guardian, self._project, name, compilers)
        self._started.append(process)
        process.send(in_container(request).model_dump_json())
        return process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.kill()

    def _command(self, client: Client, name: str, verb: str) -> list[str]:
        words = self._runners[client.runner].command_for(client, Path(CHECKOUT))
        return self._project.run_command(client.runner, name, [*words, verb])

    def _build(self, client: Client) -> None:
        try:
            self._images.build(self._project.docker, client.runner)
        except ContainerError as error:
            raise RunnerMissingError(str(error)) from error

    def _ask(self, client: Client) -> Description | RunnerMissingError:
        name = self._project.new_name(client.runner)
        try:
            self._build(client)
            process = start_program(self._command(client, name, "describe"))
            return ask(process, self._guardian, DESCRIBE_LIMIT_S)
        except RunnerMissingError as error:
            return error
        except NoDescriptionError as error:
            return RunnerMissingError(_missing(client, meaning(str(error)) or str(error)))
        finally:
            self._project.remove(name)


def _missing(client: Client, said: str) -> str:
    if client.version is None:
        return f"the container of `{client.runner}`: {said}"
    return (
        f"the image of `{client.runner}` has no {client.library} {client.version} that runs "
        f"(`docker compose build --no-cache {client.runner}` shows why): {said}"
    )


def in_container(request: TrialRequest) -> TrialRequest:
    """Return the request as the container needs it: the workload file is in the mounted folder."""
    path = f"{SHARE}/{Path(request.workload.path).name}"
    return request.model_copy(update={"workload": request.workload.model_copy(update={"path": path})})


class DockerProcess(LocalProcess):
    """One runner in a container; the process here is docker's client, which passes on its streams."""

    def __init__(
        self, command: list[str], guardian: Guardian, project: Project, name: str, compilers: Collection[str] = ()
    ) -> None:
        super().__init__(start_program(command), guardian, compilers)
        self._project = project
        self._name = name
        self._removed = False
        self._counter: CpuCounter | None = None

    def next_event(self, limit_s: float) -> RunnerEvent:
        """Return the next event; after `loaded`, the container's CPU counter can be read."""
        event = super().next_event(limit_s)
        if isinstance(event, Loaded):
            self._counter = self._project.cpu_counter(self._name)
        return event

    def cpu_ns(self) -> int | None:
        """Return the CPU time that the container's control group counts."""
        return None if self._counter is None else self._counter.read_ns()

    def threads_ns(self) -> None:
        """Return None: a control group does not count by thread."""

    def _pids(self) -> list[int]:
        return [] if self._counter is None else self._counter.pids()

    def peak_memory_bytes(self) -> None:
        """Return None: a container's processes have other IDs outside."""

    def wait(self, limit_s: float) -> None:
        """Let it close, wait for its orderly end, and remove the container."""
        super().wait(limit_s)
        self._remove()

    def kill(self) -> None:
        """Remove the container, then end docker's client, which alone would leave the container running."""
        if self._removed:
            return
        there = self._project.remove(self._name)
        super().kill()
        if not there:
            # It may have been created after we asked and before its client ended.
            self._project.remove(self._name)
        self._removed = True

    def _remove(self) -> None:
        self._removed = self._project.remove(self._name)

    def _ended_early(self) -> RunnerFailedError:
        error = super()._ended_early()
        if self._project.killed_for_memory(self._name):
            message = (
                "the container was killed for memory: the runner wanted more than it may have; raise "
                "RESPMARK_RUNNER_MEMORY (docs/containers.md), or use a smaller workload"
            )
            return RunnerFailedError(message, error.runner_exit_code, error.stderr)
        if error.runner_exit_code in DOCKER_FAILED and (known := meaning("\n".join(error.stderr))):
            return RunnerFailedError(f"the container did not start: {known}", error.runner_exit_code, error.stderr)
        return error
