"""What a run's manifest says of its containers."""

from pydantic import Field

from respmark.containers.engine import Engine
from respmark.containers.images import Image
from respmark.contract.base import Message


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
    """Of the control groups that CPU was counted by; null: they cannot be read from here."""
    images: list[Image]
    limits: list[Limits] = Field(default_factory=list)
    network: str = "bridge"
