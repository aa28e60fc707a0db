"""One walker on the main thread: `sync`, `batching`, `transaction`, `new-connection`."""

from respmark_python.scenarios.course import Course
from respmark_python.scenarios.loops import run_units


class SingleCourse(Course):
    """A scenario in which one thing is done at a time."""

    def work(self, end_ns: int) -> None:
        """Perform units."""
        run_units(self.walks[0], self.tallies[0], end_ns, self.session.failures)
