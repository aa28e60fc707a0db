"""What set-up could not get: an exception inside the room, a value outside."""

from respmark.contract.base import Message


class Missing(Exception):  # noqa: N818 - says what happened
    """A command, a package or what a step makes is not here and could not be installed; says why, and what to do."""

    def __init__(self, sentence: str, advice: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.advice = advice


class MissingStatus(Message):
    """The same, as a file says it to whoever starts runners."""

    sentence: str
    advice: str
