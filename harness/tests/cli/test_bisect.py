"""`respmark bisect`: words that it does not understand are answered with what to write."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from respmark.cli import questions, searching
from respmark.cli.candidates import Candidates, candidates_of
from respmark.cli.options import PinOptions, RunOptions
from respmark.cli.via import Via
from respmark.console import report_console
from respmark.errors import ExitCode, InvalidRequestError
from respmark.kinds.loops.kind import LOOPS
from respmark.plan.request import Request
from respmark.releases import pick
from respmark.setup.host import Missing
from respmark.setup.registry import Listed
from respmark.specs.client import Client
from tests.builders.plan import SHIPPED, make_client
from tests.cli.conftest import Command
from tests.setup.conftest import FakeHost

LISTED = ["4.6.0", "5.0.0", "5.0.1rc1", "5.2.1", "6.0.0", "8.1.0"]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    """A machine on which a registry has some releases of redis-py."""
    made = FakeHost(root=tmp_path, build=tmp_path / ".build")
    made.say = made.said.append
    monkeypatch.setattr(pick, "versions_of", lambda *_: Listed(LISTED))
    return made


def versions(host: FakeHost, *names: str) -> tuple[str, ...]:
    return candidates_of(names, None, "quick", SHIPPED, host).versions


def test_the_releases_between_two_versions_are_searched(host: FakeHost) -> None:
    """With both ends; what precedes a release is none."""
    assert versions(host, "redis-py@4.6.0", "redis-py@6.0.0") == ("4.6.0", "5.0.0", "5.2.1", "6.0.0")
    assert versions(host, "redis-py@5", "redis-py") == ("5.0.0", "5.2.1", "6.0.0", "8.1.0")
    assert versions(host, "redis-py@5", "redis-py@latest") == versions(host, "redis-py@5", "redis-py")


def test_where_the_registry_does_not_answer_that_is_said(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pick, "versions_of", lambda *_: Listed(LISTED, "the registry did not answer; using these"))
    assert versions(host, "redis-py@5.0.0", "redis-py@6.0.0") == ("5.0.0", "5.2.1", "6.0.0")
    assert host.said == ["redis-py: the registry did not answer; using these"]


def test_options_are_those_of_every_version(host: FakeHost) -> None:
    ends = ("redis-py@5.0.0[parser=python]", "redis-py@6.0.0[parser=python]")
    found = candidates_of(ends, None, "quick", SHIPPED, host)
    assert found.client("5.2.1").name == "redis-py@5.2.1[parser=python]"
    words = ["respmark", "run", "quick", "--client", "redis-py@5.2.1[parser=python]"]
    assert found.reproduce("5.2.1", "6.0.0") == [*words, "--client", "redis-py@6.0.0[parser=python]"]


def test_the_time_that_installing_takes_is_not_the_searchs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor that of a version that cannot be installed."""
    now_s = [100.0]
    monkeypatch.setattr(questions, "time", SimpleNamespace(monotonic=lambda: now_s[0]))

    def client(version: str) -> Client:
        now_s[0] += 50
        if version == "2":
            raise Missing("no wheel", "take another one")
        return make_client(version=version)

    candidates = Candidates("redis-py", ("1", "2", "3"), client, lambda *_: [])
    request, how = Request("quick"), RunOptions()
    search = questions.Questions(
        tmp_path, 160.0, candidates, request, LOOPS, "rps", SHIPPED, Via(), PinOptions(), how, report_console()
    )
    found, reasons = search.clients(candidates.versions)
    assert (list(found), list(reasons), search.left_s) == (["1", "3"], ["2"], 60.0)
    now_s[0] += 60
    assert search.left_s == 0


def test_two_builds_of_ones_own_are_compared(host: FakeHost) -> None:
    assert versions(host, "redis-py@file:../a", "redis-py@file:../b") == ("file:../a", "file:../b")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), "name the two ends"),
        (("redis-py@4.6.0",), "name the two ends"),
        (("redis-py@4.6.0", "valkey@6.1.0"), "not two versions of one client"),
        (("redis-py@4.6.0", "redis-py@5.0.0[parser=python]"), "not two versions of one client"),
        (("redis-py@4.6.0", "redis-py@4.6.0"), "redis-py 4.6.0 is both ends"),
        (
            ("redis-py@4.6.1", "redis-py@8.1.0"),
            "there is no redis-py 4.6.1 that can be measured; the nearest are 4.6.0",
        ),
        (("redis-py@8.1.0", "redis-py@4.6.0"), "no release of redis-py is both 8.1.0 or newer and 4.6.0 or older"),
        (("redispy@1", "redispy@2"), "there is no client library `redispy` that has versions; there are: redis-py"),
        (("phpredis@1", "phpredis@2"), "no version of phpredis can be chosen"),
        (("redis-py@main", "redis-py"), "file:PATH, which is that of a checkout for a branch"),
    ],
)
def test_names_that_mean_no_two_versions_are_refused(host: FakeHost, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(InvalidRequestError, match=words):
        versions(host, *names)


@pytest.mark.usefixtures("starts_nothing")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rounds", "5"), "--rounds: bisect decides itself"),
        (("--client", "jedis", "--until", "2%"), "--client, --until: bisect decides itself"),
        (("--at-least", "much"), "--at-least much: write a percentage, such as 5%"),
        (("--at-least", "0%"), "write a percentage above 0%"),
        (
            (
                "--git",
                ".",
            ),
            "with --git, name the library and two commits",
        ),
        (("--minutes", "0"), "--minutes must be more than 0"),
    ],
)
def test_options_that_a_search_cannot_have_are_refused(respmark: Command, options: tuple[str, ...], words: str) -> None:
    finished = respmark("bisect", "redis-py@file:a", "redis-py@file:b", *options)
    assert finished.code is ExitCode.INVALID_REQUEST
    assert words in finished.errors


def test_the_figure_and_the_smallest_difference_can_be_named(
    respmark: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    def search(_candidates: object, _request: object, *wanted: object, **_options: object) -> ExitCode:
        asked.append(wanted[1:3])
        return ExitCode.OK

    monkeypatch.setattr(searching, "search", search)
    ends = ("redis-py@file:a", "redis-py@file:b")
    assert respmark("bisect", *ends).code is ExitCode.OK
    assert respmark("bisect", *ends, "--metric", "client-cpu", "--at-least", "10%").code is ExitCode.OK
    assert asked == [("rps", 0.05), ("client_cpu", 0.1)]
