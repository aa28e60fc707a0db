"""Is docker there, what is it, and what does it say; and the images that it builds."""

import json
from pathlib import Path

import pytest

from respmark import __version__
from respmark.containers.engine import Images, client, compose, describe, examine, services
from respmark.errors import ContainerError, ExitCode
from tests.containers.conftest import FakeDocker

SILENT = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"


def test_the_engine_is_described(docker: FakeDocker) -> None:
    """As the manifest keeps it."""
    options = ["name=seccomp,profile=builtin", "name=rootless"]
    docker.answer("info", stdout=json.dumps({"ServerVersion": "28.5.1", "NCPU": 4, "SecurityOptions": options}))
    engine = examine(compose())
    assert (engine.docker, engine.compose, engine.cpus) == ("28.5.1", "2.40.0", 4)
    assert engine.security == ["seccomp", "rootless"]


def test_no_docker_is_told_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_what_does_not_work_is_told_in_dockers_words(
    docker: FakeDocker, words: tuple[str, ...], answer: dict[str, object], said: str
) -> None:
    """The last lines, and where it stands what to do."""
    docker.answer(*words, **answer)
    with pytest.raises(ContainerError) as caught:
        examine(compose())
    assert said in str(caught.value)
    assert caught.value.exit_code is ExitCode.NOTHING_RAN


def test_runners_are_told_from_targets(docker: FakeDocker) -> None:
    """By their profile."""
    found = services(compose())
    assert set(found.targets) == {"valkey", "redis"}
    assert set(found.runners) == {"python"}
    assert docker.calls("--profile", "runners", "config")


def test_an_image_is_built_once_whoever_asks(docker: FakeDocker) -> None:
    """With the version that its label carries; the user hears of it."""
    notes: list[str] = []
    images = Images(notes.append)
    images.build(compose(), "python")
    images.build(compose(), "python")
    (call,) = docker.calls("compose", "build", "python")
    assert f"VERSION={__version__}" in call
    (note,) = notes
    assert "`python`" in note


def test_an_image_that_cannot_be_built_is_told_every_time_and_tried_once(docker: FakeDocker) -> None:
    """The last lines name the cause; the command that shows all of it stands there, too."""
    said = "".join(f"#{number} npm ci\n" for number in range(50)) + "#50 ERROR: exit code: 1\n"
    docker.fail("compose", "build", stderr=said)
    images = Images(lambda _note: None)
    for _ in range(2):
        with pytest.raises(
            ContainerError, match=r"`docker compose build node` [\s\S]*#49 npm ci\s+#50 ERROR: exit code: 1"
        ):
            images.build(compose(), "node")
    assert len(docker.calls("compose", "build")) == 1


def test_images_are_described_with_their_labels(docker: FakeDocker) -> None:
    """Whether it is what its name says stands there; an image that is gone is left out."""
    docker.fail("image", "inspect", stderr="Error: No such image: gone")
    shown = [{"Id": "sha256:1", "Size": 5, "Config": {"Labels": {"stand-in.of": "redis:8.0"}}}]
    docker.answer("image", "inspect", "redis:8.0", stdout=json.dumps(shown))
    (image,) = describe(compose(), ["redis:8.0", "gone"])
    assert (image.name, image.id, image.size_bytes) == ("redis:8.0", "sha256:1", 5)
    assert image.labels == {"stand-in.of": "redis:8.0"}
