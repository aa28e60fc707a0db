"""The specs of a folder: what an error in one says, and that every shipped one loads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.trial import LOOP_SCENARIOS, Scenario
from respmark.errors import ExitCode, InvalidRequestError, SpecError
from respmark.paths import CHECKOUT, OWN_CLIENTS
from respmark.plan.make import make_plan
from respmark.plan.request import Request
from respmark.specs import sockets
from respmark.specs.catalogue import Catalogue, load
from respmark.specs.naming import find_clients
from respmark.specs.server import SpawnedServer, UrlServer, processes_of
from respmark.specs.suite import SuiteSpec
from respmark.specs.toml import read_toml
from respmark.triage.gains import FILE
from respmark.triage.rules import rules_of
from tests.builders.plan import HIDDEN, SHIPPED

FOLDER = CHECKOUT / "harness" / "specs"
LOADERS: dict[str, Callable[[str], Any]] = {
    "suites": SHIPPED.suite,
    "workloads": SHIPPED.workload,
    "servers": SHIPPED.server,
    "guidance": SHIPPED.guidance,
}


def test_every_shipped_spec_loads_and_is_named_as_its_file() -> None:
    for kind, loader in LOADERS.items():
        assert [loader(name).name for name in SHIPPED.names(kind)] == SHIPPED.names(kind)
    kinds = LOADERS.keys() - {"workloads", "servers"}  # whose files have many
    known = {FOLDER / kind / f"{name}.toml" for kind in kinds for name in SHIPPED.names(kind)}
    known |= set((FOLDER / "workloads").iterdir())
    rules = {FOLDER / "triage" / f"{rule.id}.toml" for rule in rules_of(SHIPPED)}
    others = {FOLDER / name for name in ("scenarios.toml", "servers.toml", "one-thread.toml", sockets.FILE)}
    assert {path for path in FOLDER.rglob("*") if path.is_file()} == known | rules | others | {FOLDER / "triage" / FILE}
    assert SHIPPED.sockets.keys() <= SHIPPED.clients.keys()
    assert SHIPPED.suites["quick"] == SHIPPED.suite("quick").summary


def test_no_two_files_have_a_workload_of_the_same_name() -> None:
    sections = [name for path in (FOLDER / "workloads").iterdir() for name in read_toml(path)]
    assert sorted(sections) == SHIPPED.names("workloads")


@pytest.mark.parametrize("name", SHIPPED.names("suites"))
def test_shipped_suites_name_what_exists(name: str) -> None:
    suite = SHIPPED.suite(name)
    words = [suite.workload, *(word for trials in suite.trials for word in trials.workloads)]
    assert [SHIPPED.workload(word).name for word in words] == words
    assert SHIPPED.server(suite.server).name == suite.server
    assert all(find_clients(client, SHIPPED.clients) for client in suite.usual_clients)


@pytest.mark.parametrize(("kind", "noun"), [("suite", "suite"), ("workload", "workload"), ("server", "server")])
def test_an_unknown_name_is_answered_with_those_that_exist(kind: str, noun: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"there is no {noun} `nope`") as caught:
        getattr(SHIPPED, kind)("nope")
    assert all(name in str(caught.value) for name in SHIPPED.names(f"{kind}s"))


def test_a_server_may_be_named_by_its_url_or_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program by its path, or by its name on PATH; how it is started and reached is what is usual."""
    for url in ("redis://h:1", "rediss://h", "unix:///s"):
        found = SHIPPED.server(url)
        assert isinstance(found, UrlServer)
        assert found.url == url
    program = tmp_path / "bin" / "my-server"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(program.parent))
    for name in (str(program), "bin/my-server", "my-server"):
        named = {"name": name, "program": str(program)}
        assert SHIPPED.server(name) == SHIPPED.server("spawned").model_copy(update=named)
    with pytest.raises(InvalidRequestError, match=r"no server `bin/none`; there are: redis, redis@6.2, .*path"):
        SHIPPED.server("bin/none")


def test_a_server_has_the_options_that_its_name_says() -> None:
    """The server's own settings as its configuration has them, besides how clients reach it and what allocates."""
    found = SHIPPED.server("valkey@9.1[io-threads=2, transport=unix, allocator=jemalloc, save=60 1]")
    assert isinstance(found, SpawnedServer)
    assert found.name == "valkey@9.1[io-threads=2, transport=unix, allocator=jemalloc, save=60 1]"
    assert (found.transport, found.allocator, found.io_threads) == ("unix", "jemalloc", 2)
    assert found.settings == {"io-threads": "2", "save": "60 1"}


