"""What the languages' own auditors say of dependencies: known vulnerabilities, or why there is nothing to say."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bootstrap import sentences

ASKED = "security-advisories"
"""In the address that Composer asks for advisories, which it tells with -vvv."""
Said = Any
"""What a tool printed as JSON; each has another form."""


class Unchecked(Exception):  # noqa: N818 - says what happened
    """Nobody looked the dependencies up: no database could be reached, or the tool did not work."""


@dataclass(frozen=True, order=True)
class Advisory:
    """A known vulnerability of a dependency."""

    package: str
    name: str

    @property
    def words(self) -> str:
        """Name it in a line."""
        return f"{self.package}: {self.name}"


Reader = Callable[[str], Iterator[Advisory]]


def found(output: str, read: Reader) -> list[Advisory]:
    """Read what a tool printed; raise Unchecked with its own sentence where that is no answer."""
    try:
        return sorted(set(read(output)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unchecked(sentences.decisive(output)) from error


def _json(output: str) -> Said:
    """Find the answer among the tool's other words."""
    decoder = json.JSONDecoder()
    for at, letter in enumerate(output):
        if letter == "{" and (at == 0 or output[at - 1] == "\n"):
            with contextlib.suppress(ValueError):
                return decoder.raw_decode(output[at:])[0]
    message = "there is no JSON"
    raise ValueError(message)


def pip_audit(output: str) -> Iterator[Advisory]:
    """Read pip-audit's form; it passes over packages that the database does not answer for."""
    packages = _json(output)["dependencies"]
    if skipped := [package for package in packages if "skip_reason" in package]:
        message = f"{len(skipped)} of {len(packages)} packages: {skipped[0]['skip_reason']}"
        raise Unchecked(message)
    for package in packages:
        for one in package["vulns"]:
            yield Advisory(f"{package['name']} {package['version']}", one["id"])


def npm_audit(output: str) -> Iterator[Advisory]:
    """Read npm's form; where an advisory is only named as another package, that package has it."""
    said = _json(output)
    if "vulnerabilities" not in said:
        raise Unchecked(said.get("message") or said["error"]["summary"])
    for package, entry in said["vulnerabilities"].items():
        for one in entry["via"]:
            if isinstance(one, dict):
                yield Advisory(f"{package} {one['range']}", one["title"])


def composer_audit(output: str) -> Iterator[Advisory]:
    """Read Composer's form: packages with their advisories, or an empty list, also where no repository was asked."""
    advisories = _json(output)["advisories"]
    if ASKED not in output:
        message = "no repository of packages that has advisories was asked"
        raise Unchecked(message)
    for package, entries in advisories.items() if advisories else ():
        for one in entries.values() if isinstance(entries, dict) else entries:
            yield Advisory(f"{package} {one['affectedVersions']}", one.get("cve") or one["advisoryId"])


def dotnet_list(output: str) -> Iterator[Advisory]:
    """Read dotnet's form; a folder of packages knows of no vulnerabilities, and a source may not tell."""
    said = _json(output)
    for problem in said.get("problems", ()):
        raise Unchecked(problem["text"])
    if not any(source.startswith("http") for source in said["sources"]):
        message = "packages come from a folder, which has no advisories"
        raise Unchecked(message)
    for project in said["projects"]:
        for framework in project.get("frameworks", ()):
            for package in (*framework.get("topLevelPackages", ()), *framework.get("transitivePackages", ())):
                for one in package["vulnerabilities"]:
                    yield Advisory(f"{package['id']} {package['resolvedVersion']}", one["advisoryurl"].split("/")[-1])


def osv_scanner(output: str) -> Iterator[Advisory]:
    """Read osv-scanner's form."""
    for result in _json(output)["results"]:
        for entry in result["packages"]:
            package = entry["package"]
            for one in entry["vulnerabilities"]:
                yield Advisory(f"{package['name']} {package['version']}", one["id"])
