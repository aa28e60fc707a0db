"""All specs of a folder, by name. Specs are TOML: each is read once, into a frozen model."""

import json
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from respmark import paths
from respmark.contract.base import Message
from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError, SpecError
from respmark.nearest import nearest_first
from respmark.redaction import redacted
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.each_client import of_each_client
from respmark.specs.each_option import trials_of_options
from respmark.specs.guidance import GuidanceSpec, Named, check_claims
from respmark.specs.names import Name, name_parts
from respmark.specs.naming import find_clients
from respmark.specs.one_thread import BusiestShares, OneThread
from respmark.specs.own import check_free, language_of, named
from respmark.specs.runner import RunnerSpec
from respmark.specs.scenario import ScenarioSpec, ScenarioSpecs
from respmark.specs.server import ContainerServer, ServerSpec, SpawnedServer, UrlServer
from respmark.specs.sockets import FILE, EveryLibrarysSockets, LibrarySockets
from respmark.specs.suite import SuiteSpec
from respmark.specs.toml import read_toml, value_of, with_like
from respmark.workload.from_toml import completed, expanded
from respmark.workload.spec import WorkloadSpec

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Spec = TypeVar("Spec", bound=Message)
Table = dict[str, Any]
SERVERS: Final = "servers.toml"
"""Has every server that has a name."""
USUAL_SERVER: Final = "spawned"
"""The server that is started where none is named."""
OF_LANGUAGES: Final = "quick"
"""The suite that is measured of the libraries of one language, under the name of the language."""
FLOOR: Final = "floor"
"""The tag of libraries that show what a command costs without a language's runtime."""
VERSION: Final = re.compile(r"(redis|valkey)@[0-9.]+")
NOBODY: Final[Mapping[str, Collection[str]]] = MappingProxyType({})
COUNTED: Final = ("primaries", "replicas", "sentinels")
"""Options of a server that are numbers of nodes."""
SHOWN: Final = 200
"""The most characters of a value in a message."""


