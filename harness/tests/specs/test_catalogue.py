"""The specs of a folder, and that every shipped one loads."""

from pathlib import Path

import pytest

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError, SpecError
from respmark.paths import HARNESS
from respmark.plan.expand import Request, make_plan
from respmark.specs.catalogue import Catalogue, dump
from respmark.specs.naming import find_clients
from respmark.specs.target import SpawnedTarget, UrlTarget
from tests.builders.plan import HIDDEN, SHIPPED, client_spec, write_specs

FOLDER = HARNESS / "specs"


def shipped(kind: str) -> list[str]:
    """Return the names of the shipped specs of a kind."""
    return sorted(path.stem for path in (FOLDER / kind).glob("*.toml"))


@pytest.mark.parametrize("name", shipped("suites"))
def test_shipped_suites_load_and_name_what_exists(name: str) -> None:
    """Each suite's file is named as it is; its workload, target and clients exist."""
    suite = SHIPPED.suite(name)
    assert suite.name == name
    assert SHIPPED.workload(suite.workload).name == suite.workload
    assert all(SHIPPED.workload(name).name == name for trials in suite.trials for name in trials.workloads)
    assert SHIPPED.target(suite.target).name == suite.target
    assert all(find_clients(client, SHIPPED.clients) for client in suite.usual_clients)


@pytest.mark.parametrize(
    ("name", "without"), [("smoke", {"caching"}), ("quick", {"caching"}), ("every", set()), ("full", set())]
)
def test_the_suites_that_users_run_have_every_scenario(name: str, without: set[str]) -> None:
    """No scenario was forgotten in the suites that stand for the whole; half of the caches need a newer server."""
    assert {trials.scenario for trials in SHIPPED.suite(name).trials} == set(Scenario) - without


@pytest.mark.parametrize("name", shipped("workloads"))
def test_shipped_workloads_load(name: str) -> None:
    """Each workload's file is named as it is."""
    assert SHIPPED.workload(name).name == name


@pytest.mark.parametrize("name", shipped("targets"))
def test_shipped_targets_load(name: str) -> None:
    """Each target's file is named as it is."""
    assert SHIPPED.target(name).name == name


def test_shipped_clients_load_and_have_a_runner() -> None:
    """Clients are found by their folders, runners by their languages'; every language has a client."""
    assert {spec.runner for spec in SHIPPED.clients.values()} == set(SHIPPED.runners)
    assert {"python", "node", "java", "php", "dotnet"} <= set(SHIPPED.runners)


@pytest.mark.parametrize("name", shipped("post"))
def test_shipped_posts_load(name: str) -> None:
    """Each post's file is named as it is, and its suite exists."""
    assert SHIPPED.post(name).name == name
    assert SHIPPED.suite(SHIPPED.post(name).suite).name == SHIPPED.post(name).suite


def test_every_scenario_is_defined() -> None:
    """The vocabulary and its definitions are the same."""
    assert set(SHIPPED.scenarios) == set(Scenario)


def test_nothing_else_lies_among_the_specs() -> None:
    """Every file there is one that these tests load."""
    kinds = ("suites", "workloads", "targets", "clients", "runners", "post", "guidance")
    known = {FOLDER / kind / f"{name}.toml" for kind in kinds for name in shipped(kind)} | {FOLDER / "scenarios.toml"}
    assert {path for path in FOLDER.rglob("*") if path.is_file()} == known


def test_the_suite_of_commands_has_every_shipped_workload_of_commands_and_sizes() -> None:
    """In every scenario that it has; all but those of the post's sizes, of the wire, and of caches."""
    expected = {*SHIPPED.names("workloads")} - {"post", "quick", "conform", "conform-commands", "caching"}
    assert [set(trials.workloads) for trials in SHIPPED.suite("commands").trials] == [expected] * 3


@pytest.mark.parametrize(("kind", "noun"), [("suite", "suite"), ("workload", "workload"), ("target", "server")])
def test_an_unknown_name_is_answered_with_those_that_exist(kind: str, noun: str) -> None:
    """Whoever misspells a name is told all names."""
    with pytest.raises(InvalidRequestError, match=f"there is no {noun} `nope`") as caught:
        getattr(SHIPPED, kind)("nope")
    assert all(name in str(caught.value) for name in SHIPPED.names(f"{kind}s"))


def test_a_spec_can_be_given_as_a_path(tmp_path: Path) -> None:
    """A path that ends in .toml is read wherever it lies."""
    folder = write_specs(tmp_path)
    assert SHIPPED.suite(str(folder / "suites" / "quick.toml")) == SHIPPED.suite("quick")
    assert SHIPPED.workload(str(folder / "workloads" / "quick.toml")) == SHIPPED.workload("quick")
    assert SHIPPED.target(str(folder / "targets" / "spawned.toml")) == SHIPPED.target("spawned")


