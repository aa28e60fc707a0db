"""Run test runners and linters with their output visible, and summarise their results at the end."""

import os
import shlex
import sys

from bootstrap.machine import Finished, Site
from bootstrap.prepare import Prepared

SILENCE_LIMIT_S = 900.0
"""A test runner that prints nothing for this long has hung."""
AT_ONCE = 2
"""Languages that are tested, whose tests spend half of the time waiting, and linters, most of which use one CPU."""
BIN = ".build/harness/bin"
WORKERS = min(4, (os.cpu_count() or 1) + 1)
"""One more than there are CPUs: a test spends a third of its time waiting for processes and for time limits."""
TESTS = {
    "bootstrap": f"{BIN}/python -m pytest bootstrap/tests",
    # A worker that has no tests left takes some of another's.
    "harness": f"{BIN}/python -m pytest -n {WORKERS} --dist worksteal harness/tests",
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
    """Run every test of every language present; return whether all passed."""
    rows = {name: _result(_run(f"tests: {name}", command, ".", site, prepared)) for name, command in TESTS.items()}
    with site.at_once(AT_ONCE) as threads:
        started = {}
        for language in prepared.languages:
            name = language.name
            if why := prepared.untestable(name):
                is_required = any(one.partition("@")[0] == name for one in prepared.required)
                rows[name] = ("failed" if is_required else "not run", why)
            else:
                started[name] = threads.submit(
                    _run, f"tests: {name}", language.tests, name, site, prepared, shown=False
                )
        if started:
            site.say(f"\n--- tests: {', '.join(started)} ({AT_ONCE} at once, shown when they have ended)")
        for name, finished in started.items():
            site.say(f"\n--- tests: {name}\n{finished.result().output}", end="")
            rows[name] = _result(finished.result())
    rows |= {name: ("failed", why) for name, why in prepared.lacking.items()}
    site.say()
    for name, (result, note) in rows.items():
        site.say(f"{name:<{max(map(len, rows))}}  {result:<7}  {note}".rstrip())
    failed = [name for name, (result, _) in rows.items() if result == "failed"]
    site.say(f"\nfailed: {'; '.join(failed)}" if failed else "\nall tests passed")
    return not failed


def _result(finished: Finished) -> tuple[str, str]:
    return ("failed", f"exit code {finished.code}") if finished.code else ("passed", "")


def lint(site: Site, prepared: Prepared) -> bool:
    """Run every linter of every language present; return whether none objects."""
    lints = {**LINTS}
    for language in prepared.languages:
        if why := prepared.untestable(language.name):
            site.say(f"\n--- {language.name} is not linted: {why}")
        else:
            lints[language.name] = {**language.lints}
    wrong = []
    with site.at_once(AT_ONCE) as threads:
        started = {
            f"{folder}: {name}": threads.submit(_run, f"{folder}: {name}", command, folder, site, prepared, shown=False)
            for folder, commands in lints.items()
            for name, command in commands.items()
        }
        for name, finished in started.items():
            site.say(f"\n--- {name}\n{finished.result().output}", end="")
            wrong += [name] if finished.result().code else []
    wrong += [f"{name} is required and not wholly here" for name in prepared.lacking]
    site.say(f"\nlint: {'; '.join(wrong)}" if wrong else "\nlint: nothing to object to")
    return not wrong


def _run(name: str, command: str, folder: str, site: Site, prepared: Prepared, *, shown: bool = True) -> Finished:  # noqa: PLR0913
    """Run a command; if it is shown, its output is on the screen."""
    variables = {"npm_config_update_notifier": "false"}
    if prepared.server:
        variables["RESPMARK_SERVER"] = str(prepared.server)
    if sys.stdout.isatty():
        variables["FORCE_COLOR"] = "1"
    log = name.replace(": ", "-").replace(" ", "-")
    if shown:
        site.say(f"\n--- {name}")
    site.log(log).unlink(missing_ok=True)
    argv = tuple(shlex.split(command))
    return site.run(argv, log, folder, variables=variables, silence_limit_s=SILENCE_LIMIT_S, shown=shown)
