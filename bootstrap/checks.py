"""Run test runners and linters with their output visible, and give an account of them at the end."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from bootstrap import steps
from bootstrap.machine import Command, Finished
from bootstrap.model import SIDE_BY_SIDE, Check
from bootstrap.prepare import Part, Prepared
from bootstrap.worksite import Site

PYTHON = ".build/harness/bin/python"
TESTS = (
    Check("bootstrap", (PYTHON, "-m", "pytest", "bootstrap/tests")),
    Check("harness", (PYTHON, "-m", "pytest", *SIDE_BY_SIDE, "harness/tests")),
)
LINTS = (
    Check("bootstrap: ruff format", (".build/harness/bin/ruff", "format", "--check", "bootstrap")),
    Check("bootstrap: ruff check", (".build/harness/bin/ruff", "check", "bootstrap")),
    Check("bootstrap: mypy", (PYTHON, "-m", "mypy", "--strict", "bootstrap")),
    Check("harness: ruff format", ("../.build/harness/bin/ruff", "format", "--check", "."), "harness"),
    Check("harness: ruff check", ("../.build/harness/bin/ruff", "check", "."), "harness"),
    Check("harness: mypy", ("../.build/harness/bin/python", "-m", "mypy"), "harness"),
    Check("harness: import rules", ("../.build/harness/bin/lint-imports",), "harness"),
)


@dataclass(frozen=True)
class Row:
    """One test runner's line of the account."""

    name: str
    failed: bool
    seconds: float = 0.0
    note: str = ""


def test(site: Site, prepared: Prepared) -> bool:
    """Run every test of every language present; tell whether all passed."""
    rows = [_tested(check, None, site, prepared) for check in TESTS]
    rows += [_language_tested(part, site, prepared) for part in prepared.parts]
    rows += _lacking(prepared, rows)
    width = max(len(row.name) for row in rows)
    site.screen.say()
    for row in rows:
        result = "failed" if row.failed else "passed" if row.seconds else "not run"
        site.screen.say(f"{row.name:<{width}}  {result:<7}  {row.seconds:>6.1f} s  {row.note}".rstrip())
    failed = [row.name for row in rows if row.failed]
    site.screen.say(f"\nfailed: {'; '.join(failed)}" if failed else "\nall tests passed")
    return not failed


def _language_tested(part: Part, site: Site, prepared: Prepared) -> Row:
    if missing := part.undeveloped:
        note = f"{missing.language} is missing: {missing.sentence}"
        return Row(part.language.name, prepared.requires(part.language), note=note)
    return _tested(part.language.tests, part, site, prepared)


def _tested(check: Check, part: Part | None, site: Site, prepared: Prepared) -> Row:
    site.screen.say(f"\n--- tests: {check.name}")
    start = time.monotonic()
    code = _shown(check, part, site, prepared).code
    return Row(check.name, code != 0, time.monotonic() - start, f"exit code {code}" if code else "")


def _lacking(prepared: Prepared, rows: list[Row]) -> Iterator[Row]:
    """Add a failed line for each required language that is missing in a way no line says yet."""
    told = {row.name for row in rows if row.failed}
    for name in prepared.lacking:
        if name not in told:
            yield Row(f"{name} (required)", failed=True, note=_whats_missing(name, prepared))


def _whats_missing(name: str, prepared: Prepared) -> str:
    language = name.partition("@")[0]
    missing = [one for part in prepared.parts if part.language.name == language for one in part.missing]
    return f"{missing[0].language} is missing: {missing[0].sentence}" if missing else f"there is no folder {language}/"


def lint(site: Site, prepared: Prepared) -> bool:
    """Run every linter of every language present; tell whether all are content."""
    wrong = [check.name for check in LINTS if not _linted(check, None, site, prepared)]
    for part in prepared.parts:
        wrong += _language_linted(part, site, prepared)
    wrong += [f"{name} is required and not wholly here" for name in prepared.lacking]
    site.screen.say(f"\nlint: {'; '.join(wrong)}" if wrong else "\nlint: nothing to object to")
    return not wrong


def _language_linted(part: Part, site: Site, prepared: Prepared) -> list[str]:
    if missing := part.undeveloped:
        site.screen.say(f"\n--- {part.language.name} is not linted: {missing.sentence}")
        return []
    return [check.name for check in part.language.lints if not _linted(check, part, site, prepared)]


def _linted(check: Check, part: Part | None, site: Site, prepared: Prepared) -> bool:
    site.screen.say(f"\n--- {check.name}")
    return _shown(check, part, site, prepared).code == 0


def _shown(check: Check, part: Part | None, site: Site, prepared: Prepared) -> Finished:
    log = site.layout.log(check.name.replace(": ", "-").replace(" ", "-") + ("-tests" if ":" not in check.name else ""))
    log.unlink(missing_ok=True)
    return site.machine.show(_command(check, part, site, prepared), log)


def _command(check: Check, part: Part | None, site: Site, prepared: Prepared) -> Command:
    words = part.tools.words if part else {}
    argv = tuple(steps.fill(word, words) for word in check.command)
    variables = {"PATH": site.path, "npm_config_update_notifier": "false"} | (
        dict(part.language.variables) if part else {}
    )
    if prepared.server:
        variables["RESPMARK_SERVER"] = str(prepared.server)
    if sys.stdout.isatty():
        variables["FORCE_COLOR"] = "1"
    return Command(argv, site.layout.root / check.folder, variables)
