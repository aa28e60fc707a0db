"""Garbage from before the first slice."""

import gc


def set_aside() -> None:
    """Collect garbage, and move what exists now out of the collector's way.

    The collector stays on, as users have it, but no collection inside a slice should walk through the runner's objects.
    """
    gc.collect()
    gc.freeze()
