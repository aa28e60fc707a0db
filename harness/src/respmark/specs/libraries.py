"""The specs of client libraries and of their runners, which are all that `list` needs."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from respmark.errors import SpecError
from respmark.paths import HARNESS, SOURCES, SPECS
from respmark.specs.client import Client, ClientKey, ClientSpec
from respmark.specs.loader import Spec, check, load, read_toml
from respmark.specs.runner import RunnerSpec


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
