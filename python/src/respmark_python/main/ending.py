"""How the runner ends when it fails: one sentence on standard error, and an exit code."""

import os
import sys
import traceback


def fail(exit_code: int, sentence: str) -> int:
    """Say on standard error's last line what was wrong; return the exit code."""
    if os.environ.get("RESPMARK_DEBUG") == "1":
        traceback.print_exc()
    sys.stderr.write(" ".join(sentence.split()) + "\n")
    sys.stderr.flush()
    return exit_code
