"""The command line: `python3 -m bootstrap VERB`. The Makefile's targets call it."""

import argparse
import signal
import sys
from pathlib import Path

from bootstrap import checks
from bootstrap.audit import audit
from bootstrap.errors import CannotContinue, RequestError
from bootstrap.machine import Site
from bootstrap.prepare import Prepared, prepare
from bootstrap.sentences import decisive

ROOT = Path(__file__).resolve().parent.parent
PURPOSES = ("bench", "test", "lint", "docker", "docker-test")


def main(arguments: list[str]) -> int:
    """Do what is asked, and return the exit code."""
    verbs = {"setup": _set_up, "test": checks.test, "lint": checks.lint, "audit": audit}
    parser = argparse.ArgumentParser(prog="bootstrap", description=__doc__, epilog="What each does: docs/setup.md.")
    parser.add_argument("verb", choices=verbs)
    parser.add_argument("--for", dest="purpose", choices=PURPOSES, help="what setup is for; default: bench")
    asked = parser.parse_args(arguments)
    purpose = asked.purpose or ("bench" if asked.verb == "setup" else asked.verb)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        site = Site(ROOT, purpose)
        return 0 if verbs[asked.verb](site, prepare(site)) else 1
    except RequestError as error:
        return _stopped(str(error), 2)
    except CannotContinue as error:
        return _stopped(f"The harness cannot be set up: {error.sentence}\n{error.advice}", 3)
    except KeyboardInterrupt:
        return _stopped("Interrupted; the next set-up repairs what was left half done.", 130)


def _set_up(site: Site, prepared: Prepared) -> bool:
    for name in prepared.lacking:
        site.say(f"{name} is required by RESPMARK_REQUIRE and not wholly here")
    return _started(site) and not prepared.lacking


def _started(site: Site) -> bool:
    """Start what was set up once, each runner of a benchmark as well; the harness remembers what they can do."""
    listed = site.run((".build/harness/bin/respmark", "list" if site.purpose == "bench" else "--version"), "list")
    if listed.code:
        site.say(f"The harness does not start: {decisive(listed.output)}; see .build/log/list.log")
    return listed.code == 0


def _stopped(sentence: str, code: int) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code
