"""The specs of client libraries and of their runners, which are all that `list` needs."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from respmark.errors import SpecError
from respmark.paths import SPECS
from respmark.specs.client import ClientSpec
from respmark.specs.loader import Spec, load
from respmark.specs.runner import RunnerSpec


@dataclass(frozen=True)
class Libraries:
    """The specs under `folder`; each file is read when it is first asked for."""

    folder: Path = SPECS

    @cached_property
    def clients(self) -> dict[str, ClientSpec]:
        """Every client library, by name."""
        return {spec.library: spec for spec in self._all("clients", ClientSpec)}

    @cached_property
    def runners(self) -> dict[str, RunnerSpec]:
        """Every runner, by name."""
        return {spec.name: spec for spec in self._all("runners", RunnerSpec)}

    def _all(self, kind: str, model: type[Spec]) -> list[Spec]:
        found = [load(path, model) for path in sorted((self.folder / kind).glob("*.toml"))]
        if not found:
            raise SpecError(self.folder / kind, "has no specs")
        return found
