"""What a reader must know about the interpreter, and about what the runner keeps in it."""

import gc
from collections.abc import Sequence

from respmark_python.recorder.samples import Samples


def runtime_settings(samples: Sequence[Samples]) -> dict[str, str | int | float | bool]:
    """Return the settings by name."""
    return {
        "gc": "on; what exists before connecting is frozen",
        "gc_thresholds": "/".join(map(str, gc.get_threshold())),
        "sample_storage_bytes": sum(len(kept.storage) * kept.storage.itemsize for kept in samples),
    }
