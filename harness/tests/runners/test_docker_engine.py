"""Is docker there, what is it, and what does it say; and the images that it builds."""

from pathlib import Path

import pytest

from respmark.errors import ContainerError, ExitCode
from respmark.runners.docker_engine import client, compose, examine
from tests.runners.conftest import FakeDocker

SILENT = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"


def test_no_docker_is_reported_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody must guess that a program is missing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ContainerError, match=r"docker is not installed .*--via local"):
        client()


@pytest.mark.parametrize(
    ("words", "answer", "said"),
    [
        (
            ("info",),
            {"stderr": f"one\ntwo\n\nthree\n{SILENT}\n", "code": 1},
            f"docker says: two / three / {SILENT}; docs/",
        ),
        (("info",), {"stderr": "", "code": 1}, "docker says: nothing; docs/containers.md"),
        (("info",), {"stdout": "{}"}, "the docker daemon does not answer"),
        (
            ("compose", "version"),
            {"stderr": "'compose' is not a docker command.", "code": 1},
            "asking docker compose: doc",
        ),
    ],
)
def test_what_does_not_work_is_reported_in_dockers_words(
    docker: FakeDocker, words: tuple[str, ...], answer: dict[str, object], said: str
) -> None:
    """The last lines, and where it stands what to do."""
    docker.answer(*words, **answer)
    with pytest.raises(ContainerError) as caught:
        examine(compose())
    assert said in str(caught.value)
    assert caught.value.exit_code is ExitCode.NOTHING_RAN
