"""What runners said of themselves, remembered until something is set up or changed: to ask five takes seconds."""

import os
import shutil
from contextlib import ExitStack, closing, suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

from pydantic import ValidationError

from respmark.contract.base import Message
from respmark.contract.description import Description
from respmark.errors import RunnerMissingError
from respmark.execute.missing import Describer
from respmark.files import write_whole
from respmark.paths import BUILD, ROOT
from respmark.specs.client import Client
from respmark.specs.libraries import Libraries

FOLDER: Final = BUILD / "described"


class Answer(Message):
    """What came of asking a runner about a client."""

    made_of: str
    """Changes when the answer may have changed."""
    description: Description | None = None
    missing: str | None = None
    """Why there is no description, and what to do."""


class Remembered:
    """Describes clients as an executor does. For what reads only: whoever measures asks the runner itself."""

    def __init__(self, libraries: Libraries, folder: Path = FOLDER, asked: Describer | None = None) -> None:
        """`asked` asks the runners; default: they are started on this machine."""
        self._libraries = libraries
        self._folder = folder
        self._asked = asked
        self._answers: dict[str, Answer] = {}
        self._started = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._started.close()

    @cached_property
    def _describer(self) -> Describer:
        if self._asked is not None:
            return self._asked
        # Neither loaded nor started while all answers are known, which is nearly always.
        from respmark.execute.local import LocalExecutor  # noqa: PLC0415
        from respmark.target.guardian import Guardian  # noqa: PLC0415

        libraries, guardian = self._libraries, self._started.enter_context(closing(Guardian()))
        return self._started.enter_context(LocalExecutor(libraries.runners, libraries.every_client, guardian))

    def describe(self, client: Client) -> Description:
        """Return the runner's description; see `Executor`."""
        name = f"{client.runner}-{client.name}"
        if name not in self._answers:
            self._answers[name] = self._answer(client, self._folder / f"{name}.json")
        answer = self._answers[name]
        if answer.description is None:
            raise RunnerMissingError(answer.missing)
        return answer.description

    def _answer(self, client: Client, path: Path) -> Answer:
        language = ROOT / client.runner
        command = self._libraries.runners[client.runner].command_for(client)
        made_of = digest(command, language / "runner", language / "clients")
        with suppress(OSError, ValidationError):
            before = Answer.model_validate_json(path.read_bytes())
            if before.made_of == made_of:
                return before
        try:
            answer = Answer(made_of=made_of, description=self._describer.describe(client))
        except RunnerMissingError as error:
            answer = Answer(made_of=made_of, missing=str(error))
        with suppress(OSError):  # where nothing can be written, it is asked again
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, answer.model_dump_json().encode())
        return answer


def digest(command: list[str], *sources: Path, build: Path = BUILD) -> str:
    """Return what changes when a runner, its libraries or its language are set up, changed or removed."""
    program, *arguments = command
    found = shutil.which(program, path=f"{build / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}")
    files = [Path(found).resolve()] if found else []
    files += [Path(argument) for argument in arguments if Path(argument).is_absolute()]
    for folder in (build / "stamp", build / "status", *sources):
        files += [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    return sha256("\0".join([*command, *map(_state, files)]).encode()).hexdigest()


def _state(path: Path) -> str:
    try:
        facts = path.stat()
    except OSError:
        return f"{path} absent"
    return f"{path} {facts.st_size} {facts.st_mtime_ns}"