def test_a_workloads_path_is_relative_to_its_suite(tmp_path: Path) -> None:
    """A suite and its workload can be passed on together."""
    folder = write_specs(tmp_path)
    (folder / "suites" / "beside.toml").write_bytes((folder / "workloads" / "quick.toml").read_bytes())
    catalogue = Catalogue(folder)
    assert catalogue.workload("beside.toml", beside=catalogue.suite_folder("quick")) == SHIPPED.workload("quick")


@pytest.mark.parametrize("url", ["redis://h:1", "rediss://h", "unix:///s"])
def test_a_url_is_a_target(url: str) -> None:
    """A URL needs no file."""
    target = SHIPPED.target(url)
    assert isinstance(target, UrlTarget)
    assert target.url == url


def test_a_server_may_be_named_by_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its path, or by its name on PATH; how it is started and reached is what is usual."""
    program = tmp_path / "bin" / "my-server"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    usual = SHIPPED.target("spawned")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(program.parent))
    for name in (str(program), "bin/my-server", "my-server"):
        assert SHIPPED.target(name) == usual.model_copy(update={"program": str(program)})
    with pytest.raises(InvalidRequestError, match=r"no server `bin/none`; there are: redis, spawned, .*path"):
        SHIPPED.target("bin/none")


def test_a_targets_file_may_hold_a_url(tmp_path: Path) -> None:
    """A server that is used often has a name; a file without a URL is one to start."""
    folder = write_specs(tmp_path, targets__lab='name = "lab"\nsummary = "s"\nurl = "redis://lab"\n')
    assert isinstance(Catalogue(folder).target("lab"), UrlTarget)
    assert isinstance(Catalogue(folder).target("spawned"), SpawnedTarget)


def test_a_folder_without_clients_is_told(tmp_path: Path) -> None:
    """An empty folder is not an empty answer."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "runner.toml").touch()
    with pytest.raises(SpecError, match="clients: has no specs"):
        _ = Catalogue(tmp_path).clients


def test_a_broken_client_names_its_file(tmp_path: Path) -> None:
    """One file that does not fit is found among many."""
    folder = write_specs(tmp_path, clients__broken='library = "broken"\n')
    with pytest.raises(SpecError, match=r"clients/broken\.toml: .*`runner`: Field required"):
        _ = Catalogue(folder).clients


def test_a_misspelt_scenario_among_the_definitions_is_told(tmp_path: Path) -> None:
    """The file of definitions is checked as the others are."""
    folder = write_specs(tmp_path, scenarios='[bulk]\nsummary = "s"\nwire = "w"\n')
    with pytest.raises(SpecError, match=r"scenarios\.toml.*bulk"):
        _ = Catalogue(folder).scenarios


def test_dump_is_plain_data() -> None:
    """What goes into the manifest has no types of ours."""
    assert dump(SHIPPED.suite("quick"))["trials"] == SHIPPED.suite("quick").model_dump(mode="json")["trials"]


def test_an_unknown_target_that_is_nearly_a_url_does_not_show_a_password() -> None:
    """A URL with one slash too few is taken for a name; the message must not print what is in it."""
    with pytest.raises(InvalidRequestError) as caught:
        SHIPPED.target(f"redis:/user:{HIDDEN}@host:6379")
    assert HIDDEN not in str(caught.value)


def test_own_commands_are_told_in_the_servers_case() -> None:
    """A spec may write them in either case; the server counts them in lower case."""
    assert client_spec(own_commands=["PING", "cluster"]).commands_of_its_own(None) == {"ping", "cluster"}


def test_a_version_may_have_setup_commands_of_its_own() -> None:
    """What only an old version asks of the server is not forgiven to today's."""
    client = SHIPPED.clients["node-redis"]
    assert client.commands_of_its_own(None) == set()
    assert client.commands_of_its_own("3.1.2") == {"info", "quit"}


def test_every_option_is_measured_at_every_value_by_a_suite() -> None:
    """One that no suite measures has no figure that it could change; a value counts where its scenario is supported."""
    names = [name for name in SHIPPED.names("suites") if name != "conform"]
    cells = [cell for name in names for cell in make_plan(Request(suite=name), SHIPPED).cells]
    measured = {
        (cell.client.library, option, value)
        for cell in cells
        if cell.unsupported is None
        for option, value in cell.client.options.items()
    }
    owed = {
        (spec.library, option, value)
        for spec in SHIPPED.clients.values()
        for option, found in spec.options.items()
        for value in found.values
    }
    assert owed - measured == set()
