"""Specs whose micro-benchmarks are run by a tool of the tests' own."""

import json
import sys
from pathlib import Path

import pytest

from tests.builders.plan import write_specs

TOOL = Path(__file__).with_name("tool.py")
RUNNER = """
language = "Java"
command = ["toy"]
advice = "nothing to do"

[micro]
tool = "jmh"
command = [
    {python}, {tool}, "--port", "{{port}}", "--password-file", "{{password_file}}",
    "--job", "{{job}}", "--out", "{{out}}"
]
forks = ["--forks", "{{forks}}"]
filter = ["--filter", "{{filter}}"]
results = "jmh.json"
failures = "failures.json"
advice = "bring your toys"
"""


def runner(python: str = sys.executable) -> str:
    return RUNNER.format(python=json.dumps(python), tool=json.dumps(str(TOOL)))


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path / "specs", toy__runner=runner())
