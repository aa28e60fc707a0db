"""Runners on a machine that has no time for them, and one that only says so."""

import socket
import threading
import time
from pathlib import Path
from typing import Final

from respmark.conform.tries import GAVE_UP_S
from respmark.contract.events import Slice
from respmark.contract.trial import TrialRequest
from tests.conform.double.honest import Honest, TargetLostError
from tests.conform.double.liar import Liar
from tests.conform.double.tinyresp import Connection, encoded


def is_first(trial: TrialRequest) -> bool:
    """Tell whether it is the first trial of this client with its workload; the next ones are not."""
    note = Path(trial.workload.path).with_suffix(f".{trial.client.options['lie']}")
    is_there = note.exists()
    note.touch()
    return not is_there


class Slow(Liar):
    """As slow as on a machine that has no time for it: no more than a unit a slice."""

    def closed_loop(self, lane: int, deadline: float) -> int:
        """Perform one unit, and get no time for another."""
        done = super().closed_loop(lane, time.monotonic())
        waited_s = max(0.0, deadline - time.monotonic())
        time.sleep(waited_s)
        self.sampled_ns += round(waited_s * 1e9)
        return done


class SlowOnce(Slow):
    """Slow in the first trial with its workload, and not in those after."""

    def __init__(self, trial: TrialRequest) -> None:
        super().__init__(trial)
        self.slow = is_first(trial)

    def closed_loop(self, lane: int, deadline: float) -> int:
        """Be slow or as others are."""
        return super().closed_loop(lane, deadline) if self.slow else Honest.closed_loop(self, lane, deadline)


class Hurried(Liar):
    """Has a timeout, as libraries have: counts an error where a reply takes longer, and goes on."""

    def connect(self) -> Connection:
        """Wait no longer than this for a reply."""
        connection = super().connect()
        assert connection._socket is not None
        connection._socket.settimeout(GAVE_UP_S + 0.1)
        return connection

    def reconnect(self, lane: int, error: Exception) -> None:
        """Drop the connection on which the reply is still to come."""
        self.connections[lane].close()
        super().reconnect(lane, error)


class Skittish(Liar):
    """Counts an error that neither came nor follows from any wait."""

    def claim(self, answer: Slice) -> Slice:
        """Add it."""
        return answer.model_copy(update={"errors": {"TimeoutError": 1}, "first_error": "timed out"})


class Mute(Liar):
    """Loses its first command, gives up, and asks the target why."""

    def verify(self) -> int:
        """Send nothing of the workload."""
        inquiry = self.connect()
        inquiry.batch([(b"PING",), (b"ROLE",)])
        message = "nothing was answered"
        raise TargetLostError(message)


class MuteOnce(Mute):
    """Mute in the first trial with its workload, and not in those after."""

    def verify(self) -> int:
        """Be mute, or verify as others do."""
        return super().verify() if is_first(self.trial) else Honest.verify(self)


class Belated(Liar):
    """Is ready before its second connection, which it opens for subscriptions, has introduced itself."""

    def open(self) -> None:
        """Open both."""
        super().open()
        self.second = socket.create_connection((self.trial.target.host, self.trial.target.port))
        introduction = threading.Timer(0.05, self.second.sendall, [encoded((b"AUTH", b"of no account"))])
        introduction.daemon = True
        introduction.start()


SLOW: Final[dict[str, type[Liar]]] = {
    "slow": Slow,
    "slow-once": SlowOnce,
    "hurried": Hurried,
    "skittish": Skittish,
    "mute": Mute,
    "mute-once": MuteOnce,
    "belated": Belated,
}
