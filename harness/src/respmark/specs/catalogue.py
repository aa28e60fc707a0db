"""All specs of a folder, by name."""

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from respmark.contract.base import Message
from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.nearest import nearest_first
from respmark.specs.claims import Named, check_claims, chosen_claims, made_of_claims
from respmark.specs.guidance import GuidanceSpec
from respmark.specs.libraries import Libraries, check, load, read_toml
from respmark.specs.post import PostSpec
from respmark.specs.scenario import ScenarioSpec, ScenarioSpecs
from respmark.specs.suite import SuiteSpec
from respmark.specs.target import ContainerTarget, SpawnedTarget, TargetSpec, UrlTarget
from respmark.workload.spec import WorkloadSpec

USUAL_SERVER: Final = "spawned"
"""The server that is started where none is named."""
VERSION: Final = re.compile(r"(redis|valkey)@[0-9.]+")


@dataclass(frozen=True)
class Catalogue(Libraries):
    """All specs under `folder`; one is given by its name, or as a path that ends in .toml."""

    @cached_property
    def scenarios(self) -> dict[Scenario, ScenarioSpec]:
        """Every scenario's definition."""
        path = self.folder / "scenarios.toml"
        return check(path, {"scenarios": read_toml(path)}, ScenarioSpecs).scenarios

    def suite(self, name: str, claims: tuple[str, ...] = (), clients: tuple[str, ...] = ()) -> SuiteSpec:
        """Return a suite; of one that is made of guidance only these claims, and what they say about these clients."""
        suite = load(self._path("suites", "suite", name), SuiteSpec)
        if suite.guidance:
            return made_of_claims(suite, chosen_claims(self.claims(suite.guidance), claims), self.clients, clients)
        if claims:
            raise InvalidRequestError(
                f"suite `{suite.name}` is not made of guidance, so --claim chooses nothing: respmark run guidance "
                f"--claim {claims[0]}"
            )
        return suite

    def guidance(self, name: str) -> GuidanceSpec:
        """Return what one source claims."""
        path = self._path("guidance", "guidance", name)
        spec = load(path, GuidanceSpec)
        check_claims(path, spec, self.clients)
        return spec

    def claims(self, sources: Iterable[str] = ()) -> list[Named]:
        """Return every claim of these sources, or of all of them; raises what `guidance` does."""
        specs = map(self.guidance, tuple(sources) or self.names("guidance"))
        return [(spec, claim) for spec in specs for claim in spec.claims]

    def workload(self, name: str, beside: Path | None = None) -> WorkloadSpec:
        """Return a workload; its path is relative to `beside`."""
        if name.endswith(".toml") and beside is not None:
            return load(beside / name, WorkloadSpec)
        return load(self._path("workloads", "workload", name), WorkloadSpec)

    def target(self, name: str) -> TargetSpec:
        """Return a server by its name, from a path that ends in .toml, from a program's path, or from a URL."""
        if "://" in name:
            return UrlTarget(name="url", summary="a server that was already there", url=name)
        base, bracket, options = name.removesuffix("]").partition("[")
        found = self._named_target(base)
        if not bracket:
            return found
        if not isinstance(found, SpawnedTarget):
            raise InvalidRequestError(f"--server {name}: options are for a server that respmark starts")
        return configured(found, name, options)

    def _named_target(self, name: str) -> TargetSpec:
        if not name.endswith(".toml") and name not in self.names("targets"):
            return self._program(name)
        path = self._path("targets", "server", name)
        given = read_toml(path)
        if "service" in given:
            return load(path, ContainerTarget)
        return load(path, UrlTarget) if "url" in given else load(path, SpawnedTarget)

    def _program(self, name: str) -> SpawnedTarget:
        program = shutil.which(name)
        if program is None and ({":", "@"} & set(name)) and not VERSION.fullmatch(name):
            # Not shown: it may contain a password.
            raise InvalidRequestError(
                "--server looks like a URL but has no scheme; write redis://, rediss:// or unix://"
            )
        if program is None:
            raise InvalidRequestError(
                f"there is no server `{name}`; there are: {', '.join(self.names('targets'))}; or give the path of a "
                "server's program, a URL (redis://, rediss://, unix://), or a .toml file"
            )
        usual = load(self._path("targets", "server", USUAL_SERVER), SpawnedTarget)
        return usual.model_copy(update={"name": name, "program": str(Path(program).absolute())})

    def post(self, name: str) -> PostSpec:
        """Return a published post's tables."""
        return load(self._path("post", "post", name), PostSpec)

    def suite_folder(self, name: str) -> Path:
        """Return the folder to which the paths in a suite are relative."""
        return self._path("suites", "suite", name).parent

    def _path(self, kind: str, noun: str, name: str) -> Path:
        if name.endswith(".toml"):
            return Path(name)
        if name not in self.names(kind):
            known = nearest_first(name, self.names(kind))
            raise InvalidRequestError(f"there is no {noun} `{name}`; there are: {known} (or give a .toml file)")
        return self.folder / kind / f"{name}.toml"


def configured(spec: SpawnedTarget, name: str, options: str) -> SpawnedTarget:
    """Return a server with what its name says in brackets: `transport`, `allocator`, and the server's own settings."""
    given = {}
    for option in filter(None, map(str.strip, options.split(","))):
        setting, equals, value = map(str.strip, option.partition("="))
        if not equals:
            raise InvalidRequestError(f"--server {name}: `{option}` has no value; write {option}=VALUE")
        given[setting] = value
    own = {setting: given.pop(setting) for setting in ("transport", "allocator") if setting in given}
    settings = {**spec.settings, **given}
    try:
        return SpawnedTarget.model_validate({**spec.model_dump(), **own, "name": name, "settings": settings})
    except ValidationError as error:
        (where, problem) = error.errors()[0]["loc"], error.errors()[0]["msg"]
        said = problem.removeprefix("Value error, ")
        raise InvalidRequestError(
            f"--server {name}: {' '.join(map(str, where))} {said}".replace(":  ", ": ")
        ) from error


def dump(spec: Message) -> dict[str, object]:
    """Return a spec as plain data, for the manifest."""
    return spec.model_dump(mode="json")
