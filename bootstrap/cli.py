"""The command line: `python3 -m bootstrap VERB`. The Makefile's targets call it."""

import argparse
import signal
import sys
from pathlib import Path

from bootstrap import checks
from bootstrap.audit import audit
from bootstrap.clean import clean
from bootstrap.errors import CannotContinue, RequestError
from bootstrap.layout import Layout
from bootstrap.machine import Host
from bootstrap.model import Purpose
from bootstrap.prepare import Prepared, prepare
from bootstrap.screen import Screen
from bootstrap.worksite import Site

ROOT = Path(__file__).resolve().parent.parent
EXIT_CODES = """exit codes:
  0    done; a language that is missing is told, and no failure unless RESPMARK_REQUIRE names it
  1    a test, a linter or an audit failed, or a language that RESPMARK_REQUIRE names is missing
  2    the request is not valid
  3    the harness itself cannot be set up
  130  interrupted; the next set-up repairs what was left half done

environment variables:
  RESPMARK_REQUIRE          languages that must be here, for example python,node
  RESPMARK_SERVER           the server's binary for the tests, instead of the one on PATH
  RESPMARK_SYSTEM_PACKAGES  yes: install Debian packages that are needed; no: only name the command;
                            where it is not set, a user at a terminal is asked
"""


def main(arguments: list[str]) -> int:
    """Do what is asked and give the exit code."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _do(asked.verb, _site(asked))
    except RequestError as error:
        return _stopped(str(error), 2)
    except CannotContinue as error:
        return _stopped(f"The harness cannot be set up: {error.sentence}\n{error.advice}", 3)
    except KeyboardInterrupt:
        return _stopped("Interrupted; the next set-up repairs what was left half done.", 130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bootstrap", description=__doc__, epilog=EXIT_CODES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    setup = verbs.add_parser("setup", help="install and build what is missing or has changed")
    setup.add_argument("--for", dest="purpose", choices=[str(purpose) for purpose in Purpose], default="bench")
    verbs.add_parser("test", help="set up, then run every test of every language present")
    verbs.add_parser("lint", help="set up, then run every linter of every language present")
    verbs.add_parser("audit", help="set up, then look every dependency up in databases of known vulnerabilities")
    verbs.add_parser("clean", help="remove what set-up, tests and linters made; never results")
    return parser


def _site(asked: argparse.Namespace) -> Site:
    layout = Layout(ROOT)
    purpose = Purpose(
        asked.purpose if asked.verb == "setup" else {"clean": "bench", "audit": "lint"}.get(asked.verb, asked.verb)
    )
    return Site(layout, Host(layout.bin), Screen(sys.stdout), purpose)


def _do(verb: str, site: Site) -> int:
    if verb == "clean":
        return _cleaned(site)
    prepared = prepare(site)
    verbs = {"setup": _set_up, "test": checks.test, "lint": checks.lint, "audit": audit}
    return 0 if verbs[verb](site, prepared) else 1


def _cleaned(site: Site) -> int:
    for name in clean(site.layout):
        site.screen.say(f"removed {name}")
    return 0


def _set_up(site: Site, prepared: Prepared) -> bool:
    for name in prepared.lacking:
        site.screen.say(f"{name} is required by RESPMARK_REQUIRE and not wholly here")
    return not prepared.lacking


def _stopped(sentence: str, code: int) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code
