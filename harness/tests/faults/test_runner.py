"""Runners that say what they should not: passwords, orders for the terminal, and far too much."""

from collections.abc import Callable
from functools import partial

import pytest

from respmark.contract.events import Result, Slice
from respmark.errors import ExitCode
from respmark.execute.secrets import without_secrets
from respmark.redaction import conceal
from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.builders.records import make_result, make_slice
from tests.faults.fault import Fault, proves
from tests.integration.conftest import Finished, Respmark
from tests.record_files import text_of

SECRET = 'hush-hush/7+"'
FAILED = ExitCode.SOME_FAILED
Told = Callable[[str], Finished]
fault = partial(proves, exit_code=FAILED)


@pytest.fixture
def told(respmark: Respmark, server: Server, environment: dict[str, str]) -> Told:
    """Return what runs the telling runner in one of its modes, against a server with a password."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", SECRET)
    environment["RESPMARK_TARGET_PASSWORD"] = SECRET

    def run(mode: str) -> Finished:
        url = f"redis://127.0.0.1:{server.endpoint.port}"
        return respmark("run", "tiny", "--client", f"double[mode=tells-{mode}]", "--scenario", "sync", "--target", url)

    return run


def left_by(finished: Finished) -> str:
    """Return all that a run has left and printed."""
    files = "".join(text_of(path) for path in finished.out.rglob("*") if path.is_file())
    return files + finished.output + finished.errors


@fault("the runner ended with exit code 1 before its result: cannot log in with ***")
def test_the_password_on_standard_error(told: Told, fault: Fault) -> None:
    """Neither the record nor the tables have it."""
    finished = told("stderr")
    fault.check(finished)
    assert "hush-hush" not in left_by(finished)


@fault("the runner printed something that is not in the contract")
def test_the_password_in_a_line_that_does_not_read(told: Told, fault: Fault) -> None:
    """However it is quoted."""
    finished = told("line")
    fault.check(finished)
    assert "hush-hush" not in left_by(finished)


@fault("\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}]0;title\N{REPLACEMENT CHARACTER}[red]it broke")
def test_orders_on_standard_error(told: Told, fault: Fault) -> None:
    """They are shown, and not obeyed."""
    finished = told("orders")
    fault.check(finished)
    assert "\x1b" not in left_by(finished)


@fault("the runner ended with exit code 1 before its result: xxxx")
def test_a_flood_on_standard_error(told: Told, fault: Fault) -> None:
    """The beginning of it is kept."""
    finished = told("flood")
    fault.check(finished)
    assert len(left_by(finished)) < 200_000


def test_the_password_in_a_result() -> None:
    """A library's first error, its kind, versions and settings are freed of it; figures stay."""
    conceal("hush-hush")
    answer = make_slice(9, errors={"ReplyError hush-hush": 2}, first_error="WRONGPASS hush-hush")
    told = without_secrets(answer)
    assert isinstance(told, Slice)
    assert "hush-hush" not in told.model_dump_json()
    assert (told.measured, told.errors) == (answer.measured, {"ReplyError ***": 2})
    result = make_result(9, versions={"lib": "1 hush-hush"}, runtime_settings={"flags": "-Dp=hush-hush", "heap": 1})
    told = without_secrets(result)
    assert isinstance(told, Result)
    assert "hush-hush" not in told.model_dump_json()
    assert (told.latency, told.runtime_settings["heap"]) == (result.latency, 1)
