"""What is said of dependencies, and that a database that cannot be reached fails nothing."""

import json
import sys
from pathlib import Path

import pytest

from bootstrap import advisories
from bootstrap.advisories import Advisory, Reader, Unchecked, found
from bootstrap.audit import AUDITS, PIP_AUDIT, audit
from bootstrap.languages import LANGUAGES
from bootstrap.machine import ENDED, NOT_STARTED, Command, Finished, Host
from bootstrap.prepare import Part, Prepared
from bootstrap.tests.fakes import Checkout
from bootstrap.tools import Tools

PYTHON = {
    "dependencies": [
        {"name": "one", "version": "1.0", "vulns": [{"id": "GHSA-1"}]},
        {"name": "two", "version": "2", "vulns": []},
    ]
}
NPM = {"vulnerabilities": {"one": {"via": [{"title": "It lets in", "range": "<2"}]}, "two": {"via": ["one"]}}}
COMPOSER = {"advisories": {"a/one": [{"advisoryId": "P-1", "cve": None, "affectedVersions": "<2"}]}}
DOTNET = {
    "sources": ["https://a.feed"],
    "projects": [
        {
            "path": "a",
            "frameworks": [
                {
                    "topLevelPackages": [],
                    "transitivePackages": [
                        {"id": "One", "resolvedVersion": "1", "vulnerabilities": [{"advisoryurl": "https://a/GHSA-1"}]}
                    ],
                }
            ],
        },
        {"path": "b"},
    ],
}
OSV = {
    "results": [{"packages": [{"package": {"name": "a:one", "version": "1"}, "vulnerabilities": [{"id": "GHSA-1"}]}]}]
}


@pytest.mark.parametrize(
    ("read", "said", "package", "name"),
    [
        (advisories.pip_audit, PYTHON, "one 1.0", "GHSA-1"),
        (advisories.npm_audit, NPM, "one <2", "It lets in"),
        (advisories.composer_audit, COMPOSER, "a/one <2", "P-1"),
        (advisories.dotnet_list, DOTNET, "One 1", "GHSA-1"),
        (advisories.osv_scanner, OSV, "a:one 1", "GHSA-1"),
    ],
)
def test_every_form_is_read(read: Reader, said: object, package: str, name: str) -> None:
    """Among the tool's other words, and however often it says the same."""
    words = "warn: a word { of its own\n{ and one\nDownloading a/security-advisories\n"
    output = f"{words}{json.dumps(said, indent=1)}\nand another\n"
    assert found(output, read) == [Advisory(package, name)]


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (advisories.pip_audit, {"dependencies": []}),
        (advisories.npm_audit, {"vulnerabilities": {}}),
        (advisories.composer_audit, {"advisories": []}),
        (advisories.dotnet_list, {"sources": ["https://a.feed"], "projects": [{"path": "a"}]}),
        (advisories.osv_scanner, {"results": []}),
    ],
)
def test_nothing_known_is_an_answer(read: Reader, said: object) -> None:
    """No advisory, and looked up."""
    assert found(f"Downloading a/security-advisories\n{json.dumps(said)}", read) == []


@pytest.mark.parametrize(
    ("read", "output", "why"),
    [
        (advisories.pip_audit, "ERROR: Could not connect", "Could not connect"),
        (
            advisories.pip_audit,
            json.dumps({"dependencies": [{"name": "one", "skip_reason": "Dependency not found"}]}),
            "1 of 1 packages: Dependency not found",
        ),
        (advisories.npm_audit, json.dumps({"message": "405 Method Not Allowed"}), "405 Method Not Allowed"),
        (advisories.npm_audit, json.dumps({"error": {"summary": "no lock file"}}), "no lock file"),
        (advisories.composer_audit, "The network is down", "The network is down"),
        (advisories.composer_audit, json.dumps({"advisories": []}), "no repository .* was asked"),
        (advisories.dotnet_list, "error: Unable to load the service index", "Unable to load"),
        (advisories.dotnet_list, json.dumps({"sources": ["/a/folder"], "projects": []}), "come from a folder"),
        (advisories.dotnet_list, json.dumps({"problems": [{"text": "no assets file"}]}), "no assets file"),
        (advisories.osv_scanner, "[1, 2]", "1, 2"),
        (advisories.osv_scanner, "", "without a word"),
        (advisories.npm_audit, '{"vulnerabilities": 7}', "vulnerabilities"),
    ],
)
def test_what_is_no_answer_is_unchecked(read: Reader, output: str, why: str) -> None:
    """With the tool's own reason: silence is not taken for safety."""
    with pytest.raises(Unchecked, match=why):
        found(output, read)


