"""The Python runner: reads JSON lines, prints JSON lines, as harness/contract.md says. It knows no library.

What a library raises while it is loaded or connects ends the program: Python prints it to standard error, last line
`class: message`, and exits with 1. An adapter raises NotImplementedError where this machine or server cannot do it.
"""

import gc
import importlib
import json
import platform
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from bare import work_bare
from samples import hand_over
from scenarios import Slices, make_slices
from workload import read_workload

CLIENTS: Final = Path(__file__).parent.parent / "clients"


def main() -> None:
    """Carry out one trial."""
    trial = SimpleNamespace(**json.loads(sys.stdin.readline()))
    try:
        slices = load(trial)
        for line in sys.stdin:
            ((name, fields),) = json.loads(line).items()
            say(*answer(slices, name, fields))
    except NotImplementedError as error:
        say("unsupported", str(error))
    else:
        slices.close()


def load(trial: SimpleNamespace) -> Slices:
    """Load the library, and prepare all that the measured loops would have to compute."""
    sys.path.append(str(CLIENTS / trial.client))
    adapter = importlib.import_module(Path(trial.adapter).stem).load(trial)
    workload = read_workload(trial.workload, adapter.commands, as_text=trial.options.get("decode") == "text")
    slices = make_slices(trial, adapter, workload)
    # The collector stays on, as users have it, but no collection in a slice should walk through the runner's objects.
    gc.collect()
    gc.freeze()
    versions = {**adapter.versions, platform.python_implementation(): platform.python_version()}
    settings = {"gc_thresholds": "/".join(map(str, gc.get_threshold())), **adapter.settings}
    say("loaded", {"contract": 3, "versions": versions, "settings": settings})
    return slices


def answer(slices: Slices, name: str, fields: dict[str, Any]) -> tuple[str, Any]:
    """Do what the line asks for."""
    match name:
        case "connect":
            slices.connect()
            return "connected", {}
        case "echo":
            return "replies", slices.echo(fields["commands"], fields["bytes"])
        case "work":
            return "worked", slices.work(fields)
        case "samples":
            return "samples", hand_over(slices.samples)
        case "bare":
            return "bared", work_bare(slices, fields["first"], fields["ns"])
    raise ValueError(name)


def say(name: str, fields: Any) -> None:
    """Print one line, at once."""
    print(json.dumps({name: fields}), flush=True)


main()
