"""What is wrong with bytes that are not RESP."""

from respmark.errors import RespmarkError


class WireError(RespmarkError):
    """A connection carries something that is not RESP as we know it."""


class TraceFileError(RespmarkError):
    """A trace file cannot be read."""
