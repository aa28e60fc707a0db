"""The whole set-up, on a machine that only pretends."""

import fcntl
import json
import os
import threading

import pytest

from bootstrap.errors import RequestError
from bootstrap.machine import Finished
from bootstrap.model import Purpose
from bootstrap.prepare import Prepared, prepare
from bootstrap.tests.fakes import Checkout

ETARGET = "npm error code ETARGET\nnpm error notarget No matching version found for redis@99.\n"


def statuses(checkout: Checkout) -> dict[str, dict[str, str]]:
    """Read what the harness reads."""
    files = (checkout.root / ".build/status").glob("*.json")
    return {file.stem: json.loads(file.read_text()) for file in files}


def states(checkout: Checkout) -> dict[str, str]:
    """Give each status file's state."""
    return {name: status["state"] for name, status in statuses(checkout).items()}


def test_all_is_ready(whole: Checkout) -> None:
    """Every language and environment has a status of its own."""
    prepared = prepare(whole.site())
    assert states(whole) == {
        "python": "ready",
        "python@redis-py-3.5.3": "ready",
        "node": "ready",
        "node@node-redis-3.1.2": "ready",
    }
    assert prepared.server == whole.machine.commands["redis-server"]


def test_the_second_time_nothing_runs_but_version_questions(whole: Checkout) -> None:
    """A set-up with nothing to do does nothing, and says nothing."""
    prepare(whole.site())
    whole.machine.ran.clear()
    whole.printed.truncate(0)
    prepare(whole.site())
    assert whole.machine.ran == ["usr-bin/uv --version", "usr-bin/node --version"]
    assert whole.printed.getvalue() == ""


def test_for_containers_the_harness_is_enough(whole: Checkout) -> None:
    """No language is set up or judged, not even one that is required, and no server is looked for."""
    whole.machine.variables = {**whole.machine.variables, "RESPMARK_REQUIRE": "python,node"}
    prepared = prepare(whole.site(Purpose.DOCKER))
    assert (prepared.parts, prepared.server, prepared.lacking) == ((), None, ())
    assert (whole.root / ".build/harness").is_dir()
    assert states(whole) == {}


def test_a_language_that_cannot_be_restored_is_missing(whole: Checkout) -> None:
    """The package manager's own sentence and advice reach the harness; the other languages are ready."""
    whole.machine.answers["usr-bin/npm ci"] = Finished(1, ETARGET)
    prepare(whole.site())
    assert states(whole) == {"python": "ready", "python@redis-py-3.5.3": "ready", "node": "missing"}
    assert statuses(whole)["node"] == {
        "language": "node",
        "state": "missing",
        "sentence": "npm error notarget No matching version found for redis@99.",
        "advice": "See .build/log/node-packages.log; when the cause is gone, run `make setup` again.",
    }
    assert "usr-bin/npm run build" not in whole.machine.ran
    assert "node is missing: npm error notarget" in whole.printed.getvalue()


def test_the_next_set_up_repairs_it(whole: Checkout) -> None:
    """Once the cause is gone the language is there."""
    whole.machine.answers["usr-bin/npm ci"] = [Finished(1, ETARGET), *[Finished(0, "")] * 2]
    prepare(whole.site())
    prepare(whole.site())
    assert states(whole)["node"] == "ready"


def test_an_environment_that_fails_does_not_take_the_language_with_it(whole: Checkout) -> None:
    """An old version that cannot be installed any more costs only its own clients."""
    python = ".build/python/redis-py-3.5.3/bin/python"
    whole.machine.answers[f"usr-bin/uv pip sync --python {python}"] = Finished(1, "error: gone")
    prepare(whole.site())
    assert states(whole) == {
        "python": "ready",
        "python@redis-py-3.5.3": "missing",
        "node": "ready",
        "node@node-redis-3.1.2": "ready",
    }


@pytest.fixture
def php(whole: Checkout) -> Checkout:
    """Give a checkout with a PHP runner, too, on a machine with PHP, its extension and Composer."""
    for name in ("php/composer.json", "php/environments/predis-1.1.10/composer.json"):
        whole.write(name)
    whole.machine.has("php", "PHP 8.2.30 (cli)")
    whole.made_by("usr-bin/php -r file_put_contents", ".build/php/phpredis")
    whole.made_by("install -D php/environments/predis", ".build/php/predis-distribution/autoload.php")
    for name, up in (("default", ".."), ("predis-1.1.10", "../../.."), ("dev", "..")):
        line = f"env COMPOSER_ALLOW_SUPERUSER=1 COLUMNS=1000 COMPOSER_VENDOR_DIR={up}/.build/php/{name} "
        whole.made_by(line, f".build/php/{name}/autoload.php")
    return whole


PHP = ("php", "php@phpredis", "php@predis", "php@predis-1.1.10", "php@predis-distribution")


def php_states(checkout: Checkout) -> dict[str, str]:
    """Give the states of PHP and its environments."""
    return {name: state for name, state in states(checkout).items() if name.startswith("php")}


def test_what_a_step_stands_on_is_looked_for_and_not_installed_again(php: Checkout) -> None:
    """Debian is not asked for what is there, whoever brought it."""
    php.machine.may_install()
    php.machine.has("apt-get")
    prepare(php.site())
    assert php_states(php) == dict.fromkeys(PHP, "ready")
    assert not [line for line in php.machine.ran if "apt-get install" in line]