@pytest.fixture
def whole(checkout: Checkout) -> Checkout:
    """Give a checkout with every auditor."""
    for name in ("uv", *(one.needs for one in AUDITS)):
        checkout.machine.has(name, "uv 99.0")
    for name in ("uv.in", "audit.txt"):
        checkout.write(f"bootstrap/{name}", "one==1.0")
    checkout.made_by("usr-bin/uv venv", PIP_AUDIT.proof)
    answers = {
        PIP_AUDIT.proof: {"dependencies": []},
        "npm audit": {"vulnerabilities": {}},
        "composer audit": {"advisories": [], "said": "security-advisories"},
        "dotnet list": {"sources": ["https://a.feed"], "projects": []},
        "osv-scanner": {"results": []},
    }
    checkout.machine.answers |= {start: Finished(0, json.dumps(said)) for start, said in answers.items()}
    return checkout


def audited(checkout: Checkout) -> tuple[bool, list[str]]:
    """Audit every language; give the verdict and the lines."""
    parts = tuple(Part(language, (), Tools({})) for language in LANGUAGES)
    good = audit(checkout.site(), Prepared(parts, None, frozenset()))
    lines = checkout.printed.getvalue().partition("known vulnerabilities of dependencies\n")[2].splitlines()
    return good, lines


def test_nothing_known(whole: Checkout) -> None:
    """A line a language."""
    assert audited(whole) == (True, [f"{name:<8}none" for name in ("python", "node", "php", "dotnet", "java")])
    assert any("-r bootstrap/audit.txt" in line for line in whole.machine.ran)


def test_a_known_vulnerability_fails(whole: Checkout) -> None:
    """It is named, with its package."""
    whole.machine.answers["npm audit"] = Finished(1, json.dumps(NPM))
    good, lines = audited(whole)
    assert not good
    assert "node    one <2: It lets in" in lines


def test_what_cannot_be_looked_up_fails_nothing(whole: Checkout) -> None:
    """No network, no tool, or no answer in time: each is said."""
    whole.machine.answers[PIP_AUDIT.proof] = Finished(1, "ERROR: Could not connect")
    whole.machine.answers["npm audit"] = Finished(1, json.dumps({"message": "405 Method Not Allowed"}))
    whole.machine.answers["dotnet list"] = Finished(ENDED, "")
    whole.machine.has_not("osv-scanner")
    assert audited(whole) == (
        True,
        [
            "python  unchecked: ERROR: Could not connect",
            "node    unchecked: 405 Method Not Allowed",
            "php     none",
            "dotnet  unchecked: no answer within 60 s",
            "java    unchecked: osv-scanner not found on PATH",
        ],
    )


def test_an_auditor_that_cannot_be_brought_fails_nothing(whole: Checkout) -> None:
    """Without a package index there is no pip-audit."""
    whole.machine.answers["usr-bin/uv venv"] = Finished(NOT_STARTED, "error: no network")
    good, lines = audited(whole)
    assert good
    assert "python  unchecked: error: no network" in lines


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """It is told apart from one that failed."""
    command = Command((sys.executable, "-c", "import time; time.sleep(300)"), tmp_path, limit_s=0.2)
    assert Host(tmp_path).run(command) == Finished(ENDED, "")
