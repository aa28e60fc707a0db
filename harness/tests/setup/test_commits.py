"""Commits of a library: listed, checked out and built, with git itself."""

from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError
from respmark.setup.commits import SHORT, built_commit, commit_of, commits_between, newest_commit
from respmark.setup.host import Missing, SetupHost
from respmark.specs.client import ClientSpec
from respmark.specs.runner import CommitSpec, RunnerSpec
from tests.builders.plan import SHIPPED
from tests.git import git

PYTHON = SHIPPED.runners["python"]
SPEC = SHIPPED.clients["redis-py"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of three commits, the first of them tagged; a branch was merged into the second."""
    path = tmp_path / "library"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    commit(path, "first")
    git(path, "tag", "v1.0.0")
    git(path, "checkout", "--quiet", "-b", "branch")
    commit(path, "on a branch")
    git(path, "checkout", "--quiet", "main")
    git(path, "merge", "--quiet", "--no-ff", "--message=second", "branch")
    commit(path, "third")
    return path


def commit(repository: Path, subject: str) -> None:
    (repository / "setup.py").write_text(subject)
    git(repository, "add", "setup.py")
    git(repository, "commit", "--quiet", f"--message={subject}")


@pytest.fixture
def host(tmp_path: Path) -> SetupHost:
    return SetupHost(tmp_path, tmp_path, tmp_path / ".build", say=lambda _text: None)


def with_build(*commands: str, makes: tuple[str, ...], proof: str = "") -> RunnerSpec:
    """Return the runner with a build of its commits."""
    assert PYTHON.setup is not None
    client = PYTHON.setup.client.model_copy(update={"commit": CommitSpec(commands=commands, makes=makes, proof=proof)})
    return PYTHON.model_copy(update={"setup": PYTHON.setup.model_copy(update={"client": client})})


def test_a_build_has_the_commit_of_its_checkout(repository: Path, host: SetupHost, tmp_path: Path) -> None:
    """Also a file that its build has made in it; it is told if files were changed since."""
    sha = git(repository, "rev-parse", "HEAD")[:SHORT]
    (repository / "server").mkdir()
    (repository / "server" / "lib-1.2.jar").touch()
    assert commit_of(repository, host) == commit_of(repository / "server" / "lib-1.2.jar", host) == sha
    (repository / "setup.py").write_text("changed")
    assert commit_of(repository, host) == f"{sha}-dirty"
    (tmp_path / "no-checkout").mkdir()
    assert commit_of(tmp_path / "no-checkout", host) is None


def test_commits_are_listed_along_the_first_parents(repository: Path, host: SetupHost) -> None:
    """With both ends; what was merged is one commit."""
    found = commits_between(repository, "v1.0.0", "main", host)
    assert [one.subject for one in found] == ["first", "second", "third"]
    assert found[0].words.startswith(found[0].sha[:SHORT] + " (")


@pytest.mark.parametrize(
    ("older", "newer", "words"),
    [
        ("v1.0.1", "main", "there is no commit `v1.0.1` in .*; the nearest tags are v1.0.0"),
        ("main", "v1.0.0", "main is not older than v1.0.0: name the older commit first"),
        ("main", "HEAD", "main and HEAD are the same commit"),
    ],
)
def test_commits_that_cannot_be_searched_are_refused(
    repository: Path, host: SetupHost, older: str, newer: str, words: str
) -> None:
    with pytest.raises(InvalidRequestError, match=words):
        commits_between(repository, older, newer, host)


def test_a_folder_without_a_repository_is_refused(tmp_path: Path, host: SetupHost) -> None:
    with pytest.raises(InvalidRequestError, match="not a git repository that can be read"):
        commits_between(tmp_path / "none", "a", "b", host)


def test_a_commit_is_checked_out_beside_the_repository(repository: Path, host: SetupHost) -> None:
    """Twice the same folder; the repository stays as it was."""
    first, *_, last = commits_between(repository, "v1.0.0", "main", host)
    before = git(repository, "status", "--porcelain", "--branch"), git(repository, "worktree", "list")
    folder = built_commit(repository, first, SPEC, PYTHON, host)
    assert (folder / "setup.py").read_text() == "first"
    assert (built_commit(repository, last, SPEC, PYTHON, host) / "setup.py").read_text() == "third"
    assert built_commit(repository, first, SPEC, PYTHON, host) == folder
    assert (git(repository, "status", "--porcelain", "--branch"), git(repository, "worktree", "list")) == before


def test_a_commit_is_built_once_by_the_librarys_own_build(repository: Path, host: SetupHost) -> None:
    """Of several files that the build makes, the one with the shortest name is the library."""
    first, *_ = commits_between(repository, "v1.0.0", "main", host)
    runner = with_build("touch lib-1.0.jar lib-1.0-sources.jar", "sh -c 'echo >> built'", makes=("lib-[0-9]*.jar",))
    jar = built_commit(repository, first, SPEC, runner, host)
    assert jar.name == "lib-1.0.jar"
    assert built_commit(repository, first, SPEC, runner, host) == jar
    assert (jar.parent / "built").read_text() == "\n"


def test_a_build_that_fails_shows_its_own_line_and_the_log(repository: Path, host: SetupHost) -> None:
    first, *_ = commits_between(repository, "v1.0.0", "main", host)
    with pytest.raises(Missing, match=r"Client\.java: cannot find symbol") as caught:
        built_commit(
            repository,
            first,
            SPEC,
            with_build("sh -c 'echo Client.java: cannot find symbol; exit 1'", makes=("*.jar",)),
            host,
        )
    assert caught.value.advice == f"See {host.log(f'redis-py-{first.sha[:SHORT]}')}"


def test_a_language_whose_commits_cannot_be_built_says_what_to_do(repository: Path, host: SetupHost) -> None:
    first, *_ = commits_between(repository, "v1.0.0", "main", host)
    assert PYTHON.setup is not None
    client = PYTHON.setup.client.model_copy(update={"commit": None})
    runner = PYTHON.model_copy(update={"setup": PYTHON.setup.model_copy(update={"client": client})})
    with pytest.raises(InvalidRequestError, match="Python has no --git: build each commit yourself, and compare"):
        built_commit(repository, first, SPEC, runner, host)


def test_a_release_on_a_branch_of_its_own_is_followed_by_what_came_since(repository: Path, host: SetupHost) -> None:
    """From where the branch began: what is only on the branch is in no newer version."""
    git(repository, "checkout", "--quiet", "-b", "release", "v1.0.0")
    commit(repository, "on the release's branch")
    found = commits_between(repository, "release", "main", host)
    assert [one.subject for one in found] == ["on the release's branch", "first", "second", "third"]


def test_commits_that_leave_the_checkout_itself_are_built_once(repository: Path, host: SetupHost) -> None:
    """What proves that is another file than what is taken."""
    first, *_ = commits_between(repository, "v1.0.0", "main", host)
    runner = with_build("sh -c 'mkdir -p packed; echo >> packed/lib.tgz'", makes=("nothing", "."), proof="packed/*.tgz")
    checkout = built_commit(repository, first, SPEC, runner, host)
    assert built_commit(repository, first, SPEC, runner, host) == checkout
    assert (checkout / "packed" / "lib.tgz").read_text() == "\n"


def test_every_language_with_a_registry_builds_commits() -> None:
    named = [spec for spec in SHIPPED.clients.values() if spec.repository]
    assert {spec.runner for spec in named} == {"python", "node", "java", "go", "php", "dotnet", "rust"}
    assert all(SHIPPED.runners[spec.runner].environment.commit for spec in named)


def of_repository(repository: Path) -> ClientSpec:
    """Return the library with this repository."""
    return SPEC.model_copy(update={"repository": str(repository)})


def test_main_is_the_newest_commit_of_the_librarys_repository(repository: Path, host: SetupHost) -> None:
    """Whatever its branch is called, and fetched each time."""
    git(repository, "branch", "--quiet", "--move", "main", "trunk")
    clone, newest = newest_commit(of_repository(repository), host)
    assert newest.subject == "third"
    commit(repository, "fourth")
    clone, newest = newest_commit(of_repository(repository), host)
    assert newest.subject == "fourth"
    assert (built_commit(clone, newest, SPEC, PYTHON, host) / "setup.py").read_text() == "fourth"


def test_a_repository_that_does_not_answer_is_named(repository: Path, host: SetupHost, tmp_path: Path) -> None:
    """What was fetched before is used, and that is said."""
    said = list[str]()
    host.say = said.append
    spec = of_repository(repository)
    gone = tmp_path / "gone"
    with pytest.raises(
        InvalidRequestError, match=r"redis-py@main: .*/gone cannot be reached \(fatal: .*redis-py@file:"
    ):
        newest_commit(of_repository(gone), host)
    newest_commit(spec, host)
    repository.rename(gone)
    assert newest_commit(spec, host)[1].subject == "third"
    assert f"redis-py@main: {repository} did not answer (fatal: " in said[-1]


def test_a_library_without_a_known_repository_has_no_main(host: SetupHost) -> None:
    with pytest.raises(InvalidRequestError, match="valkey-glide-python@main: no repository of it is known"):
        newest_commit(SHIPPED.clients["valkey-glide-python"], host)
