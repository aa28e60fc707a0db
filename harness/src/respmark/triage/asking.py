"""The only way in which triage asks a server: commands that read, and none other."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from respmark.errors import ServerError, ServerLostError
from respmark.redaction import redacted
from respmark.servers.control import Control
from respmark.triage.snapshot import Refusal

NAME: Final = "respmark-triage"
"""The name of our connections (CLIENT SETNAME), by which SLOWLOG and CLIENT LIST show them."""
READS: Final = frozenset(
    {
        "INFO",
        "CLIENT LIST",
        "CLIENT SETNAME",
        "CLUSTER INFO",
        "CLUSTER NODES",
        "CONFIG GET",
        "LATENCY HISTOGRAM",
        "LATENCY LATEST",
        "MEMORY USAGE",
        "MONITOR",
        "PING",
        "PTTL",
        "SCAN",
        "SLOWLOG GET",
        "TYPE",
    }
)
"""Every command that is sent; what has subcommands, with the one that is sent."""
CONTAINERS: Final = frozenset(name.partition(" ")[0] for name in READS if " " in name)
ONE_KEY: Final = re.compile(r"(?i)permissions to access")
"""A refusal that is about a key, not about the command."""
SAID: Final = 160
"""The most characters of a refusal that are kept."""


class Asker:
    """A connection that sends only what reads, counts what it sent, and remembers what was refused."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.sent: Counter[str] = Counter()
        self.sends = 0
        """How often something was sent, which the server reads at once."""
        self.hidden = 0
        """Replies about keys that this user may not look at; others may be."""
        self.refused: dict[str, Refusal] = {}

    def ask(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - a reply can be anything
        """Return the server's reply; None if it refuses, which is remembered.

        Raises ServerLostError if it does not answer.
        """
        name = command_name(words)
        assert name in READS, name  # noqa: S101 - whatever else is sent is a mistake of ours
        if name in self.refused:
            return None
        self.sent[name] += 1
        self.sends += 1
        try:
            return self.control.command(*words)
        except ServerLostError:
            raise
        except ServerError as error:
            self.refuse(name, error)
            return None

    def ask_all(self, commands: Sequence[tuple[str | bytes, ...]]) -> list[Any]:
        """Return the replies to commands that are sent together; None for each that the server refuses."""
        names = [command_name(words) for words in commands]
        wanted = [(name, words) for name, words in zip(names, commands, strict=True) if name not in self.refused]
        asked = {name for name, _ in wanted}
        assert READS.issuperset(names)  # noqa: S101 - as above
        self.sent.update(name for name, _ in wanted)
        self.sends += bool(wanted)
        replies = iter(self.control.send_all([words for _, words in wanted]))
        return [self._taken(name, next(replies)) if name in asked else None for name in names]

    def _taken(self, name: str, reply: object) -> object:
        if isinstance(reply, ServerError):
            if ONE_KEY.search(str(reply)):
                self.hidden += name == "MEMORY USAGE"
                return None
            self.refuse(name, reply)
            return None
        return reply

    def refuse(self, name: str, error: ServerError) -> None:
        """Remember that the server refuses a command."""
        cause = error.__cause__ or error
        self.refused[name] = Refusal(command=name, said=" ".join(redacted(str(cause)).split())[:SAID])


def command_name(words: Iterable[str | bytes | int]) -> str:
    """Return a command's name, with its subcommand if it has one."""
    first, *rest = (str(word) for word in words)
    return f"{first} {rest[0]}" if first in CONTAINERS else first
