"""What the command says of requests that make no sense: one page, `__snapshots__/test_messages.ambr`, to be read.

Whoever changes a message sees it there, among the others. Elsewhere, tests hold option names, values and exit codes.
"""

import shlex

import pytest
from syrupy.assertion import SnapshotAssertion

from respmark.errors import ExitCode
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("starts_nothing")

WRONG = """
plan --depth 0
plan --rounds 0
plan --rtt 1
plan --rate fast
plan --find-rate fast
plan --client redis-py[
plan --cpus 0-1
plan quick --claim redis-py-hiredis
run --quiet --json-lines
run --resume x --out y
run --no-such-option
run --hosts 2
run --via dask
run --until nonsense
run --minutes 0
report
report nowhere
compare
compare nowhere
compare --across nothing
verdict --format json
verdict nowhere
history
chart
versions
bisect
bisect redis-py
trace
trace redis-py
trace redis-benchmark sync
trace redis-py cold-start
trace redis-py batching --depth 1 --depth 2
conform redis-benchmark
conform --scenario cold-start
conform --jobs 0
triage --from nowhere
clean --keys respmark:0:
"""


def test_what_is_said_of_requests_that_make_no_sense(
    respmark: Command, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    """Standard error says what was wrong and what there is; nothing is started, and nothing printed as a result."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("respmark.cli.check.set_up", lambda *_: None)
    page = []
    for line in WRONG.strip().splitlines():
        finished = respmark(*shlex.split(line))
        assert finished.code in {ExitCode.INVALID_REQUEST, ExitCode.NOTHING_RAN}, line
        assert finished.output == "", line
        assert "Traceback" not in finished.errors
        page.append(f"$ respmark {line}    # {finished.code}\n{finished.errors}")
    assert "\n".join(page) == snapshot