def test_what_a_step_stands_on_is_installed_where_that_is_allowed(php: Checkout) -> None:
    """As root the Debian package comes without asking."""
    php.machine.may_install()
    php.machine.has("apt-get")
    php.machine.answers["test -e /usr/share/php/Predis"] = [Finished(1, ""), Finished(0, "")]
    prepare(php.site())
    assert php_states(php) == dict.fromkeys(PHP, "ready")
    assert [line for line in php.machine.ran if line.endswith("--no-install-recommends php-nrk-predis")]


def test_what_a_step_stands_on_is_named_where_it_may_not_be_installed(php: Checkout) -> None:
    """The exact command is told; only what stands on it is missing."""
    php.machine.answers["usr-bin/php -r exit((int) !extension_loaded('redis'))"] = Finished(1, "")
    prepare(php.site())
    assert php_states(php) == {**dict.fromkeys(PHP, "ready"), "php@phpredis": "missing"}
    assert statuses(php)["php@phpredis"]["sentence"] == "the PHP extension redis is not loaded"
    assert "php-redis php-igbinary" in statuses(php)["php@phpredis"]["advice"]


def test_a_package_that_does_not_help_is_told(php: Checkout) -> None:
    """Debian's extension does not serve another PHP than Debian's."""
    php.machine.may_install()
    php.machine.has("apt-get")
    php.machine.answers["usr-bin/php -r exit((int) !extension_loaded('redis'))"] = Finished(1, "")
    prepare(php.site())
    assert "although Debian's php-redis php-igbinary is installed" in statuses(php)["php@phpredis"]["sentence"]


def test_without_a_package_site_what_needs_none_is_ready(php: Checkout) -> None:
    """Composer's own sentence is told of predis; phpredis and the distribution's predis are there."""
    for up in ("..", "../../.."):
        line = f"env COMPOSER_ALLOW_SUPERUSER=1 COLUMNS=1000 COMPOSER_VENDOR_DIR={up}/.build/php"
        php.machine.answers[line] = Finished(1, "In Curl.php line 7:\n\n  Could not resolve host\n\n")
    prepare(php.site())
    missing = {"php@predis": "missing", "php@predis-1.1.10": "missing"}
    assert php_states(php) == {**dict.fromkeys(PHP, "ready"), **missing}
    assert statuses(php)["php@predis"]["sentence"] == "Could not resolve host"


def test_the_development_environment_is_no_client(whole: Checkout) -> None:
    """The harness is not told of environments that only tests use."""
    prepare(whole.site(Purpose.TEST))
    assert "python@dev" not in states(whole)


def test_without_its_development_environment_a_language_cannot_be_tested(whole: Checkout) -> None:
    """Its clients can be measured all the same."""
    python = ".build/python/dev/bin/python"
    whole.machine.answers[f"usr-bin/uv pip sync --python {python}"] = Finished(1, "error: gone")
    prepared = prepare(whole.site(Purpose.TEST))
    assert states(whole)["python"] == "ready"
    assert prepared.parts[0].undeveloped is not None


def test_a_language_without_a_folder_is_passed_over(whole: Checkout) -> None:
    """A checkout may hold fewer languages."""
    (whole.root / "node").rename(whole.root / "away")
    prepare(whole.site())
    assert "node" not in states(whole)


def test_a_status_of_what_is_no_more_goes(whole: Checkout) -> None:
    """An environment that was removed from the checkout leaves no status."""
    prepare(whole.site())
    (whole.root / "python/environments/redis-py-3.5.3.txt").unlink()
    prepare(whole.site())
    assert "python@redis-py-3.5.3" not in states(whole)


def required(checkout: Checkout, names: str) -> Prepared:
    """Set up with RESPMARK_REQUIRE."""
    checkout.machine.variables = {"RESPMARK_REQUIRE": names}
    return prepare(checkout.site())


def test_what_is_required_and_here(whole: Checkout) -> None:
    """Nothing lacks on a machine that has everything."""
    assert required(whole, "python,node").lacking == ()


def test_what_is_required_and_missing(whole: Checkout) -> None:
    """In CI a missing language is a failure."""
    whole.machine.answers["usr-bin/npm ci"] = Finished(1, ETARGET)
    assert required(whole, "python, node").lacking == ("node",)


def test_an_environment_of_what_is_required_must_be_there_too(whole: Checkout) -> None:
    """CI covers every environment."""
    whole.machine.answers["usr-bin/uv pip sync --python .build/python/redis-py-3.5.3"] = Finished(1, "error: gone")
    assert required(whole, "python").lacking == ("python",)


def test_single_environments_can_be_required(whole: Checkout) -> None:
    """A machine whose registry lacks one environment's packages still insists on the others."""
    whole.machine.answers["usr-bin/uv pip sync --python .build/python/redis-py-3.5.3"] = Finished(1, "error: gone")
    assert required(whole, "python@default").lacking == ()
    assert required(whole, "python@redis-py-3.5.3").lacking == ("python@redis-py-3.5.3",)


def test_an_unknown_requirement_is_refused(whole: Checkout) -> None:
    """A typing mistake must not switch a check off."""
    with pytest.raises(RequestError, match="cobol; it can name dotnet, java, node, php, python"):
        required(whole, "python,cobol")


def test_two_set_ups_wait_for_each_other(whole: Checkout) -> None:
    """The second begins when the first has ended, and says that it waits."""
    folder = os.open(whole.root, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    second = threading.Thread(target=prepare, args=(whole.site(),))
    second.start()
    second.join(0.2)
    waited = second.is_alive() and whole.machine.ran == []
    os.close(folder)
    second.join()
    assert waited
    assert "waiting for its end" in whole.printed.getvalue()
    assert states(whole)["node"] == "ready"
