"""The whole set-up, on a machine that only pretends."""

import fcntl
import json
import threading

import pytest

from bootstrap.errors import RequestError
from bootstrap.machine import Finished
from bootstrap.prepare import prepare
from bootstrap.tests.fakes import FakeSite

GONE = Finished(1, "npm error code ETARGET\nnpm error notarget No matching version found for redis@99.\n")
READY = dict.fromkeys(
    ("python", "python@redis-py", "python@redis-py-3.5.3", "node", "node@node-redis-3.1.2"), "ready"
)
OLDER = "uv pip sync --python .build/python/redis-py-3.5.3"


def statuses(site: FakeSite) -> dict[str, dict[str, str]]:
    """Read what the harness reads."""
    return {file.stem: json.loads(file.read_text()) for file in (site.build / "status").glob("*.json")}


def states(site: FakeSite) -> dict[str, str]:
    """Give each status file's state."""
    return {name: status["state"] for name, status in statuses(site).items()}


def test_the_second_time_nothing_runs_but_version_questions(
    whole: FakeSite, capsys: pytest.CaptureFixture[str]
) -> None:
    """A set-up with nothing to do does nothing, and says nothing."""
    assert prepare(whole).server == whole.which("redis-server")
    assert states(whole) == READY
    whole.ran.clear()
    capsys.readouterr()
    prepare(whole)
    assert [*whole.ran] == ["usr/uv --version", "usr/node --version"]
    assert capsys.readouterr().out == ""


def test_for_containers_the_harness_is_enough(whole: FakeSite) -> None:
    """No language is set up or judged, not even one that is required, and no server is looked for."""
    whole.purpose, whole.variables = "docker", {"RESPMARK_REQUIRE": "python,node"}
    prepared = prepare(whole)
    assert (prepared.languages, prepared.server, prepared.lacking) == ((), None, {})
    assert (whole.root / ".build/harness").is_dir()
    assert states(whole) == {}


def test_a_language_that_cannot_be_restored_is_missing(whole: FakeSite, capsys: pytest.CaptureFixture[str]) -> None:
    """The package manager's own sentence and advice reach the harness; the next set-up repairs it."""
    whole.results["npm ci"] = [GONE, Finished(0, ""), Finished(0, "")]
    prepare(whole)
    assert states(whole) == {
        name: "missing" if name == "node" else "ready" for name in READY if name != "node@node-redis-3.1.2"
    }
    assert statuses(whole)["node"] == {
        "language": "node",
        "state": "missing",
        "sentence": "npm error notarget No matching version found for redis@99.",
        "advice": "See .build/log/node-packages.log; when the cause is gone, run the same command again.",
    }
    assert "npm run build" not in whole.ran
    assert "node is missing: npm error notarget" in capsys.readouterr().out
    prepare(whole)
    assert states(whole) == READY


PHP = dict.fromkeys(("php", "php@phpredis", "php@predis", "php@predis-1.1.10", "php@predis-distribution"), "ready")
NO_EXTENSION = "php -r exit((int) !extension_loaded('redis'))"
NO_PREDIS = "test -e /usr/share/php/Predis"


@pytest.fixture
def php(site: FakeSite) -> FakeSite:
    """Give a checkout with a PHP runner, on a machine with PHP, its extension and Composer."""
    site.write("php/environments/predis-1.1.10/composer.json")
    site.has("php", "PHP 8.2.30 (cli)")
    site.has("redis-server")
    site.makes["php -r file_put_contents"] = (".build/php/phpredis",)
    site.makes["install -D php/environments/predis"] = (".build/php/predis-distribution/autoload.php",)
    site.makes["env COMPOSER"] = (".build/php/default/autoload.php", ".build/php/predis-1.1.10/autoload.php")
    return site


def test_what_a_step_stands_on_is_installed_where_it_is_not_there(php: FakeSite) -> None:
    """Debian is not asked for what is there, whoever brought it."""
    php.may_install()
    php.results[NO_PREDIS] = [Finished(1, ""), Finished(0, "")]
    prepare(php)
    assert states(php) == PHP
    (installed,) = [line for line in php.ran if "apt-get install" in line and "--dry-run" not in line]
    assert installed.endswith("--no-install-recommends php-nrk-predis")


