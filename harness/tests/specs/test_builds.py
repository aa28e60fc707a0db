"""Builds of one's own: which version they are."""

from pathlib import Path

import pytest

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.specs.builds import version_in_name, version_of_build
from respmark.specs.naming import find_clients, one_client
from tests.builders.plan import SHIPPED


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("redis-4.5.5-py3-none-any.whl", "4.5.5"),
        ("redis-6.0.0b1.tar.gz", "6.0.0b1"),
        ("redis-4.6.7.tgz", "4.6.7"),
        ("jedis-5.2.0-SNAPSHOT.jar", "5.2.0-SNAPSHOT"),
        ("lettuce-core-6.3.0.RELEASE.jar", "6.3.0.RELEASE"),
        ("StackExchange.Redis.2.9.0-fork.nupkg", "2.9.0-fork"),
        ("fork.whl", ""),
        ("fork.jar", ""),
    ],
)
def test_the_name_of_a_packed_build_has_its_version(name: str, version: str) -> None:
    assert version_in_name(name) == version


@pytest.mark.parametrize(
    ("runner", "file", "text", "version"),
    [
        ("python", "setup.py", 'setup(\n    python_requires=">=3.7",\n    version="4.5.5",\n)', "4.5.5"),
        ("python", "redis/__init__.py", "import x\n\n__version__ = '3.5.3'\n", "3.5.3"),
        ("python", "pyproject.toml", '[tool.x]\nversion = "9"\n[project]\nversion = "6.1.0"\n', "6.1.0"),
        ("python", "pyproject.toml", '[project]\ndynamic = ["version"]\n[tool.x]\nversion = "9"\n', None),
        ("python", "setup.py", 'setup(version="0.0.0")', None),
        ("node", "package.json", '{"name": "redis", "version": "3.1.2"}', "3.1.2"),
        ("php", "src/Client.php", "class Client {\n    public const VERSION = '2.2.2';\n}", "2.2.2"),
    ],
)
def test_sources_say_which_version_they_are(
    tmp_path: Path, runner: str, file: str, text: str, version: str | None
) -> None:
    """Where each language has it; a placeholder is none."""
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert version_of_build(tmp_path, SHIPPED.runners[runner].environment.version_places) == version


def test_a_build_has_adapter_and_options_of_its_own_version(tmp_path: Path) -> None:
    """An old checkout is measured as that version is; one that does not say is like today's."""
    (tmp_path / "setup.py").write_text('setup(version="4.1.4")')
    spec = SHIPPED.clients["redis-py"]
    old, new = (one_client(f"redis-py@file:{path}", SHIPPED.clients) for path in (tmp_path, tmp_path / "none"))
    assert (old.options["protocol"], new.options["protocol"]) == (2, 3)
    assert str(spec.why_not(old, Scenario.CACHING)).startswith("client-side caching came")
    assert spec.why_not(new, Scenario.CACHING) is None
    jar = tmp_path / "jedis-4.4.8.jar"
    jar.touch()
    assert SHIPPED.clients["jedis"].of_version(f"file:{jar}").adapter == "Jedis4Adapter"


def test_a_build_that_is_older_than_the_adapters_is_refused(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text('setup(version="2.10.6")')
    with pytest.raises(InvalidRequestError, match=r"from version 3 on, not 2.10.6, which file:\S+ is"):
        find_clients(f"redis-py@file:{tmp_path}", SHIPPED.clients)
