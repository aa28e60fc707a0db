"""The set-up, in its order: uv, harness, server, languages. What is already done costs nothing."""

import fcntl
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap import harness, steps, tools
from bootstrap.errors import Missing, RequestError
from bootstrap.languages import LANGUAGES, Language, read
from bootstrap.machine import Site


@dataclass(frozen=True)
class Prepared:
    """The result of the set-up."""

    languages: tuple[Language, ...] = ()
    missing: Mapping[str, Missing | None] = field(default_factory=dict)
    """For each language and each environment (`python@redis-py-3.5.3`): why it is missing, if it is."""
    server: Path | None = None
    required: tuple[str, ...] = ()
    """What RESPMARK_REQUIRE names: languages, with all their environments, or single environments."""

    @property
    def lacking(self) -> dict[str, str]:
        """What is required but not completely here, and why."""
        return {name: why for name in self.required if (why := self._lacking(name))}

    def _lacking(self, name: str) -> str:
        asked = [one for one in self.missing if one == name.removesuffix("@default") or one.startswith(f"{name}@")]
        why = self._why(*(asked or [name.partition("@")[0]]))
        return why or ("" if asked else f"there is no {name} in this checkout")

    def untestable(self, language: str) -> str:
        """Return why its tests and linters cannot run, if they cannot."""
        return self._why(language, f"{language}@dev")

    def _why(self, *names: str) -> str:
        found = ((name, self.missing.get(name)) for name in names)
        return next((f"{name} is missing: {missing}" for name, missing in found if missing), "")


def prepare(site: Site) -> Prepared:
    """Set everything up, and say what is missing."""
    required = tuple(sorted(site.variables.get("RESPMARK_REQUIRE", "").replace(",", " ").split()))
    if unknown := ", ".join(name for name in required if name.partition("@")[0] not in LANGUAGES):
        raise RequestError(f"RESPMARK_REQUIRE names {unknown}; it can name {', '.join(LANGUAGES)}")
    site.build.mkdir(exist_ok=True)
    with (site.build / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            site.say("Another set-up runs in this checkout; waiting for its end.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        site.log("questions").unlink(missing_ok=True)
        harness.bring(site)
        if site.purpose.startswith("docker"):
            return Prepared()
        server = _server(site) if site.purpose in {"bench", "test"} else None
        languages = tuple(read(name, site.root) for name in LANGUAGES if (site.root / name).is_dir())
        missing = dict(one for language in languages for one in _set_up(language, site))
        private = {f"{one.name}@{step.environment}" for one in languages for step in one.steps if step.purposes}
        _write({name: why for name, why in missing.items() if name not in private}, site.build / "status")
    for name, why in missing.items():
        _tell(name, why, site)
    return Prepared(languages, missing, server, required)


def _server(site: Site) -> Path | None:
    try:
        return harness.find_server(site)
    except Missing as missing:
        _tell("server", missing, site)
        return None


def _set_up(language: Language, site: Site) -> Iterator[tuple[str, Missing | None]]:
    """Do the steps; a failure ends the language, but one in an environment ends only the environment."""
    try:
        foundation = " ".join(tools.identity(path) for need in language.needs for path in tools.find(need, site))
        for step in language.steps:
            if not step.environment:
                steps.do(step, foundation, site)
    except Missing as missing:
        yield language.name, missing
        return
    yield language.name, None
    for step in language.steps:
        if step.environment and site.purpose in (step.purposes or {site.purpose}):
            name = f"{language.name}@{step.environment}"
            try:
                steps.do(step, foundation, site)
                yield name, None
            except Missing as missing:
                yield name, missing


def _write(missing: Mapping[str, Missing | None], folder: Path) -> None:
    """Write the files that the harness reads, each whole or not at all; remove those of what no longer exists."""
    folder.mkdir(exist_ok=True)
    for name, why in missing.items():
        said = {"sentence": why.sentence, "advice": why.advice} if why else {"sentence": "", "advice": ""}
        status = {"language": name, "state": "missing" if why else "ready", **said}
        draft = folder / f"{name}.draft"
        draft.write_text(json.dumps(status, indent=2, ensure_ascii=False) + "\n")
        draft.replace(folder / f"{name}.json")
    for path in folder.glob("*.json"):
        if path.name.removesuffix(".json") not in missing:
            path.unlink()


def _tell(name: str, missing: Missing | None, site: Site) -> None:
    if missing:
        site.say("\n  ".join((f"{name} is missing: {missing}", *missing.advice.splitlines())))
