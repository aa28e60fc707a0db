"""Subscribers of the run's own, on a real server."""

from respmark.servers.audience import audience, lost_subscribers
from respmark.servers.control import Control
from respmark.servers.node import Node


def test_a_subscriber_that_is_lost_is_told(server: Node) -> None:
    """The sentence has the channel, how many are left out of how many, and what to do."""
    with Control(server.endpoint) as control, audience(server.endpoint, "news", 3):
        assert lost_subscribers(control, "news", 3) is None
        victim = next(one for one in _clients(control) if "sub=1" in one)
        control.command("CLIENT", "KILL", "ID", victim.split()[0].removeprefix("id="))
        assert lost_subscribers(control, "news", 3) == (
            "the channel news has lost 1 of its 3 subscribers: the server disconnects those that do not keep up; "
            "raise its `client-output-buffer-limit` for pubsub, or publish less"
        )


def _clients(control: Control) -> list[str]:
    answer = control.command("CLIENT", "LIST", "TYPE", "pubsub")
    assert isinstance(answer, bytes)
    return answer.decode().splitlines()