def test_a_cluster_has_as_many_nodes_as_its_name_says() -> None:
    """One that is not a cluster has no number of them, and says nothing of it in a manifest."""
    found = SHIPPED.server("valkey@9.1[primaries=3, replicas=1, cluster-node-timeout=2000]")
    assert isinstance(found, SpawnedServer)
    assert (found.primaries, found.replicas, processes_of(found)) == (3, 1, 6)
    assert found.settings == {"cluster-node-timeout": "2000"}
    plain = SHIPPED.server("valkey@9.1")
    assert processes_of(plain) == 1
    assert not {"primaries", "replicas", "sentinels"} & plain.model_dump().keys()


def test_sentinels_watch_one_replica_unless_more_are_named() -> None:
    """They are no processes that anybody waits for."""
    found, more = (SHIPPED.server(f"redis@8.2[sentinels=3{rest}]") for rest in ("", ",replicas=2"))
    assert isinstance(found, SpawnedServer)
    assert isinstance(more, SpawnedServer)
    assert (found.sentinels, found.replicas, found.kind, processes_of(found)) == (3, 1, "sentinel", 2)
    assert (more.sentinels, more.replicas) == (3, 2)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("spawned[primaries=0]", "primaries Input should be greater than or equal to 1"),
        ("spawned[primaries=many]", "primaries Input should be a valid integer"),
        ("spawned[replicas=1]", "replicas are those of a cluster's primaries: add `primaries`"),
        ("spawned-unix[primaries=1]", "the nodes of a cluster are reached by TCP"),
        ("spawned[sentinels=3,primaries=3]", "a cluster has no sentinels"),
        ("spawned[sentinels=3,replicas=0]", "sentinels need a replica that can take the primary's place"),
        ("spawned-tls[sentinels=3]", "`transport` must be tcp"),
        ("spawned[cluster-enabled=yes]", "`cluster-enabled` is set by respmark"),
        ("spawned[io-threads]", "`io-threads` has no value"),
        ("spawned[port=6379]", "`port` is set by respmark"),
        ("spawned[transport=pipe]", "transport Input should be 'tcp', 'unix' or 'tls'"),
        ("valkey[io-threads=2]", "options are for servers that respmark starts as processes"),
        ("redis@5.0", "there is no server `redis@5.0`; there are: .*redis@6.2"),
    ],
)
def test_what_a_server_cannot_be_is_refused(name: str, said: str) -> None:
    with pytest.raises(InvalidRequestError, match=said):
        SHIPPED.server(name)


def test_an_unknown_server_that_is_nearly_a_url_does_not_show_a_password() -> None:
    """A URL with one slash too few is taken for a name; the message must not print what is in it."""
    with pytest.raises(InvalidRequestError) as caught:
        SHIPPED.server(f"redis:/user:{HIDDEN}@host:6379")
    assert HIDDEN not in str(caught.value)


def test_every_option_is_measured_at_every_value_by_the_suite_of_options() -> None:
    """One that it does not measure has no figure to change; a value counts where its scenario is supported."""
    measured = {
        (cell.client.library, option, value)
        for cell in make_plan(Request(suite="options"), SHIPPED).cells
        if cell.unsupported is None
        for option, value in cell.client.options.items()
    }
    owed = {
        (spec.library, option, value)
        for spec in SHIPPED.clients.values()
        for option, found in spec.options.items()
        for value in found.values
        if not found.cluster
    }
    assert owed - measured == set()


TINY = """
language = "python"
summary = "mine"
adapter = "tiny.py"
scenarios = ["sync"]
cannot = [{ what = "form=queued", why = "no" }]
[[variants]]
"""


def own(folder: Path, text: str = "") -> Path:
    """Write a client's folder of the user's, which cannot do anything but `sync` unless a text says otherwise."""
    rest = [one for one in LOOP_SCENARIOS if one is not Scenario.SYNC]
    cannot = "".join(f'{{ what = "{one}", why = "no" }}, ' for one in rest)
    folder.mkdir(parents=True)
    (folder / "client.toml").write_text(text or TINY.replace("cannot = [", f"cannot = [{cannot}"), encoding="utf-8")
    return folder


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Catalogue]:
    """Return the specs of the checkout with folders of the user's."""

    def catalogue(*folders: Path) -> Catalogue:
        monkeypatch.setenv(OWN_CLIENTS, ":".join(map(str, folders)))
        return Catalogue(FOLDER)

    return catalogue


