"""The Python runner: reads JSON lines, prints JSON lines, as harness/contract.md says. It knows no library.

What a library raises while it is loaded or connects ends the program: Python prints it to standard error, last line
`class: message`, and exits with 1. An adapter raises NotImplementedError where this machine or server cannot do it.
"""

import gc
import json
import os
import platform
import sys
import threading
from types import SimpleNamespace
from typing import Final

from adapters import loaded
from answers import say
from samples import hand_over
from scenarios import Slices, TaskSlices
from workload import read_workload

ENDING: Final = threading.Lock()
ANSWERS: Final = {
    "connect": ("connected", Slices.connect),
    "echo": ("replies", Slices.echo),
    "work": ("worked", Slices.work),
    "samples": ("samples", lambda slices, _order: hand_over(slices.samples)),
    "bare": ("bared", Slices.bare),
    "keep_going": ("went", Slices.keep_going),
}
"""By the name of the line: the name of the answer, and what is done."""


def main() -> None:
    """Carry out one trial after the other."""
    threading.excepthook = end_process
    slices: Slices | None = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if "client" in order:
                if slices is not None:
                    slices.close()
                    slices = None
                slices = load(SimpleNamespace(**order))
            elif slices is not None:
                ((name, fields),) = order.items()
                answer, do = ANSWERS[name]
                say(answer, do(slices, fields))
        except NotImplementedError as error:
            say("unsupported", str(error))
    if slices is not None:
        slices.close_clients()
        if slices.has_kept_going:
            os._exit(0)  # threads and tasks may still hang in the library
        slices.close()


def load(trial: SimpleNamespace) -> Slices:
    """Load the library, and prepare all that the measured loops would have to compute."""
    # What an earlier trial left is garbage now.
    gc.unfreeze()
    adapter = loaded(trial)
    workload = read_workload(trial.workload, adapter.commands, as_text=trial.options.get("decode") == "text")
    slices = (TaskSlices if adapter.kind == "async" else Slices)(trial, adapter, workload)
    # The collector stays on, as users have it, but no collection in a slice should walk through the runner's objects.
    gc.collect()
    gc.freeze()
    versions = {**adapter.versions, platform.python_implementation(): platform.python_version()}
    say("loaded", {"contract": 4, "versions": versions, "settings": adapter.settings})
    return slices


def end_process(failure: threading.ExceptHookArgs) -> None:
    """Say what ended a thread of ours, and end the others, which would wait for it for ever."""
    ENDING.acquire()  # never released: where several fail at once, the first has the last word
    if failure.exc_value is not None:
        sys.excepthook(failure.exc_type, failure.exc_value, failure.exc_traceback)
    sys.stderr.flush()
    os._exit(1)


main()
