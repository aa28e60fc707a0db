"""Specs are TOML: read once, into frozen models; client libraries and runners are all that most commands need."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from respmark.contract.base import Message
from respmark.errors import SpecError
from respmark.nearest import nearest_first
from respmark.paths import HARNESS, SOURCES, SPECS
from respmark.redaction import redacted
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.runner import RunnerSpec

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Spec = TypeVar("Spec", bound=Message)
SHOWN: Final = 200
"""The most characters of a value in a message."""


def load(path: Path, model: type[Spec]) -> Spec:
    """Return the spec in `path`."""
    return check(path, read_toml(path), model)


def read_toml(path: Path) -> dict[str, object]:
    """Return the tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SpecError(path, "there is no such file") from error
    except tomllib.TOMLDecodeError as error:
        raise SpecError(path, f"is not TOML: {error}") from error
    except (OSError, RecursionError, ValueError) as error:
        # Such as a folder, another encoding, a path with a null character.
        raise SpecError(path, f"cannot be read: {error}") from error


def check(path: Path, content: dict[str, object], model: type[Spec]) -> Spec:
    """Return `content` as a model; `path` is only for the message."""
    try:
        # By way of JSON, for which a list may be a tuple and a name an enumeration; all other types must match exactly.
        return model.model_validate_json(json.dumps(content, default=str))
    except ValidationError as error:
        raise SpecError(path, "; ".join(_described(detail, model) for detail in error.errors())) from error


def _described(detail: "ErrorDetails", model: type[BaseModel]) -> str:
    key = ".".join(_key_parts(detail["loc"])) or "the file"
    if detail["type"] == "extra_forbidden":
        for part in detail["loc"][:-1]:
            field = model.model_fields.get(str(part))
            model = next(_models_in(field.annotation), model) if field else model
        known = nearest_first(str(detail["loc"][-1]), model.model_fields)
        return f"`{key}`: is not a key that respmark knows; it knows: {known}"
    problem = detail["msg"].removeprefix("Value error, ").replace("Input should", "should")
    if detail["type"] in {"missing", "value_error"}:
        return f"`{key}`: {problem}"
    given = redacted(repr(detail["input"]))
    return f"`{key}`: {problem} (is {given if len(given) <= SHOWN else f'{given[:SHOWN]}...'})"


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - a type hint of any kind
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _key_parts(location: tuple[int | str, ...]) -> Iterator[str]:
    for part in location:
        yield f"[{part + 1}]" if isinstance(part, int) else part


@dataclass(frozen=True)
class Libraries:
    """The specs under `folder`; each file is read when it is first asked for."""

    folder: Path = SPECS

    @cached_property
    def clients(self) -> dict[str, ClientSpec]:
        """Every client library, by name."""
        return {spec.library: spec for spec in self.every_client.values() if not spec.hidden}

    @cached_property
    def every_client(self) -> dict[ClientKey, ClientSpec]:
        """Every client, by runner and name; each language has one named `null`, which is no library."""
        specs, languages = self._homes
        found = [load(path, ClientSpec) for path in sorted((specs / "clients").glob("*.toml"))]
        for path in sorted(languages.glob("*/clients/*/client.toml")):
            named = {"library": path.parent.name, "runner": path.parents[2].name}
            found.append(check(path, {**read_toml(path), **named}, ClientSpec))
        return {(spec.runner, spec.library): spec for spec in _some(found, self.folder / "clients")}

    def spec_of(self, client: Client) -> ClientSpec:
        """Return the spec of the client's library."""
        return self.every_client[client.runner, client.library]

    @cached_property
    def runners(self) -> dict[str, RunnerSpec]:
        """Every runner, by name."""
        specs, languages = self._homes
        found = [load(path, RunnerSpec) for path in sorted((specs / "runners").glob("*.toml"))]
        files = sorted(languages.glob("*/runner.toml"))
        found += [check(path, {**read_toml(path), "name": path.parent.name}, RunnerSpec) for path in files]
        return {spec.name: spec for spec in _some(found, self.folder / "runners")}

    def summaries(self, kind: str) -> dict[str, str]:
        """Return the name and the summary of each spec of a kind (`suites`, `workloads`, `targets`)."""
        files = {name: self.folder / kind / f"{name}.toml" for name in self.names(kind)}
        return {name: str(read_toml(path).get("summary", "")) for name, path in files.items()}

    def names(self, kind: str) -> list[str]:
        """Return the names of all specs of a kind."""
        return sorted(path.stem for path in (self.folder / kind).glob("*.toml"))

    @property
    def _homes(self) -> tuple[Path, Path]:
        """Return where clients and runners are, and where the languages' folders; another folder may have its own."""
        has_own = any((self.folder / "runners").glob("*.toml")) or any(self.folder.glob("*/runner.toml"))
        shipped = HARNESS / "specs"
        return (self.folder, self.folder) if has_own and self.folder != shipped else (shipped, SOURCES)


def _some(found: list[Spec], folder: Path) -> list[Spec]:
    if not found:
        raise SpecError(folder, "has no specs")
    return found
