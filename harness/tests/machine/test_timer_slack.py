"""What programs inherit of the kernel's timer slack."""

import ctypes
import subprocess
import sys

import pytest

from respmark.machine.timer_slack import LEAST_NS, PR_GET_TIMERSLACK, least_timer_slack

SHOW = f"import ctypes; print(ctypes.CDLL(None).prctl({PR_GET_TIMERSLACK}))"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a timer slack")
def test_a_program_inherits_the_least_slack_and_this_thread_keeps_its_own() -> None:
    """A child of that program inherits it, too: a runner may be started by a script."""
    before_ns = ctypes.CDLL(None).prctl(PR_GET_TIMERSLACK)
    with least_timer_slack():
        command = ["/bin/sh", "-c", '"$0" -c "$1"; true', sys.executable, SHOW]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert int(shown) == LEAST_NS
    assert ctypes.CDLL(None).prctl(PR_GET_TIMERSLACK) == before_ns