@dataclass(frozen=True)
class Catalogue:
    """All specs under `folder`; one is given by its name, or as a path that ends in .toml."""

    folder: Path = field(default_factory=paths.specs)

    @cached_property
    def clients(self) -> dict[str, ClientSpec]:
        """Every client library, by name."""
        return {spec.library: spec for spec in self.every_client.values() if not spec.hidden}

    @cached_property
    def pins(self) -> dict[str, str]:
        """The version of each library that is measured where none is named; empty: it has none."""
        return {spec.library: spec.version for spec in self.clients.values()}

    @cached_property
    def colors(self) -> dict[str, int]:
        """The number of each library's colour in charts, where it has its own."""
        return {spec.library: spec.color for spec in self.clients.values() if spec.color is not None}

    @cached_property
    def every_client(self) -> dict[ClientKey, ClientSpec]:
        """Every client, by runner and name; each language has one named `null`, which is no library."""
        return {(spec.runner, spec.library): spec for spec in self._read.values() if isinstance(spec, ClientSpec)}

    @cached_property
    def broken(self) -> dict[str, SpecError]:
        """What is wrong with the files of clients that are left out for it, by library: the others are as they were."""
        return {path.parent.name: error for path, error in self._read.items() if isinstance(error, SpecError)}

    @cached_property
    def _read(self) -> dict[Path, ClientSpec | SpecError]:
        """Every client, or what is wrong with its file, by the path of that."""
        shipped = {path: path.parents[2].name for path in sorted(self._languages.glob("*/clients/*/client.toml"))}
        own = paths.own_clients()
        check_free(own, (path.parent.name for path in shipped))
        of_language = {**shipped, **dict.fromkeys((folder / "client.toml" for folder in own), "")}
        return {path: self._spec(path, language) for path, language in of_language.items()}

    def _spec(self, path: Path, language: str) -> ClientSpec | SpecError:
        """Return what a file says of a client of a language; without one, the file names it."""
        try:
            content = read_toml(path)
            return self._client((language or language_of(path, content), path.parent.name), path, content)
        except SpecError as error:
            return error

    def _client(self, key: ClientKey, path: Path, content: Table) -> ClientSpec:
        language, library = key
        if language not in self.runners:
            raise SpecError(
                path, f"there is no language `{language}`; there are: {nearest_first(language, self.runners)}"
            )
        runner = self.runners[language]
        original = content.get("adapter_of", content.get("like", ""))
        content = with_like(
            content, lambda other: read_toml(self._languages / language / "clients" / other / "client.toml")
        )
        if isinstance(rows := content.get("cannot"), list):
            content["cannot"] = [_named(row, library) if isinstance(row, dict) else row for row in rows]
        own, of_runner = content.get("capabilities", {}), runner.capabilities.model_dump()
        given = {
            "version_order": runner.version_order,
            "version_places": [place.model_dump() for place in runner.environment.version_places],
            "runner": language,
            "library": library,
            "adapter_of": original,
        }
        capabilities = {**of_runner, **own} if isinstance(own, dict) else own
        return check(path, {**content, **given, "capabilities": capabilities}, ClientSpec)

    @cached_property
    def sockets(self) -> dict[str, LibrarySockets]:
        """What each library that was measured asks of the kernel for its connections, by library."""
        path = self.folder / FILE
        content = json.loads(path.read_bytes()) if path.is_file() else {"libraries": {}}
        return check(path, content, EveryLibrarysSockets).libraries

    def named(self, names: Iterable[str]) -> list[Client]:
        """Return the clients that names mean, each once; no reference is the first, which others are compared with."""
        found = [client for name in names for client in self._found(name)]
        found.sort(key=lambda client: not client.capabilities.is_library)
        return list({client.name: client for client in found}.values())

    def _found(self, name: str) -> list[Client]:
        if (library := name_parts(name).base) in self.broken:
            raise self.broken[library]
        return find_clients(name, self.clients)

    def spec_of(self, client: Client) -> ClientSpec:
        """Return the spec of the client's library."""
        return self.every_client[client.runner, client.library]

    @property
    def _languages(self) -> Path:
        """Return where the languages' folders are; another folder of specs may have its own."""
        return self.folder if any(self.folder.glob("*/runner.toml")) else paths.sources()

    @cached_property
    def runners(self) -> dict[str, RunnerSpec]:
        """Every runner, by name."""
        files = {path.parent.name: path for path in sorted(self._languages.glob("*/runner.toml"))}
        return {name: check(path, {**read_toml(path), "name": name}, RunnerSpec) for name, path in files.items()}

    @property
    def languages(self) -> list[str]:
        """Return the names of the runners of client libraries."""
        return [name for name, runner in self.runners.items() if runner.capabilities.is_library]

    @cached_property
    def suites(self) -> dict[str, str]:
        """The summary of each suite, by name."""
        files = {name: self.folder / "suites" / f"{name}.toml" for name in self.names("suites")}
        return {name: str(read_toml(path).get("summary", "")) for name, path in files.items()}

    def names(self, kind: str) -> list[str]:
        """Return the names of all specs of a kind."""
        if kind == "workloads":
            return sorted(self._workloads)
        if kind == "servers":
            return sorted(self._servers)
        return sorted(path.stem for path in (self.folder / kind).glob("*.toml"))

    @cached_property
    def _workloads(self) -> dict[str, tuple[Path, Table]]:
        """The table of each workload, and its file; a file with a `name` is one workload."""
        files = {path: read_toml(path) for path in sorted((self.folder / "workloads").glob("*.toml"))}
        families = [(path, content) for path, content in files.items() if "name" not in content]
        found = {name: (path, table) for path, content in families for name, table in content.items()}
        return found | {path.stem: (path, content) for path, content in files.items() if "name" in content}

    @cached_property
    def _servers(self) -> dict[str, Table]:
        return read_toml(self.folder / SERVERS)

    @cached_property
    def scenarios(self) -> dict[Scenario, ScenarioSpec]:
        """Every scenario's definition."""
        path = self.folder / "scenarios.toml"
        return check(path, {"scenarios": read_toml(path)}, ScenarioSpecs).scenarios

    @cached_property
    def one_thread(self) -> OneThread:
        """Which clients work with one thread."""
        path = self.folder / "one-thread.toml"
        return OneThread(check(path, {"shares": read_toml(path)}, BusiestShares).shares)

    def suite(self, name: str) -> SuiteSpec:
        """Return a suite, or that of a language; one that is made of guidance has no trials yet."""
        if self._is_of_language(name):
            return self._suite_of(self.runners[name])
        path = self._path("suites", name)
        spec = check(path, self._suite_table(path), SuiteSpec)
        if not spec.options:
            return spec
        return spec.model_copy(update={"trials": tuple(trials_of_options(self.clients.values(), self.scenarios))})

    def _suite_table(self, path: Path) -> Table:
        table = with_folders(read_toml(path), path.parent)
        return with_like(table, lambda name: self._suite_table(self._path("suites", name)))

    def _is_of_language(self, suite: str) -> bool:
        return suite in self.languages and suite not in self.names("suites")

    def _suite_of(self, runner: RunnerSpec) -> SuiteSpec:
        """Return the suite of a language; raises InvalidRequestError if no client library of it is here."""
        if not any(spec.runner == runner.name for spec in self.clients.values()):
            raise InvalidRequestError(
                f"there is no client library of {runner.language} here: docs/adding-a-client.md says how to add one"
            )
        path = self._path("suites", OF_LANGUAGES)
        summary = f"`{OF_LANGUAGES}` of every {runner.language} client"
        floor = [name for name, spec in self.clients.items() if FLOOR in spec.tags and spec.runner != runner.name]
        clients = [f"{runner.name}/*", *floor]
        own = {"name": runner.name, "summary": summary, "clients": clients}
        return check(path, {**self._suite_table(path), **own}, SuiteSpec)

    def guidance(self, name: str, others: Collection[str] = ()) -> GuidanceSpec:
        """Return what one source claims; if it is about everyone, of these other clients, too."""
        path = self._path("guidance", name)
        given = load(path, GuidanceSpec)
        try:
            spec = of_each_client(given, self.clients, self.workload, others)
        except InvalidRequestError as error:
            raise SpecError(path, str(error)) from error
        check_claims(path, spec, self.clients, {"workload": self.workload, "server": self.server})
        return spec

    def claims(self, sources: Iterable[str] = (), others: Mapping[str, Collection[str]] = NOBODY) -> list[Named]:
        """Return every claim of these sources, or of all of them; raises what `guidance` does.

        `others` are clients besides those that a source names, by its name, if it is about everyone.
        """
        names = tuple(sources) or self.names("guidance")
        specs = (self.guidance(name, others.get(name, ())) for name in names)
        return [(spec, claim) for spec in specs for claim in spec.claims]

    def workload(self, name: str, beside: Path | None = None) -> WorkloadSpec:
        """Return a workload by its name, also with settings (`quick[value_bytes=300]`), or its path from `beside`."""
        if name.endswith(".toml"):
            path = beside / name if beside else Path(name)
            name, table = path.stem, read_toml(path)
        elif "[" in name:
            parts = Name.parse(name)
            path, base = self._workload_table(parts.base)
            summary = f"{base.get('summary', '')}; {parts.settings[1:-1]}"
            table = {
                "summary": summary,
                **{key: value_of(text) for key, text in parts.values.items()},
                "like": parts.base,
            }
        else:
            path, table = self._workload_table(name)
        try:
            given = completed(self._workload_of(table))
        except ValueError as error:
            raise SpecError(path, f"workload `{name}`: a command has {str(error).lower()}") from error
        return check(path, {"name": name, **given}, WorkloadSpec)

    def _workload_table(self, name: str) -> tuple[Path, Table]:
        if name not in self._workloads:
            raise self._unknown("workloads", name)
        return self._workloads[name]

    def _workload_of(self, table: Table) -> Table:
        return with_like(expanded(table), lambda name: self._workload_of(self._workload_table(name)[1]))

    def server(self, name: str) -> ServerSpec:
        """Return a server by its name, from a path that ends in .toml, from a program's path, or from a URL."""
        if "://" in name:
            return UrlServer(name="url", summary="a server that was already running", url=name)
        parts = Name.parse(name)
        found = self._named_server(parts.base)
        if not parts.settings:
            return found
        if not isinstance(found, SpawnedServer):
            raise InvalidRequestError(
                f"--server {name}: options are for servers that respmark starts as processes, such as `spawned`"
            )
        return configured(found, parts)

    def _named_server(self, name: str) -> ServerSpec:
        if name.endswith(".toml"):
            path, given = Path(name), read_toml(Path(name))
        elif name in self._servers:
            path, given = self.folder / SERVERS, self._server_table(name)
        else:
            return self._program(name)
        if "service" in given:
            return check(path, given, ContainerServer)
        return check(path, given, UrlServer) if "url" in given else check(path, given, SpawnedServer)

    def _server_table(self, name: str) -> Table:
        return with_like(self._servers[name], self._server_table) | {"name": name}

    def _program(self, name: str) -> SpawnedServer:
        program = shutil.which(name)
        if program is None and ({":", "@"} & set(name)) and not VERSION.fullmatch(name):
            # Not shown: it may contain a password.
            raise InvalidRequestError(
                "--server looks like a URL but has no scheme; write redis://, rediss:// or unix://"
            )
        if program is None:
            raise InvalidRequestError(
                f"there is no server `{name}`; there are: {', '.join(self.names('servers'))}; or give the path of a "
                "server's program, a URL (redis://, rediss://, unix://), or a .toml file"
            )
        usual = check(self.folder / SERVERS, self._server_table(USUAL_SERVER), SpawnedServer)
        return usual.model_copy(update={"name": name, "program": str(Path(program).absolute())})

    def suite_folder(self, name: str) -> Path:
        """Return the folder to which the paths in a suite are relative."""
        return self._path("suites", OF_LANGUAGES if self._is_of_language(name) else name).parent

    def _path(self, kind: str, name: str) -> Path:
        if name.endswith(".toml"):
            return Path(name)
        if name not in self.names(kind):
            raise self._unknown(kind, name)
        return self.folder / kind / f"{name}.toml"

    def _unknown(self, kind: str, name: str) -> InvalidRequestError:
        names = [*self.names(kind), *(self.languages if kind == "suites" else ())]
        noun, known = kind.removesuffix("s"), nearest_first(name, names)
        return InvalidRequestError(f"there is no {noun} `{name}`; there are: {known} (or give a .toml file)")