def test_what_a_step_stands_on_is_named_where_it_may_not_be_installed(php: FakeSite) -> None:
    """Only what stands on it is missing; Debian's extension does not serve another PHP than Debian's."""
    php.results[NO_EXTENSION] = Finished(1, "")
    php.has("apt-get")
    prepare(php)
    assert states(php) == {**PHP, "php@phpredis": "missing"}
    assert statuses(php)["php@phpredis"]["sentence"] == "the PHP extension redis is not loaded"
    assert "php-redis php-igbinary" in statuses(php)["php@phpredis"]["advice"]
    php.may_install()
    prepare(php)
    assert "although Debian's php-redis php-igbinary is installed" in statuses(php)["php@phpredis"]["sentence"]


def test_without_a_package_site_what_needs_none_is_ready(php: FakeSite) -> None:
    """Composer's own sentence is told of predis; phpredis and the distribution's predis are there."""
    php.results["env COMPOSER_VENDOR_DIR"] = Finished(1, "In Curl.php line 7:\n\n  Could not resolve host\n\n")
    prepare(php)
    assert states(php) == {**PHP, "php@predis": "missing", "php@predis-1.1.10": "missing"}
    assert statuses(php)["php@predis"]["sentence"] == "Could not resolve host"


def test_the_development_environment_is_no_client(whole: FakeSite) -> None:
    """The harness is not told of it; without it a language cannot be tested, and measured all the same."""
    whole.purpose = "test"
    assert prepare(whole).untestable("python") == ""
    whole.write("python/requirements-dev.txt", "another")
    whole.results["uv pip sync --python .build/python/dev"] = Finished(1, "error: gone")
    assert prepare(whole).untestable("python") == "python@dev is missing: error: gone"
    assert states(whole) == READY


def test_what_is_no_more_is_passed_over(whole: FakeSite) -> None:
    """A checkout may hold fewer languages; an environment that was removed from it leaves no status."""
    prepare(whole)
    (whole.root / "node").rename(whole.root / "away")
    (whole.root / "python/clients/redis-py/version-3.5.3.txt").unlink()
    prepare(whole)
    assert states(whole) == {"python": "ready", "python@redis-py": "ready"}


@pytest.mark.parametrize(
    ("required", "fails", "lacking"),
    [
        ("python, node", "nothing", []),
        ("python,node", "npm ci", ["node"]),
        ("python", OLDER, ["python"]),
        ("python@redis-py", OLDER, []),
        ("python@redis-py-3.5.3", OLDER, ["python@redis-py-3.5.3"]),
        ("java", "nothing", ["java"]),
    ],
)
def test_what_is_required_and_not_here_is_lacking(
    whole: FakeSite, required: str, fails: str, lacking: list[str]
) -> None:
    """A language with all its environments, or a single one; an environment that fails costs only its own clients."""
    whole.variables = {"RESPMARK_REQUIRE": required}
    whole.results[fails] = GONE
    assert [*prepare(whole).lacking] == lacking
    assert states(whole)["python"] == "ready"


def test_an_unknown_requirement_is_refused(whole: FakeSite) -> None:
    """A typing mistake must not switch a check off."""
    whole.variables = {"RESPMARK_REQUIRE": "python,cobol"}
    with pytest.raises(RequestError, match="cobol; it can name dotnet, java, node, php, python"):
        prepare(whole)


def test_two_set_ups_wait_for_each_other(whole: FakeSite, capsys: pytest.CaptureFixture[str]) -> None:
    """The second begins when the first has ended, and says that it waits."""
    whole.build.mkdir()
    with (whole.build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = threading.Thread(target=prepare, args=(whole,))
        second.start()
        second.join(0.2)
        waited = second.is_alive() and not whole.ran
    second.join()
    assert waited
    assert "waiting for its end" in capsys.readouterr().out
    assert states(whole) == READY
