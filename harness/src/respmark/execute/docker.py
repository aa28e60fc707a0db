"""Runners in containers: one container for each runner process of a trial, driven through its standard streams."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, Self

from respmark.containers.accounting import CpuCounter
from respmark.containers.images import Images
from respmark.containers.project import SHARE, Project
from respmark.contract.description import Description
from respmark.contract.trial import TrialRequest
from respmark.errors import ContainerError, NoDescriptionError, RunnerFailedError, RunnerMissingError
from respmark.evidence.kernel import peak_memory_bytes
from respmark.execute.contract3 import Contract3Process, beside
from respmark.execute.inquiry import NAME, inquire, write_workload
from respmark.execute.process import LocalProcess, start_program
from respmark.execute.protocol import RunnerProcess
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian

CHECKOUT: Final = "/respmark"
"""Where images have what the checkout has: the same command starts a runner in both."""
DOCKER_FAILED: Final = frozenset({125, 126, 127})
"""Exit codes of docker itself, which no runner uses."""


class DockerExecutor:
    """Starts each runner process in its own container."""

    def __init__(
        self,
        runners: Mapping[str, RunnerSpec],
        clients: Mapping[ClientKey, ClientSpec],
        project: Project,
        images: Images,
        guardian: Guardian,
        *,
        share: Path,
    ) -> None:
        """`clients` are those that the runners drive; `share` is the folder that their containers see."""
        self._runners = runners
        self._clients = clients
        self._share = share
        self._project = project
        self._images = images
        self._guardian = guardian
        self._started: list[DockerProcess] = []
        self._descriptions: dict[tuple[str, str], Description | RunnerMissingError] = {}

    def describe(self, client: Client) -> Description:
        """Build the image and return what its runner says of this client, asking once."""
        key = (client.runner, client.name)
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

    def start(self, client: Client, request: TrialRequest) -> RunnerProcess:
        """Start a container with one runner process, and give it its trial."""
        self._build(client)
        process = self._spawn(client, self._project.new_name(client.runner))
        self._started.append(process)
        workload = f"{SHARE}/{Path(beside(request.workload.path)).name}"
        return Contract3Process(process, request, self._clients[client.runner, client.library], workload)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.kill()

    def _spawn(self, client: Client, name: str) -> "DockerProcess":
        runner = self._runners[client.runner]
        command = self._project.run_command(client.runner, name, runner.command_for(client, Path(CHECKOUT)))
        return DockerProcess(command, self._guardian, self._project, name, runner.compilers)

    def _build(self, client: Client) -> None:
        try:
            self._images.build(self._project.docker, client.runner)
        except ContainerError as error:
            raise RunnerMissingError(str(error)) from error

    def _ask(self, client: Client) -> Description | RunnerMissingError:
        name = self._project.new_name(client.runner)
        try:
            self._build(client)
            return self._inquire(client, name)
        except RunnerMissingError as error:
            return error
        except NoDescriptionError as error:
            return RunnerMissingError(_missing(client, str(error)))
        finally:
            self._project.remove(name)

    def _inquire(self, client: Client, name: str) -> Description:
        if not (self._share / NAME).exists():
            write_workload(self._share)
        spec, runner = self._clients[client.runner, client.library], self._runners[client.runner]
        return inquire(self._spawn(client, name), client, spec, runner, f"{SHARE}/{NAME}")


def _missing(client: Client, said: str) -> str:
    if client.version is None:
        return f"the container of `{client.runner}`: {said}"
    return (
        f"the image of `{client.runner}` has no {client.library} {client.version} that runs "
        f"(`docker compose build --no-cache {client.runner}` shows why): {said}"
    )


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

    def next_line(self, limit_s: float) -> bytes:
        """Return the next line; after the first one, `loaded`, the container's CPU counter can be read."""
        line = super().next_line(limit_s)
        if self._counter is None:
            self._counter = self._project.cpu_counter(self._name)
        return line

    def cpu_ns(self) -> int | None:
        """Return the CPU time that the container's control group counts."""
        return None if self._counter is None else self._counter.read_ns()

    def threads_ns(self) -> None:
        """Return None: a control group does not count by thread."""

    def _pids(self) -> list[int]:
        return [] if self._counter is None else self._counter.pids()

    def peak_memory_bytes(self) -> int | None:
        """Return the peak memory of the container's largest process, by the kernel's count."""
        return max(filter(None, map(peak_memory_bytes, self._pids())), default=None)

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
        if error.runner_exit_code in DOCKER_FAILED and error.stderr:
            message = f"the container did not start: {error.stderr[-1]}"
            return RunnerFailedError(message, error.runner_exit_code, error.stderr)
        return error
