"""One walker on the main thread: `sync`, `batching`, `transaction`, `new-connection`."""

from respmark_python.scenarios.loop import run_units
from respmark_python.scenarios.slices import Slices


class SingleSlices(Slices):
    """A scenario that performs one unit at a time."""

    def work(self, end_ns: int) -> None:
        """Perform units."""
        run_units(self.walks[0], self.samples[0], self.failures[0], end_ns)
