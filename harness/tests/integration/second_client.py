"""A user of the server under test: writes keys of its own all the time, and knows what must be there."""

import threading
from types import TracebackType
from typing import Final, Self

from respmark.contract.trial import Endpoint
from respmark.servers.control import Control

KEYS: Final = 2000
"""Then it begins to write new values to them."""
HOUR_MS: Final = 3_600_000


class SecondClient:
    """Writes plain keys, keys with a long TTL, lists and counters that must stay, and keys that expire at once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._ended = threading.Event()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.rounds = 0
        self.plain: dict[str, bytes] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        self._begun.wait()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def lost(self) -> list[str]:
        """Return which of its keys are not there, or not as it wrote them; call it when it has ended."""
        with Control(self._endpoint) as control:
            lost = [key for key, value in self.plain.items() if control.command("GET", key) != value]
            if int(control.command("GET", "user:counter") or 0) != self.rounds:
                lost.append("user:counter")
            if control.command("LLEN", "user:list") != self.rounds:
                lost.append("user:list")
        return lost

    def _work(self) -> None:
        with Control(self._endpoint) as control:
            while not self._ended.is_set():
                self._write(control)
                self.rounds += 1
                if self.rounds == 10:
                    self._begun.set()

    def _write(self, control: Control) -> None:
        number = self.rounds % KEYS
        plain, lasting, value = f"user:{number}", f"user:lasting:{number}", str(self.rounds).encode()
        control.command("SET", plain, value)
        control.command("SET", lasting, value, "PX", HOUR_MS)
        self.plain |= {plain: value, lasting: value}
        control.command("SET", f"user:passing:{number}", value, "PX", 1)
        control.command("RPUSH", "user:list", value)
        control.command("INCR", "user:counter")


def own_keys_left(endpoint: Endpoint) -> int:
    with Control(endpoint) as control:
        return len(control.command("KEYS", "respmark:*"))


def commands_seen(endpoint: Endpoint) -> set[str]:
    with Control(endpoint) as control:
        lines = control.command("INFO", "commandstats").decode().splitlines()
    return {line.partition(":")[0].removeprefix("cmdstat_") for line in lines if line.startswith("cmdstat_")}
