"""Runners that are not what they say, one lie each; the order of their names is that of the double's spec."""

from typing import Final

from tests.conform.double.claims import CLAIMS
from tests.conform.double.liar import Liar
from tests.conform.double.mistakes import MISTAKES
from tests.conform.double.slow import SLOW
from tests.conform.double.window import WINDOW
from tests.conform.double.wire import WIRE

LIES: Final[dict[str, type[Liar]]] = {"none": Liar, **CLAIMS, **WIRE, **SLOW, **MISTAKES, **WINDOW}
