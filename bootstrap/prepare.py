"""The set-up, in its order: uv, harness, server, languages. Whatever is done already costs nothing."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bootstrap import debian, harness, status, steps, tools
from bootstrap.errors import Missing, RequestError, StepFailed
from bootstrap.languages import LANGUAGES
from bootstrap.model import CONTAINERS, EVERY, Language, Purpose, Step
from bootstrap.status import Status
from bootstrap.worksite import Site


@dataclass(frozen=True)
class Part:
    """A language after its set-up: its environments' statuses (its own first), and the tools it found."""

    language: Language
    statuses: tuple[Status, ...]
    tools: tools.Tools

    @property
    def missing(self) -> tuple[Status, ...]:
        """What of it cannot be used."""
        return tuple(status for status in self.statuses if status.is_missing)

    @property
    def undeveloped(self) -> Status | None:
        """Why its tests and linters cannot run, if they cannot."""
        names = {self.language.name, f"{self.language.name}@{self.language.development}"}
        return next((status for status in self.missing if status.language in names), None)


@dataclass(frozen=True)
class Prepared:
    """What the set-up came to."""

    parts: tuple[Part, ...]
    server: Path | None
    required: frozenset[str]

    @property
    def lacking(self) -> tuple[str, ...]:
        """What RESPMARK_REQUIRE names and is not wholly here."""
        whole = {part.language.name for part in self.parts if not part.missing}
        single = {_environment(one, part) for part in self.parts for one in part.statuses if not one.is_missing}
        return tuple(sorted(self.required - whole - single))

    def requires(self, language: Language) -> bool:
        """Tell whether RESPMARK_REQUIRE names the language or an environment of it."""
        return any(name.partition("@")[0] == language.name for name in self.required)


def _environment(one: Status, part: Part) -> str:
    """Give the name by which RESPMARK_REQUIRE asks for this environment alone."""
    return f"{one.language}@default" if one.language == part.language.name else one.language


def prepare(site: Site) -> Prepared:
    """Set everything up and tell what is missing."""
    required = _required(site)
    with _alone(site):
        uv = harness.bring_uv(site)
        harness.bring(uv, site)
        if site.purpose in CONTAINERS:
            return Prepared((), None, frozenset())
        server = None if site.purpose is Purpose.LINT else _server(uv, site)
        parts = tuple(_part(language, uv, site) for language in _present(site))
        status.write(tuple(_public(parts)), site.layout)
    for part in parts:
        _tell(part.missing, site)
    return Prepared(parts, server, required)


def _required(site: Site) -> frozenset[str]:
    names = frozenset(filter(None, site.machine.variables.get("RESPMARK_REQUIRE", "").replace(",", " ").split()))
    known = {language.name for language in LANGUAGES}
    if unknown := ", ".join(sorted(name for name in names if name.partition("@")[0] not in known)):
        message = f"RESPMARK_REQUIRE names {unknown}; it can name {', '.join(sorted(known))}"
        raise RequestError(message)
    return names


@contextmanager
def _alone(site: Site) -> Iterator[None]:
    """Let one set-up of this checkout run at a time; the lock goes with the process that holds it."""
    folder = os.open(site.layout.root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            site.screen.say("Another set-up runs in this checkout; waiting for its end.")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _server(uv: Path, site: Site) -> Path | None:
    try:
        return harness.bring_server(uv, site)
    except Missing as missing:
        _tell((Status("server", "missing", missing.sentence, missing.advice),), site)
        return None


def _present(site: Site) -> tuple[Language, ...]:
    return tuple(language for language in LANGUAGES if (site.layout.root / language.name).is_dir())


def _part(language: Language, uv: Path, site: Site) -> Part:
    try:
        found = tools.find(language.needs, uv, site)
    except Missing as missing:
        return Part(language, (Status(language.name, "missing", missing.sentence, missing.advice),), tools.Tools({}))
    return Part(language, tuple(_statuses(language, found, uv, site)), found)


def _statuses(language: Language, found: tools.Tools, uv: Path, site: Site) -> Iterator[Status]:
    """Do the steps; a failure ends the language, but that of an environment only the environment."""
    environments: list[Status] = []
    words = {"uv": str(uv), "python": site.machine.interpreter.path, **found.words}
    for step in steps.expand(language.steps, site):
        ended = _step(step, language, words, f"{site.machine.interpreter.identity} {found.identity}", site)
        if ended.is_missing and not step.environment:
            yield ended
            return
        environments += [ended] if step.environment else []
    yield Status(language.name)
    yield from environments


def _step(step: Step, language: Language, words: dict[str, str], foundation: str, site: Site) -> Status:
    name = f"{language.name}@{step.environment}" if step.environment else language.name
    try:
        if step.packages and not steps.is_done(step, foundation, site):
            debian.bring(step.packages, words, site)
        steps.do(step, words, foundation, site)
    except Missing as missing:
        return Status(name, "missing", missing.sentence, missing.advice)
    except StepFailed as failure:
        advice = f"See {site.layout.shown(failure.log)}; when the cause is gone, run `make setup` again."
        return Status(name, "missing", failure.sentence, advice)
    return Status(name)


def _public(parts: tuple[Part, ...]) -> Iterator[Status]:
    """Give what the harness reads: not the environments that only tests and linters use."""
    for part in parts:
        internal = {step.environment for step in part.language.steps if step.purposes != EVERY}
        names = {f"{part.language.name}@{environment}" for environment in internal}
        yield from (one for one in part.statuses if one.language not in names)


def _tell(missing: tuple[Status, ...], site: Site) -> None:
    for one in missing:
        site.screen.say(f"{one.language} is missing: {one.sentence}")
        for line in one.advice.splitlines():
            site.screen.say(f"  {line}")
