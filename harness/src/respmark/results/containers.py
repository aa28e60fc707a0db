"""What a run's manifest says about its containers."""

from pydantic import Field

from respmark.contract.base import Message


class Engine(Message):
    """What runs the containers."""

    docker: str
    """The engine's version."""
    compose: str
    operating_system: str
    kernel: str
    cpus: int
    memory_bytes: int
    security: list[str]
    """What confines containers: seccomp, apparmor, rootless, ..."""


class Image(Message):
    """An image that containers of a run were made from."""

    name: str
    id: str
    size_bytes: int
    labels: dict[str, str]
    """Versions, among others, and whether it is another build than its name says (`stand-in.of`)."""


class Limits(Message):
    """What a container may use."""

    service: str
    memory_bytes: int | None
    cpus: str | None
    """CPU set; null: any."""


class Containers(Message):
    """How a run's containers were run."""

    engine: Engine
    cgroup_version: int | None
    """Version of the control groups by which CPU was counted; null: they cannot be read from here."""
    images: list[Image]
    limits: list[Limits] = Field(default_factory=list)
    network: str = "bridge"
