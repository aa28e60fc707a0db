"""Look dependencies up in databases of known vulnerabilities, where one can be reached; say so where none can."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bootstrap import advisories, harness, steps
from bootstrap.advisories import Reader, Unchecked
from bootstrap.errors import Missing, StepFailed
from bootstrap.machine import ENDED
from bootstrap.model import Step
from bootstrap.prepare import Prepared
from bootstrap.worksite import Site

LIMIT_S = 60.0
"""For each tool: a database that does not answer must not hold everything up."""
PIP_AUDIT = Step(
    name="audit",
    says="pip-audit of bootstrap/audit.txt",
    commands=(
        ("{uv}", "venv", "--quiet", "--python", "{python}", ".build/audit"),
        ("{uv}", "pip", "install", "--python", ".build/audit/bin/python", "--require-hashes", "-r", "{pin}"),
    ),
    inputs=("bootstrap/audit.txt",),
    makes=".build/audit",
    proof=".build/audit/bin/pip-audit",
)
PINS = ("harness/requirements-dev.txt", "python/requirements-dev.txt", "bootstrap/*.txt")


@dataclass(frozen=True)
class Audit:
    """A language's auditor."""

    name: str
    command: tuple[str, ...]
    folder: str
    read: Reader
    needs: str = ""
    """The command that must be there."""
    variables: Mapping[str, str] | None = None


AUDITS = (
    Audit("node", ("npm", "audit", "--json", "--fetch-retries=0"), "node", advisories.npm_audit, "npm"),
    Audit(
        "php",
        ("composer", "audit", "-vvv", "--format=json", "--no-interaction", "--no-ansi"),
        "php",
        advisories.composer_audit,
        "composer",
        {"COMPOSER_ALLOW_SUPERUSER": "1", "COMPOSER_VENDOR_DIR": "../.build/php/default"},
    ),
    Audit(
        "dotnet",
        ("dotnet", "list", "src", "package", "--vulnerable", "--include-transitive", "--format", "json"),
        "dotnet",
        advisories.dotnet_list,
        "dotnet",
    ),
    Audit(
        "java",
        ("osv-scanner", "scan", "source", "--format", "json", "--recursive", "."),
        "java",
        advisories.osv_scanner,
        "osv-scanner",
    ),
)


def audit(site: Site, prepared: Prepared) -> bool:
    """Print a line a language; tell whether nothing is known to be vulnerable. What is unchecked is no failure."""
    present = {part.language.name for part in prepared.parts}
    rows = [("python", _python(site)), *((one.name, _looked_up(one, site)) for one in AUDITS if one.name in present)]
    site.screen.say("\nknown vulnerabilities of dependencies")
    for name, lines in rows:
        for line in lines or ["none"]:
            site.screen.say(f"{name:<8}{line}")
    return not any(line for _, lines in rows for line in lines if not line.startswith("unchecked: "))


def _python(site: Site) -> list[str]:
    try:
        command = _pip_audit(site)
    except (Missing, StepFailed) as failure:
        return [f"unchecked: {failure.sentence}"]
    return _looked_up(Audit("python", command, ".", advisories.pip_audit), site)


def _pip_audit(site: Site) -> tuple[str, ...]:
    words = {"uv": str(harness.bring_uv(site)), "python": site.machine.interpreter.path, "pin": "bootstrap/audit.txt"}
    steps.do(PIP_AUDIT, words, site.machine.interpreter.identity, site)
    options = ("--disable-pip", "--format", "json", "--progress-spinner", "off", "--timeout", "10")
    return (PIP_AUDIT.proof, *options, *(word for file in _pins(site.layout.root) for word in ("-r", file)))


def _pins(root: Path) -> Iterator[str]:
    for glob in PINS:
        yield from (str(path.relative_to(root)) for path in sorted(root.glob(glob)))


def _looked_up(one: Audit, site: Site) -> list[str]:
    """Give a line for each advisory, or the reason why nobody looked."""
    if one.needs and not site.machine.which(one.needs) and not (site.layout.bin / one.needs).exists():
        return [f"unchecked: {one.needs} not found on PATH"]
    command = site.command(one.command, one.folder, **(one.variables or {}))
    finished = site.machine.run(replace(command, limit_s=LIMIT_S))
    if finished.code == ENDED:
        return [f"unchecked: no answer within {LIMIT_S:.0f} s"]
    try:
        return [advisory.words for advisory in advisories.found(finished.output, one.read)]
    except Unchecked as why:
        return [f"unchecked: {why}"]