@pytest.mark.parametrize(
    "text", ["is = = broken", "summary = 1", 'language = "cobol"', 'language = "python"\ncannot = 5']
)
def test_a_client_whose_file_is_broken_is_left_out_alone(
    tmp_path: Path, known: Callable[..., Catalogue], text: str
) -> None:
    """Others are found as ever; whoever names it reads what is wrong."""
    catalogue = known(own(tmp_path / "broken", text), own(tmp_path / "tiny"))
    assert [one.name for one in catalogue.named(["tiny", "redis-py"])] == ["tiny", "redis-py"]
    assert set(catalogue.broken) == {"broken"}
    with pytest.raises(SpecError, match=str(tmp_path / "broken" / "client.toml")):
        catalogue.named(["broken"])


def test_no_two_clients_have_the_same_name(tmp_path: Path, known: Callable[..., Catalogue]) -> None:
    """Tables tell them apart by it: neither two of the user's, nor one of them and one that is shipped."""
    one, other = own(tmp_path / "a" / "tiny"), own(tmp_path / "b" / "tiny")
    with pytest.raises(InvalidRequestError, match=f"{other} and {one} have the same name, `tiny`"):
        known(one, other).clients  # noqa: B018 - reads them
    with pytest.raises(InvalidRequestError, match="redis-py and a client of respmark have the same name"):
        known(own(tmp_path / "redis-py")).clients  # noqa: B018 - as above


def test_a_suite_names_folders_that_lie_beside_it(
    tmp_path: Path, known: Callable[..., Catalogue], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the command is typed; a build begins there, too."""
    catalogue = known()
    own(tmp_path / "bench" / "tiny")
    suite = tmp_path / "bench" / "mine.toml"
    suite.write_text(
        GOOD.replace('["lib"]', '["redis-py", "./tiny"]')
        + '[[trials]]\nscenario = "sync"\nclients = ["./tiny@file:../head", "redis-py@file:/abs"]\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    found = catalogue.suite("bench/mine.toml")
    assert found.clients == ("redis-py", "tiny")
    assert found.trials[1].clients == ("tiny@file:head", "redis-py@file:/abs")
    assert "tiny" in catalogue.clients


GOOD = """
name = "mine"
summary = "for tests"
workload = "quick"
rounds = 3
laps = 3
slice_s = 1
lead_in_s = 0.1
warmup_limit_s = 1.0
clients = ["lib"]

[[trials]]
scenario = "batching"
shape = { depth = [1, 10] }
"""


def suite_of(folder: Path, text: str) -> SuiteSpec:
    """Load a suite of this text."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, SuiteSpec)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "rounds = 3",
            "rounds = 3\nwarm_up_s = 1",
            "`warm_up_s`: is not a key that respmark knows; it knows: warmup_limit_s, ",
        ),
        ("rounds = 3", 'rounds = "3"', "`rounds`: should be a valid integer (is '3')"),
        ("rounds = 3", "rounds = 0", "`rounds`: should be greater than or equal to 1 (is 0)"),
        ("rounds = 3", "", "`rounds`: Field required"),
        ("rounds = 3", "rounds = = 3", "is not TOML: Invalid value (at line 5"),
        ('"batching"', '"bulk"', "`trials.[1].scenario`: should be 'sync', 'pipelining', 'batching'"),
        ("lead_in_s = 0.1\nwarmup_limit_s = 1.0", "", "`lead_in_s`: Field required; `warmup_limit_s`: Field required"),
    ],
)
def test_a_fault_is_reported_with_file_and_key(tmp_path: Path, before: str, after: str, said: str) -> None:
    """How it is wrong, what it was, and what is allowed; all faults at once."""
    with pytest.raises(SpecError) as caught:
        suite_of(tmp_path, GOOD.replace(before, after))
    assert caught.value.exit_code is ExitCode.INVALID_REQUEST
    assert str(tmp_path / "mine.toml") in str(caught.value)
    assert said in str(caught.value)
