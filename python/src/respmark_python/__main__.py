"""`python -m respmark_python describe|run`."""

import os
import signal
import time

STARTED_NS = time.monotonic_ns()

from respmark_python.main.program import main  # noqa: E402 - the clock comes first: imports are part of the start

if __name__ == "__main__":
    # Ctrl-C ends the runner as SIGTERM does: at once, and without a stack trace.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Ends at once: freeing the million objects of a workload would take longer than many trials do.
    os._exit(main(STARTED_NS))
