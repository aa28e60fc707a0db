"""Run test runners and linters with their output visible, and give an account of them at the end."""

import shlex
import sys

from bootstrap.machine import Site
from bootstrap.prepare import Prepared

SILENCE_LIMIT_S = 900.0
"""A test runner that says nothing for so long hangs."""
BIN = ".build/harness/bin"
# Tests wait for processes most of the time; whoever has none left takes another's.
TESTS = {
    "bootstrap": f"{BIN}/python -m pytest bootstrap/tests",
    "harness": f"{BIN}/python -m pytest -n auto --maxprocesses 4 --dist worksteal harness/tests",
}
LINTS = {
    "bootstrap": {
        "ruff format": f"../{BIN}/ruff format --check .",
        "ruff check": f"../{BIN}/ruff check .",
        "mypy": f"../{BIN}/python -m mypy --strict .",
    },
    "harness": {
        "ruff format": f"../{BIN}/ruff format --check .",
        "ruff check": f"../{BIN}/ruff check .",
        "mypy": f"../{BIN}/python -m mypy",
        "import rules": f"../{BIN}/lint-imports",
    },
}


def test(site: Site, prepared: Prepared) -> bool:
    """Run every test of every language present; tell whether all passed."""
    rows = {name: _tested(name, command, ".", site, prepared) for name, command in TESTS.items()}
    for language in prepared.languages:
        name = language.name
        if why := prepared.untestable(name):
            is_required = any(one.partition("@")[0] == name for one in prepared.required)
            rows[name] = ("failed" if is_required else "not run", why)
        else:
            rows[name] = _tested(name, language.tests, name, site, prepared)
    rows |= {name: ("failed", why) for name, why in prepared.lacking.items()}
    site.say()
    for name, (result, note) in rows.items():
        site.say(f"{name:<{max(map(len, rows))}}  {result:<7}  {note}".rstrip())
    failed = [name for name, (result, _) in rows.items() if result == "failed"]
    site.say(f"\nfailed: {'; '.join(failed)}" if failed else "\nall tests passed")
    return not failed


def _tested(name: str, command: str, folder: str, site: Site, prepared: Prepared) -> tuple[str, str]:
    code = _shown(f"tests: {name}", command, folder, site, prepared)
    return ("failed", f"exit code {code}") if code else ("passed", "")


def lint(site: Site, prepared: Prepared) -> bool:
    """Run every linter of every language present; tell whether all are content."""
    lints = {**LINTS}
    for language in prepared.languages:
        if why := prepared.untestable(language.name):
            site.say(f"\n--- {language.name} is not linted: {why}")
        else:
            lints[language.name] = {**language.lints}
    wrong = [
        f"{folder}: {name}"
        for folder, commands in lints.items()
        for name, command in commands.items()
        if _shown(f"{folder}: {name}", command, folder, site, prepared)
    ]
    wrong += [f"{name} is required and not wholly here" for name in prepared.lacking]
    site.say(f"\nlint: {'; '.join(wrong)}" if wrong else "\nlint: nothing to object to")
    return not wrong


def _shown(name: str, command: str, folder: str, site: Site, prepared: Prepared) -> int:
    """Run a command before the user's eyes and give its exit code."""
    variables = {"npm_config_update_notifier": "false"}
    if prepared.server:
        variables["RESPMARK_SERVER"] = str(prepared.server)
    if sys.stdout.isatty():
        variables["FORCE_COLOR"] = "1"
    log = name.replace(": ", "-").replace(" ", "-")
    site.say(f"\n--- {name}")
    site.log(log).unlink(missing_ok=True)
    argv = tuple(shlex.split(command))
    return site.run(argv, log, folder, variables=variables, silence_limit_s=SILENCE_LIMIT_S, shown=True).code
