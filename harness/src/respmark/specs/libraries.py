"""The specs of client libraries and of their runners, which are all that `list` needs."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from respmark.errors import SpecError
from respmark.paths import HARNESS, SOURCES, SPECS
from respmark.specs.client import Client, ClientSpec
from respmark.specs.loader import Spec, check, load, read_toml
from respmark.specs.runner import RunnerSpec


@dataclass(frozen=True)
class Libraries:
    """The specs under `folder`; each file is read when it is first asked for."""

    folder: Path = SPECS

    @cached_property
    def clients(self) -> dict[str, ClientSpec]:
        """Every client library, by name."""
        found = [load(path, ClientSpec) for path in sorted((self.folder / "clients").glob("*.toml"))]
        found += [spec for spec in self._of_folders if not spec.hidden]
        return {spec.library: spec for spec in _some(found, self.folder / "clients")}

    def hidden(self, runner: str) -> dict[str, ClientSpec]:
        """Return what a language has that is no library, such as the client that does nothing, by name."""
        return {spec.library: spec for spec in self._of_folders if spec.hidden and spec.runner == runner}

    def spec_of(self, client: Client) -> ClientSpec:
        """Return the spec of the client's library."""
        return self.clients.get(client.library) or self.hidden(client.runner)[client.library]

    @cached_property
    def runners(self) -> dict[str, RunnerSpec]:
        """Every runner, by name."""
        found = [load(path, RunnerSpec) for path in sorted((self.folder / "runners").glob("*.toml"))]
        files = sorted(self._languages.glob("*/runner.toml"))
        found += [check(path, {**read_toml(path), "name": path.parent.name}, RunnerSpec) for path in files]
        return {spec.name: spec for spec in _some(found, self.folder / "runners")}

    @cached_property
    def _of_folders(self) -> list[ClientSpec]:
        found = []
        for path in sorted(self._languages.glob("*/clients/*/client.toml")):
            named = {"library": path.parent.name, "runner": path.parents[2].name}
            found.append(check(path, {**read_toml(path), **named}, ClientSpec))
        return found

    @property
    def _languages(self) -> Path:
        """Return where the languages' folders are; another folder of specs may have clients and runners of its own."""
        has_own = self.folder != HARNESS / "specs" and any((self.folder / "runners").glob("*.toml"))
        return self.folder if has_own else SOURCES


def _some(found: list[Spec], folder: Path) -> list[Spec]:
    if not found:
        raise SpecError(folder, "has no specs")
    return found
