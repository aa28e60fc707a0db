"""Subscribers of the run's own: they read what a workload publishes, and drop it."""

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.servers.control import Control

READ_BYTES: Final = 1 << 16


@contextlib.contextmanager
def audience(endpoint: Endpoint, channel: str, count: int) -> Iterator[None]:
    """Let `count` connections subscribe to a channel and read until the context ends.

    Raises TargetError if the server refuses one of them.
    """
    with contextlib.ExitStack() as held:
        subscribers = [held.enter_context(Control(endpoint)).subscribe(channel) for _ in range(count)]
        told, teller = socket.socketpair()
        held.enter_context(told)
        reading = threading.Thread(target=_read, args=(subscribers, told), daemon=True)
        reading.start()
        try:
            yield
        finally:
            teller.close()
            reading.join()


def lost_subscribers(control: Control, channel: str, count: int) -> str | None:
    """Return what is wrong if fewer than `count` connections listen to a channel; None if nothing is.

    The server says how many there are: it disconnects those that do not keep up.
    """
    _, listening = control.command("PUBSUB", "NUMSUB", channel)
    if listening >= count:
        return None
    return (
        f"the channel {channel} has lost {count - listening} of its {count} subscribers: the server disconnects those "
        "that do not keep up; raise its `client-output-buffer-limit` for pubsub, or publish less"
    )


def _read(subscribers: Sequence[socket.socket], told: socket.socket) -> None:
    """Read from all of them until the other end of `told` is closed."""
    with selectors.DefaultSelector() as waiting:
        for one in (*subscribers, told):
            waiting.register(one, selectors.EVENT_READ, one)
        while True:
            ready: list[socket.socket] = [key.data for key, _ in waiting.select()]
            if told in ready:
                return
            for one in ready:
                if not _received(one):
                    waiting.unregister(one)


def _received(subscriber: socket.socket) -> bool:
    """Return whether something came; nothing comes from a connection that is lost."""
    try:
        return bool(subscriber.recv(READ_BYTES))
    except OSError:
        return False
