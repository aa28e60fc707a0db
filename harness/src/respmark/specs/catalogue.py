"""All specs of a folder, by name."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from respmark.contract.base import Message
from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError, SpecError
from respmark.paths import HARNESS, ROOT, SPECS
from respmark.specs.claims import Named, check_claims, chosen_claims, made_of_claims
from respmark.specs.client import ClientSpec, Place
from respmark.specs.guidance import GuidanceSpec
from respmark.specs.loader import Spec, check, load, read_toml
from respmark.specs.post import PostSpec
from respmark.specs.runner import RunnerSpec
from respmark.specs.scenario import ScenarioSpec, ScenarioSpecs
from respmark.specs.suite import SuiteSpec
from respmark.specs.target import ContainerTarget, SpawnedTarget, TargetSpec, UrlTarget
from respmark.workload.spec import WorkloadSpec


@dataclass(frozen=True)
class Catalogue:
    """The specs under `folder`; each file is read when it is first asked for."""

    folder: Path = SPECS

    @cached_property
    def scenarios(self) -> dict[Scenario, ScenarioSpec]:
        """Every scenario's definition."""
        path = self.folder / "scenarios.toml"
        return check(path, {"scenarios": read_toml(path)}, ScenarioSpecs).scenarios

    @cached_property
    def clients(self) -> dict[str, ClientSpec]:
        """Every client library, by name."""
        return {spec.library: spec for spec in self.every_client.values() if not spec.hidden}

    @cached_property
    def every_client(self) -> dict[Place, ClientSpec]:
        """Every client, by runner and name; each language has one named `null`, which is no library."""
        specs, languages = self._homes
        found = [load(path, ClientSpec) for path in sorted((specs / "clients").glob("*.toml"))]
        for path in sorted(languages.glob("*/clients/*/client.toml")):
            named = {"library": path.parent.name, "runner": path.parents[2].name}
            found.append(check(path, {**read_toml(path), **named}, ClientSpec))
        return {(spec.runner, spec.library): spec for spec in _some(found, self.folder / "clients")}

    @cached_property
    def runners(self) -> dict[str, RunnerSpec]:
        """Every runner, by name."""
        specs, languages = self._homes
        found = [load(path, RunnerSpec) for path in sorted((specs / "runners").glob("*.toml"))]
        files = sorted(languages.glob("*/runner.toml"))
        found += [check(path, {**read_toml(path), "name": path.parent.name}, RunnerSpec) for path in files]
        return {spec.name: spec for spec in _some(found, self.folder / "runners")}

    @property
    def _homes(self) -> tuple[Path, Path]:
        """Return where clients and runners are, and where the languages' folders; another folder may have its own."""
        has_own = any((self.folder / "runners").glob("*.toml")) or any(self.folder.glob("*/runner.toml"))
        shipped = HARNESS / "specs"
        return (self.folder, self.folder) if has_own and self.folder != shipped else (shipped, ROOT)

    def suite(self, name: str, claims: tuple[str, ...] = ()) -> SuiteSpec:
        """Return a suite by its name, or from a path that ends in .toml; one made of guidance has only these claims.

        Raises:
            SpecError: the suite, or its guidance, cannot be read.
            InvalidRequestError: there is no such suite, or it has no such claim.
        """
        suite = load(self._path("suites", "suite", name), SuiteSpec)
        if not suite.guidance:
            if claims:
                message = f"suite `{suite.name}` is not made of guidance: it has no claims to choose from"
                raise InvalidRequestError(message)
            return suite
        return made_of_claims(suite, chosen_claims(self.claims(suite.guidance), claims), self.clients)

    def guidance(self, name: str) -> GuidanceSpec:
        """Return what one source claims, by its name, or from a path that ends in .toml.

        Raises:
            SpecError: it cannot be read, or a claim names something that does not exist.
        """
        path = self._path("guidance", "guidance", name)
        spec = load(path, GuidanceSpec)
        check_claims(path, spec, self.clients)
        return spec

    def claims(self, sources: Iterable[str] = ()) -> list[Named]:
        """Return every claim of these sources, or of all of them.

        Raises:
            SpecError: as `guidance`.
        """
        specs = map(self.guidance, tuple(sources) or self.names("guidance"))
        return [(spec, claim) for spec in specs for claim in spec.claims]

    def workload(self, name: str, beside: Path | None = None) -> WorkloadSpec:
        """Return a workload by its name, or from a path that ends in .toml, relative to `beside`."""
        if name.endswith(".toml") and beside is not None:
            return load(beside / name, WorkloadSpec)
        return load(self._path("workloads", "workload", name), WorkloadSpec)

    def target(self, name: str) -> TargetSpec:
        """Return a target by its name, from a path that ends in .toml, or from a URL."""
        if "://" in name:
            return UrlTarget(name="url", summary="a server that was already there", url=name)
        if {":", "@"} & set(name):
            # Not shown: it may contain a password.
            message = "--target looks like a URL but has no scheme; write redis://, rediss:// or unix://"
            raise InvalidRequestError(message)
        path = self._path("targets", "target", name)
        given = read_toml(path)
        if "service" in given:
            return load(path, ContainerTarget)
        return load(path, UrlTarget) if "url" in given else load(path, SpawnedTarget)

    def post(self, name: str) -> PostSpec:
        """Return a published post's tables by its name, or from a path that ends in .toml."""
        return load(self._path("post", "post", name), PostSpec)

    def names(self, kind: str) -> list[str]:
        """Return the names of all specs of a kind (`suites`, `workloads`, `targets`)."""
        return sorted(path.stem for path in (self.folder / kind).glob("*.toml"))

    def suite_folder(self, name: str) -> Path:
        """Return the folder to which the paths in a suite are relative."""
        return self._path("suites", "suite", name).parent

    def _path(self, kind: str, noun: str, name: str) -> Path:
        if name.endswith(".toml"):
            return Path(name)
        if name not in self.names(kind):
            message = f"there is no {noun} `{name}`; there are: {', '.join(self.names(kind))} (or give a .toml file)"
            raise InvalidRequestError(message)
        return self.folder / kind / f"{name}.toml"


def _some(found: list[Spec], folder: Path) -> list[Spec]:
    if not found:
        raise SpecError(folder, "has no specs")
    return found


def dump(spec: Message) -> dict[str, object]:
    """Return a spec as plain data, for the manifest."""
    return spec.model_dump(mode="json")
