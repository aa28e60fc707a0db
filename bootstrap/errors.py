"""What can go wrong in set-up; every error says what failed and what to do next."""


class RequestError(Exception):
    """The request is not valid (exit code 2)."""


class Missing(Exception):  # noqa: N818 - says what happened
    """A command, a package or what a step makes is not here and could not be installed; says why, and what to do."""

    def __init__(self, sentence: str, advice: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.advice = advice


class CannotContinue(Missing):
    """Without this the harness cannot be set up, so nothing can (exit code 3)."""
