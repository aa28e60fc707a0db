"""What runners said of themselves, and when they are asked again."""

import os
from pathlib import Path

import pytest

from respmark.contract.description import Description
from respmark.execute.remembered import Remembered, digest
from respmark.specs.client import Client
from respmark.specs.naming import variants
from tests.builders.plan import SHIPPED
from tests.fakes import FakeExecutor

JEDIS = variants(SHIPPED.clients["jedis"])[0]


class Counting(FakeExecutor):
    """Counts how often it is asked."""

    asked = 0

    def describe(self, client: Client) -> Description:
        """Count, and describe."""
        self.asked += 1
        return super().describe(client)


def test_a_runner_is_asked_once(tmp_path: Path) -> None:
    """A later command has the same answer from the folder."""
    runners = Counting()
    found = [Remembered(SHIPPED, tmp_path, runners).describe(JEDIS) for _ in range(3)]
    assert found == [runners.describe(JEDIS)] * 3
    assert runners.asked == 1 + 1


def test_the_digest_changes_with_what_makes_a_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program on PATH, its jar, its source, and whatever set-up has done since; bytecode is not among it."""
    program, jar, source, stamp = (tmp_path / name for name in ("bin/java", "runner.jar", "src/a.py", "stamp/java"))
    monkeypatch.setenv("PATH", str(program.parent))

    def now() -> str:
        return digest(["java", "-jar", str(jar)], source.parent, build=tmp_path)

    found = [now()]
    for path in (program, jar, source, stamp):
        path.parent.mkdir(exist_ok=True)
        path.write_text("1")
        path.chmod(0o755)
        found.append(now())
    os.utime(jar, ns=(1, 1))
    found.append(now())
    assert len(set(found)) == len(found)
    (source.parent / "a.pyc").write_text("1")
    assert now() == found[-1]
