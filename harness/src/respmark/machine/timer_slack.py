"""How late the kernel may wake a program that sleeps: by default up to 50 us, to wake several at once.

Runners sleep until units of an open loop are due. A program inherits the slack of the thread that starts it, so they
need no native code to ask for less.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PR_SET_TIMERSLACK: Final = 29
PR_GET_TIMERSLACK: Final = 30
LEAST_NS: Final = 1


@contextmanager
def least_timer_slack() -> Iterator[None]:
    """Let programs that are started meanwhile inherit the least slack; that of this thread is restored afterwards.

    Only Linux has it.
    """
    if sys.platform != "linux":
        yield
        return
    prctl = ctypes.CDLL(None).prctl
    before_ns = prctl(PR_GET_TIMERSLACK)
    prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(LEAST_NS))
    try:
        yield
    finally:
        prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(before_ns))
