"""The commands and replies of one connection, so that some commands can be answered with an error."""

from collections import deque

from respmark.network.resp import RespStream, answers_nothing
from respmark.network.treatments import Refusal


class Framing:
    """Follows both directions of a connection from its beginning; raises WireError if they are not RESP."""

    def __init__(self) -> None:
        self.refusal: Refusal | None = None
        """What is refused now; None: nothing."""
        self._commands, self._replies = RespStream(), RespStream()
        self._due: deque[bytes | None] = deque()
        """For each command that has no reply yet, in order: the error that it gets; None: the server replies."""

    def requests(self, content: bytes) -> tuple[bytes, bytes, int]:
        """Take what came from the client; return what the server gets, what the client gets, and how many are refused.

        Of a command that is not complete, nobody gets anything.
        """
        passed, refused = bytearray(), 0
        for message, words in self._commands.feed(content):
            if self.refusal is not None and isinstance(words, list) and self.refusal.concerns(words[0]):
                self._due.append(self.refusal.reply)
                refused += 1
            else:
                self._due.append(None)
                passed += message
        return bytes(passed), self._errors(), refused

    def replies(self, content: bytes) -> bytes:
        """Take what came from the server; return what the client gets."""
        found = bytearray()
        for message, _ in self._replies.feed(content):
            found += message
            if self._due and not answers_nothing(message):
                self._due.popleft()
                found += self._errors()
        return bytes(found)

    def _errors(self) -> bytes:
        """Return the errors that nothing stands before any more."""
        found = bytearray()
        while self._due and (error := self._due[0]) is not None:
            found += error
            self._due.popleft()
        return bytes(found)
