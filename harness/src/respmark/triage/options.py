"""What is to be watched, and for how long."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WatchOptions:
    """What the command's options say."""

    seconds: float
    keys: int = 0
    """How many keys are sampled at most."""
    monitor: bool = False
    shows_keys: bool = False
    client_list: bool = True
    """Whether CLIENT LIST is asked for at all."""
