"""What a runner can do here: a trial line, and the end of its input after the answer."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.lines import ClientDescription, Description, Loaded
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.errors import NoDescriptionError, RunnerFailedError, UnsupportedError
from respmark.execute.protocol import TrialRequest
from respmark.execute.runner import CONTRACT, LocalRunner
from respmark.specs.client import Client, ClientSpec
from respmark.specs.naming import RESP2, RESP3
from respmark.specs.runner import RunnerSpec
from respmark.workload import columns
from respmark.workload.spec import CommandSpec, KeyArgument, SizeSpec, WorkloadSpec
from respmark.workload.workload import generate

NAME: Final = "inquiry.columns"
"""Name of the workload file that goes with an inquiry."""
LIMIT_S: Final = 30.0
SMALL: Final = WorkloadSpec(
    name="inquiry",
    summary="one GET",
    commands=1,
    preload_keys=1,
    sizes=SizeSpec(mean_bytes=1, standard_deviation_bytes=0, min_bytes=1, max_bytes=1),
    mix=(CommandSpec(name="GET", share=1, keys=1, arguments=(KeyArgument(),)),),
)


def write_workload(folder: Path) -> None:
    """Write the file that goes with an inquiry."""
    columns.write(generate(SMALL, seed=0), folder / NAME)


def inquire(process: LocalRunner, client: Client, spec: ClientSpec, runner: RunnerSpec, folder: Path) -> Description:
    """Return what a runner that has just been started loads for this client, and end it.

    `folder` is where the runner sees the workload file. Raises NoDescriptionError if it cannot load the client.
    """
    nowhere, adapter = Endpoint(host="127.0.0.1", port=1), spec.of_version(client.version).adapter
    loaded = Loaded(contract=CONTRACT, versions={})
    try:
        process.give(TrialRequest(client, Scenario.SYNC, Shape(), folder / NAME, nowhere), adapter)
        with suppress(UnsupportedError):
            loaded = process.load(LIMIT_S)
        process.end(LIMIT_S)
    except RunnerFailedError as error:
        raise NoDescriptionError(error.stderr[-1] if error.stderr else str(error)) from error
    finally:
        process.kill()
    if loaded.contract != CONTRACT:
        raise NoDescriptionError(f"the runner keeps contract {loaded.contract}, this harness {CONTRACT}")
    return _description(client, spec, runner, loaded)


def _description(client: Client, spec: ClientSpec, runner: RunnerSpec, loaded: Loaded) -> Description:
    described = ClientDescription(
        library=client.library,
        version=loaded.versions.get(client.library, client.version or spec.version),
        dependencies={
            name: one for name, one in loaded.versions.items() if name not in {client.library, runner.runtime}
        },
        options={name: list(values) for name, values in spec.of_version(client.version).options.items()},
        protocol=RESP3 if loaded.settings.get("protocol", spec.protocol) == RESP3 else RESP2,
        scenarios=spec.of_version(client.version).scenarios,
        differences=[*spec.differs, *runner.differs],
    )
    return Description(
        schema_version=SCHEMA_VERSION,
        runner=runner.name,
        runtime=runner.runtime,
        runtime_version=loaded.versions.get(runner.runtime, ""),
        clients=[described],
    )