def _named(row: Table, library: str) -> Table:
    """Return a row of `cannot` with the library's name: a fork has those of its original."""
    why = row.get("why")
    return {**row, "why": why.replace("{library}", library)} if isinstance(why, str) else row


def with_folders(table: Table, beside: Path) -> Table:
    """Return a suite's table with names of clients for their folders, whose paths begin at the suite's."""
    found = {key: [with_folders(one, beside) for one in table[key]] for key in ("trials",) if key in table}
    return {**table, **found, **({"clients": named(table["clients"], beside)} if "clients" in table else {})}


def configured(spec: SpawnedServer, name: Name) -> SpawnedServer:
    """Return a server with what its name says in brackets: fields of its spec, and the server's own settings."""
    given = name.values
    own: Table = {setting: given.pop(setting) for setting in ("transport", "allocator") if setting in given}
    own |= {setting: value_of(given.pop(setting)) for setting in COUNTED if setting in given}
    if "sentinels" in own:
        own.setdefault("replicas", 1)
    settings = {**spec.settings, **given}
    try:
        return SpawnedServer.model_validate({**spec.model_dump(), **own, "name": str(name), "settings": settings})
    except ValidationError as error:
        (where, problem) = error.errors()[0]["loc"], error.errors()[0]["msg"]
        said = problem.removeprefix("Value error, ")
        raise InvalidRequestError(
            f"--server {name}: {' '.join(map(str, where))} {said}".replace(":  ", ": ")
        ) from error


def dump(spec: Message) -> dict[str, object]:
    """Return a spec as plain data, for the manifest."""
    return spec.model_dump(mode="json")


def load(path: Path, model: type[Spec]) -> Spec:
    """Return the spec in `path`."""
    return check(path, read_toml(path), model)


def check(path: Path, content: dict[str, object], model: type[Spec]) -> Spec:
    """Return `content` as a model; `path` is only for the message."""
    try:
        # By way of JSON, for which a list may be a tuple and a name an enumeration; all other types must match exactly.
        return model.model_validate_json(json.dumps(content, default=str))
    except ValidationError as error:
        raise SpecError(path, "; ".join(_described(detail, model) for detail in error.errors())) from error


def _described(detail: "ErrorDetails", model: type[BaseModel]) -> str:
    key = ".".join(f"[{part + 1}]" if isinstance(part, int) else part for part in detail["loc"]) or "the file"
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
