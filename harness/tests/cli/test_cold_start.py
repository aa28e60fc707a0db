"""`respmark cold-start`."""

import pytest

from respmark.errors import ExitCode
from tests.cli.conftest import Command


@pytest.mark.usefixtures("starts_nothing")
def test_no_start_at_all_is_refused(respmark: Command) -> None:
    finished = respmark("cold-start", "--starts", "0")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "--starts must be at least 1 (is 0)" in finished.errors
