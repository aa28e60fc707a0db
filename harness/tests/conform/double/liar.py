"""What all liars have in common."""

from respmark.contract.events import Result, Slice
from tests.conform.double.honest import Honest


class Liar(Honest):
    """What liars have in common: nothing."""

    def before_slice(self) -> None:
        """Do something between `ready` and the slice's order."""

    def after_slice(self) -> None:
        """Do something after the slice is answered."""

    def claim(self, answer: Slice) -> Slice:
        """Change the answer."""
        return answer

    def tell(self, result: Result) -> Result:
        """Change the result."""
        return result


class SubtleLiar(Liar):
    """One whose lie does not show in every command: it takes the time for enough of them, on a busy machine, too."""

    least_commands = 50
