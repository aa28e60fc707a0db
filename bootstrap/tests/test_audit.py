"""What is said of dependencies, and that a database that cannot be reached fails nothing."""

from collections.abc import Callable

import pytest

from bootstrap.audit import audit
from bootstrap.cli import ROOT
from bootstrap.errors import Missing
from bootstrap.languages import LANGUAGES, read
from bootstrap.machine import Finished
from bootstrap.prepare import Prepared
from bootstrap.tests.fakes import FakeSite

PIP_AUDIT = "../.build/audit/bin/pip-audit"
COMPOSER = "env COMPOSER_VENDOR_DIR=../.build/php/default composer audit"
NONE = {
    PIP_AUDIT: "No known vulnerabilities found",
    "npm audit": "found 0 vulnerabilities",
    COMPOSER: "Downloading a/security-advisories\nNo security vulnerability advisories found.",
    "dotnet list": "The following sources were used:\n   https://a.feed\n\n`Respmark` has no vulnerable packages given",
    "osv-scanner": "No issues found",
}
UNKNOWN = "packages come from where no advisories are known"
Audited = Callable[..., tuple[bool, dict[str, str]]]


@pytest.fixture
def audited(site: FakeSite, capsys: pytest.CaptureFixture[str]) -> Audited:
    """Return what audits every language, with another answer to one command; it gives the verdict, and what is said."""

    def run(
        command: str = "", code: int = 0, said: str = "", missing: Missing | None = None
    ) -> tuple[bool, dict[str, str]]:
        site.results |= {start: Finished(0, words) for start, words in NONE.items()}
        site.results |= {command: Finished(code, said)}
        languages = tuple(read(name, site.root) for name in LANGUAGES)
        good = audit(site, Prepared(languages, {"python@audit": missing}))
        lines = capsys.readouterr().out.partition("known vulnerabilities of dependencies\n")[2].splitlines()
        return good, {line[:8].strip(): line[8:] for line in lines}

    return run


def test_nothing_known(site: FakeSite, audited: Audited) -> None:
    """A line a language; every pin of set-up is looked up as well."""
    assert audited() == (True, dict.fromkeys(LANGUAGES, "none"))
    (looked_up,) = [line for line in site.ran if line.startswith(PIP_AUDIT)]
    assert all(f"-r ../bootstrap/{path.name}" in looked_up for path in (ROOT / "bootstrap").glob("*.txt"))


@pytest.mark.parametrize(
    ("command", "said", "names"),
    [
        (PIP_AUDIT, "one  1.0  PYSEC-2021-59 1.1\none  1.0  PYSEC-2021-59 1.1", "PYSEC-2021-59"),
        ("npm audit", "one <2\nIt lets in - https://a/advisories/GHSA-a-b", "GHSA-a-b"),
        (COMPOSER, "| Advisory ID | PKSA-1 |\n| CVE | CVE-2024-1 |", "CVE-2024-1, PKSA-1"),
        ("dotnet list", "> One  1.0  1.0  High  https://a/advisories/GHSA-a-b", "GHSA-a-b"),
        ("osv-scanner", "| https://osv.dev/GHSA-a-b | 9.8 | Maven | one | 1 |", "GHSA-a-b"),
    ],
)
def test_a_known_vulnerability_fails(audited: Audited, command: str, said: str, names: str) -> None:
    """It is named, once."""
    good, lines = audited(command, 1, said)
    assert not good
    assert names in lines.values()


@pytest.mark.parametrize(
    ("command", "code", "said", "why"),
    [
        (PIP_AUDIT, 1, "ERROR: Could not connect", "ERROR: Could not connect"),
        (PIP_AUDIT, 0, "No known vulnerabilities found\nName Skip Reason\n- -\none not found", "one not found"),
        ("npm audit", -15, "npm said nothing for 60 s", "npm said nothing for 60 s"),
        (COMPOSER, 0, "No security vulnerability advisories found.", UNKNOWN),
        ("dotnet list", 0, "sources were used:\n   /a/folder\n\n`A` has no vulnerable packages", UNKNOWN),
        ("osv-scanner", 127, "osv-scanner: No such file or directory", "osv-scanner: No such file or directory"),
    ],
)
def test_what_is_no_answer_is_unchecked(audited: Audited, command: str, code: int, said: str, why: str) -> None:
    """With the tool's own words, and it fails nothing: silence is not taken for safety."""
    good, lines = audited(command, code, said)
    assert good
    assert f"unchecked: {why}" in lines.values()


def test_an_auditor_that_cannot_be_brought_is_told(audited: Audited) -> None:
    """Without a package index there is no pip-audit."""
    assert audited(missing=Missing("error: no network"))[1]["python"] == "unchecked: error: no network"
