"""Runner specs: how to start the program that drives a language's clients."""

from pathlib import Path

from respmark.contract.base import Message
from respmark.paths import ROOT


class RunnerSpec(Message):
    """A runner, as `specs/runners/*.toml` gives it."""

    name: str
    language: str
    command: tuple[str, ...]
    """Program and arguments; paths are relative to the checkout, `{environment}` is filled in."""
    bare: tuple[str, ...]
    """The same for its hand-written bare loops; `{library}` and `{module}` (with underscores) are filled in."""
    advice: str
    """What to do when it is missing."""

    def command_for(self, environment: str) -> list[str]:
        """Return the runner's command."""
        return _filled(self.command, environment=environment)

    def bare_for(self, environment: str, library: str) -> list[str]:
        """Return the command of the bare loops of one library."""
        return _filled(self.bare, environment=environment, library=library, module=library.replace("-", "_"))


def _filled(command: tuple[str, ...], **names: str) -> list[str]:
    return [_rooted(word.format(**names)) for word in command]


def _rooted(word: str) -> str:
    return str(ROOT / word) if "/" in word and not Path(word).is_absolute() else word
