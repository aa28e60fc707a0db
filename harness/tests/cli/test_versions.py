"""`respmark versions`: what it makes of releases, before anything is measured."""

from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.cli import setup
from respmark.cli import under_way as module
from respmark.cli import versions as command
from respmark.errors import ExitCode
from respmark.releases.pick import Picked
from respmark.results.store import RunFolder
from respmark.run.testbed import OpenOptions
from respmark.setup.host import Missing
from respmark.setup.prepare import Prepared
from tests.builders.records import make_manifest
from tests.cli.conftest import Command, Opens

RELEASES = ["redis-py@3.5.3", "redis-py@4.6.0", "redis-py@5.0.8[protocol=2]", "redis-py@8.1.0[protocol=2]"]
"""Whose canonical names leave out what is a release's default."""
NAMES = ["redis-py@3.5.3", "redis-py@4.6.0", "redis-py@5.0.8", "redis-py@8.1.0[protocol=2]"]


@pytest.fixture(autouse=True)
def releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry has these."""
    monkeypatch.setattr(
        command, "pick", lambda *_, **__: Picked(list(RELEASES), "the registry did not answer (offline)")
    )
    monkeypatch.setattr("respmark.setup.registry.exact_names", lambda names, *_: names)


class Nothing:
    """Stands in for the guardian."""

    def close(self) -> None:
        """Close nothing."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[OpenOptions]]:
    """Return what was to be opened, where set-up misses these environments."""

    def prepare(*missing: str) -> list[OpenOptions]:
        opens = Opens()
        found = Prepared({f"python@redis-py-{one}": Missing("no wheel") for one in missing}, {"redis-py": {}})
        once = iter([found])
        monkeypatch.setattr(setup, "set_up", lambda *_: next(once))
        monkeypatch.setattr(module, "quick_warnings", lambda _plan, **_: [])
        monkeypatch.setattr(module, "Guardian", Nothing)
        monkeypatch.setattr(module, "opened", opens)
        return opens.orders

    return prepare


@pytest.mark.usefixtures("starts_nothing")
def test_the_plan_names_releases_and_time(respmark: Command) -> None:
    """What is left out of a registry that did not answer is said."""
    finished = respmark("versions", "redis-py[protocol=2]", "--from", "3.5", "--scenario", "sync", "--plan")
    assert finished.code is ExitCode.OK
    assert f"sync: {', '.join(NAMES)}" in " ".join(finished.output.split())
    assert "4 cells, 6 rounds" in finished.output
    assert "the registry did not answer (offline)" in finished.errors


@pytest.mark.parametrize(
    ("options", "missing", "control"),
    [
        ((), (), "redis-py@3.5.3"),
        ((), ("3.5.3",), "redis-py@4.6.0"),
        (("--control", "newest"), (), "redis-py@8.1.0[protocol=2]"),
        (("--control", "newest"), ("8.1.0",), "redis-py@5.0.8"),
        ((), ("3.5.3", "4.6.0", "5.0.8", "8.1.0"), "redis-py@3.5.3"),
    ],
)
def test_the_control_is_a_release_that_is_set_up(
    respmark: Command,
    opened: Callable[..., list[OpenOptions]],
    options: tuple[str, ...],
    missing: tuple[str, ...],
    control: str,
) -> None:
    """The others keep their places in the order of releases."""
    orders = opened(*missing)
    finished = respmark("versions", "redis-py[protocol=2]", *options)
    assert finished.code is ExitCode.OK, finished.errors
    (order,) = orders
    assert order.plan.control == control
    assert list(order.plan.named) == NAMES
    assert order.plan.cells[0].client.name == control


def test_a_run_is_continued_with_its_own_releases(
    respmark: Command, opened: Callable[..., list[OpenOptions]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the registry has by now; a run that is no series is refused."""
    monkeypatch.setattr(
        "respmark.cli.under_way.earlier_run", lambda *_: None
    )  # it was not planned from these arguments
    folder = RunFolder.create(tmp_path / "out")
    own = {"named_clients": ["redis-py@4.0.0", "redis-py@4.1.4"], "control": "redis-py@4.1.4"}
    folder.write_manifest(make_manifest(**own))
    orders = opened()
    assert respmark("versions", "redis-py", "--resume", str(tmp_path / "out")).code is ExitCode.OK
    (found,) = orders
    assert (found.plan.control, list(found.plan.named)) == ("redis-py@4.1.4", own["named_clients"])
    folder.write_manifest(make_manifest())
    finished = respmark("versions", "redis-py", "--resume", str(tmp_path / "out"))
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "is no series of releases" in finished.errors


def test_it_has_the_options_of_run(respmark: Command, opened: Callable[..., list[OpenOptions]]) -> None:
    orders = opened()
    words = ("--scenario", "batching", "--depth", "10", "--rtt", "1ms", "--rounds", "7", "--until", "3%")
    assert respmark("versions", "redis-py", *words).code is ExitCode.OK
    (order,) = orders
    assert order.until is not None
    assert order.plan.settings.rounds == 7
    assert {(cell.scenario, cell.shape.depth, cell.shape.rtt_ms) for cell in order.plan.cells} == {
        ("batching", 10, 1.0)
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("redis-py", "--client", "jedis"), "leave out --client"),
        (("redis-py", "--every", "week"), "--every"),
        (("redis-py", "--scenario", "sync", "--depth", "3", "--plan"), "--depth applies to"),
    ],
)
def test_what_cannot_be_is_refused(respmark: Command, words: tuple[str, ...], said: str) -> None:
    finished = respmark("versions", *words)
    assert finished.code is ExitCode.INVALID_REQUEST
    assert said in finished.errors


def test_one_release_is_no_series(respmark: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "pick", lambda *_, **__: Picked(RELEASES[:1]))
    finished = respmark("versions", "redis-py", "--from", "latest")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "only redis-py@3.5.3 was asked for" in finished.errors
