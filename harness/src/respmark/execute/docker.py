"""Runners in containers: one container for each runner process of a trial, driven through its standard streams."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from respmark.containers.engine import Images
from respmark.containers.project import SHARE, CpuCounter, Project
from respmark.contract.lines import Description
from respmark.errors import ContainerError, RunnerFailedError, RunnerMissingError
from respmark.execute.inquiry import NAME, inquire, write_workload
from respmark.execute.local import LocalExecutor
from respmark.execute.process import start_program
from respmark.execute.protocol import TrialRequest
from respmark.execute.runner import LocalRunner
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian

CHECKOUT: Final = "/respmark"
"""Where images have what the checkout has: the same command starts a runner in both."""
DOCKER_FAILED: Final = frozenset({125, 126, 127})
"""Exit codes of docker itself, which no runner uses."""


class DockerExecutor(LocalExecutor):
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
        super().__init__(runners, clients, guardian)
        self._share = share
        self._project = project
        self._images = images

    @property
    def services(self) -> list[str]:
        """Return the compose services of the runners that can be started."""
        answered = [runner for (runner, _), one in self._answers.items() if isinstance(one, Description)]
        return list(dict.fromkeys(answered))

    def start(self, request: TrialRequest) -> LocalRunner:
        """Start a container with one runner process, and give it its trial."""
        return super().start(replace(request, workload=Path(SHARE, request.workload.name)))

    def _spawn(self, client: Client) -> "DockerRunner":
        try:
            self._images.build(self._project.docker, client.runner)
        except ContainerError as error:
            raise RunnerMissingError(str(error)) from error
        runner, name = self._runners[client.runner], self._project.new_name(client.runner)
        command = self._project.run_command(client.runner, name, runner.command_for(client, Path(CHECKOUT)))
        return DockerRunner(command, self._guardian, self._project, name, runner.compilers)

    def _inquire(self, client: Client) -> Description:
        if not (self._share / NAME).exists():
            write_workload(self._share)
        spec, runner = self._clients[client.runner, client.library], self._runners[client.runner]
        return inquire(self._spawn(client), client, spec, runner, Path(SHARE))

    def _missing(self, client: Client, said: str) -> str:
        if client.version is None:
            return f"the container of `{client.runner}`: {said}"
        return (
            f"the image of `{client.runner}` has no {client.library} {client.version} that runs "
            f"(`docker compose build --no-cache {client.runner}` shows why): {said}"
        )


class DockerRunner(LocalRunner):
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

    def end(self, limit_s: float) -> None:
        """Let it close, wait for its orderly end, and remove the container."""
        super().end(limit_s)
        self._removed = self._project.remove(self._name)

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
