"""Building images."""

import pytest

from respmark import __version__
from respmark.containers.compose import compose
from respmark.containers.images import Images, describe
from respmark.errors import ContainerError
from tests.containers.conftest import FakeDocker


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
    """The last lines name the cause."""
    docker.fail("compose", "build", stderr="#9 npm ci\n#9 ERROR: exit code: 1\n")
    images = Images(lambda _note: None)
    for _ in range(2):
        with pytest.raises(ContainerError, match="ERROR: exit code: 1"):
            images.build(compose(), "node")
    assert len(docker.calls("compose", "build")) == 1


def test_images_are_described_with_their_labels(docker: FakeDocker) -> None:
    """Whether it is what its name says stands there; an image that is gone is left out."""
    docker.fail("image", "inspect", stderr="Error: No such image: gone")
    docker.answer(
        "image",
        "inspect",
        "redis:8.0",
        stdout='[{"Id": "sha256:1", "Size": 5, "Config": {"Labels": {"stand-in.of": "redis:8.0"}}}]',
    )
    (image,) = describe(compose(), ["redis:8.0", "gone"])
    assert (image.name, image.id, image.size_bytes) == ("redis:8.0", "sha256:1", 5)
    assert image.labels == {"stand-in.of": "redis:8.0"}
