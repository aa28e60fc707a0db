"""What each library asks of the kernel for its connections as installed: writes `specs/sockets.json`.

    .build/harness/bin/python harness/bench/sockets.py [--library NAME]...

Starts each library's runner, lets it connect in scenario `sync` and answer a few commands, and reads the settings of
its sockets. What is not set up here, or not asked for, keeps what the file says. `make differences` then writes the
table of docs/differences.md. Nothing is timed, so the machine may be busy.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from respmark.contract.trial import Scenario, Shape
from respmark.errors import RespmarkError, RunnerFailedError
from respmark.files import write_whole
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Executor, TrialRequest
from respmark.servers.server import open_server
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.naming import make_client
from respmark.specs.sockets import FILE, EveryLibrarysSockets, LibrarySockets
from respmark.workload import columns
from respmark.workload.workload import generate

COMMANDS = 20
LIMIT_S = 60.0


def measured(executor: Executor, request: TrialRequest) -> LibrarySockets:
    """Return what a client asks for.

    Raises:
        RunnerMissingError: it is not set up.
        RunnerFailedError: it ended, did not answer with the line that was due, or has no connection that can be seen.
    """
    process = executor.start(request)
    loaded = process.load(LIMIT_S)
    process.connect(LIMIT_S)
    process.echo(COMMANDS, LIMIT_S)
    found = process.sockets()
    process.end(LIMIT_S)
    if not found:
        message = "none of its connections can be seen"
        raise RunnerFailedError(message)
    return LibrarySockets(version=loaded.versions[request.client.library], sockets=tuple(found))


def of_each(specs: Iterable[ClientSpec], catalogue: Catalogue) -> Iterator[tuple[str, LibrarySockets]]:
    """Yield what each library asks for; print why one cannot be measured."""
    with (
        closing(Guardian()) as guardian,
        guarded_folder(guardian, "sockets") as folder,
        closing(open_server(catalogue.server(USUAL_SERVER), guardian, allow_flush=True)) as server,
        LocalExecutor(catalogue.runners, catalogue.every_client, guardian) as executor,
    ):
        path = folder / "conform.columns"
        columns.write(generate(catalogue.workload("conform"), seed=1), path)
        for spec in specs:
            client = make_client(spec, None, {})
            try:
                request = TrialRequest(client, Scenario.SYNC, Shape(), path, server.endpoint)
                yield spec.library, measured(executor, request)
            except RespmarkError as error:
                print(f"{spec.library}: {error}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one library after another, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append")
    chosen, catalogue = parser.parse_args(arguments).library, Catalogue()
    libraries = (spec for spec in catalogue.clients.values() if spec.capabilities.is_library)
    found = dict(catalogue.sockets)
    for library, sockets in of_each((one for one in libraries if not chosen or one.library in chosen), catalogue):
        print(f"{library} {sockets.version}: {'; '.join(str(one.settings) for one in sockets.sockets)}")
        found[library] = sockets
    made = EveryLibrarysSockets(libraries=dict(sorted(found.items())))
    write_whole(catalogue.folder / FILE, made.model_dump_json(indent=1, exclude_defaults=True).encode() + b"\n")


if __name__ == "__main__":
    main()
