"""Targets that tell less, or other things, than evidence needs."""

from functools import partial

import pytest

from respmark.errors import ExitCode
from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.faults.fault import Fault, proves
from tests.faults.retold import NOTHING, Retell, Retold, info, saying, without
from tests.integration.conftest import Respmark
from tests.integration.servers import Answer, listening

UNREACHABLE = ExitCode.TARGET_UNREACHABLE
fault = partial(proves, exit_code=UNREACHABLE)


told = partial(Fault, exit_code=UNREACHABLE)
LESS = {
    told("the target's INFO has no `connected_clients`"): without("connected_clients"),
    told("the target's INFO says `used_cpu_user: plenty`, which does not read as a count"): saying(
        "used_cpu_user", "plenty"
    ),
    told("the target's INFO says `used_cpu_sys: inf`"): saying("used_cpu_sys", "inf"),
    told("the target's INFO says `cmdstat_ping: calls=many`"): saying("cmdstat_ping", "calls=many"),
    told("answers INFO with something that is no text"): lambda _answer: b":1\r\n",
    told("does not tell its run_id"): lambda _answer: NOTHING,
    # A claim that no counter backs is refuted, not published.
    told("claimed", exit_code=ExitCode.SOME_FAILED): info(
        lambda text: "\r\n".join(line for line in text.split("\r\n") if not line.startswith("cmdstat_"))
    ),
}


@pytest.mark.parametrize(("fault", "retell"), LESS.items(), ids=[one.seen.replace(" ", "-") for one in LESS])
def test_info_that_tells_less(respmark: Respmark, server: Server, fault: Fault, retell: Retell) -> None:
    """A counter that is not there is named; what is no number is shown."""
    with listening(Retold(server.endpoint.port or 0, info=retell)) as port:
        fault.check(respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}"))


@fault("the target's INFO has no `connected_clients`")
def test_the_doctor_looks_at_the_same_info(respmark: Respmark, server: Server, fault: Fault) -> None:
    """It has no stack trace either."""
    with listening(Retold(server.endpoint.port or 0, info=without("connected_clients"))) as port:
        fault.check(respmark("doctor", "--target", f"redis://127.0.0.1:{port}"))


@fault("not shown to this user", exit_code=ExitCode.OK)
def test_a_setting_that_is_not_shown(respmark: Respmark, server: Server, fault: Fault) -> None:
    """Servers of a provider answer CONFIG GET with nothing."""
    with listening(Retold(server.endpoint.port or 0, config=lambda _answer: b"*0\r\n")) as port:
        fault.check(respmark("doctor", "--target", f"redis://127.0.0.1:{port}"))


@fault("RESPMARK_TARGET_PASSWORD, --password-file or --ask-password")
def test_a_wrong_password(respmark: Respmark, server: Server, environment: dict[str, str], fault: Fault) -> None:
    """The message says how a password is given, and not the one that was."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "right")
    environment["RESPMARK_TARGET_PASSWORD"] = "hush-hush-7"
    finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    fault.check(finished)
    assert "refused the password" in finished.errors
    assert "hush-hush-7" not in finished.errors + finished.output


@fault("answered with an error: no, not ***, never")
def test_an_error_that_repeats_the_password(respmark: Respmark, environment: dict[str, str], fault: Fault) -> None:
    """What a server says is freed of it."""
    environment["RESPMARK_TARGET_PASSWORD"] = "hush-hush-7"
    with listening(Answer(ping=b"-ERR no, not hush-hush-7, never\r\n")) as port:
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}")
    fault.check(finished)
    assert "hush-hush-7" not in finished.errors + finished.output


@fault("answered with an error: \N{REPLACEMENT CHARACTER}[2J[red]hello")
def test_an_error_that_gives_orders(respmark: Respmark, fault: Fault) -> None:
    """Escape sequences, markup and what turns text around are shown, not obeyed."""
    reply = "-ERR \x1b[2J[red]hello \x9b31m\u202eolleh\r\n".encode()
    with listening(Answer(ping=reply)) as port:
        finished = respmark("doctor", "--target", f"redis://127.0.0.1:{port}")
    fault.check(finished)
    assert not set(finished.errors + finished.output) & {"\x1b", "\x9b", "\u202e"}


@pytest.mark.parametrize("section", ["run", "doctor"])
@fault("closed the connection")
def test_a_server_that_hangs_up(respmark: Respmark, server: Server, section: str, fault: Fault) -> None:
    """A connection that ends is told as one."""

    def hang_up(_answer: bytes) -> bytes:
        raise ConnectionAbortedError

    with listening(Retold(server.endpoint.port or 0, info=hang_up)) as port:
        words = ("run", "tiny") if section == "run" else ("doctor",)
        fault.check(respmark(*words, "--target", f"redis://127.0.0.1:{port}"))
