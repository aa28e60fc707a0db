"""Targets that tell less, or other things, than evidence needs."""

import pytest

from respmark.errors import ExitCode
from respmark.target.control import Control
from respmark.target.spawn import Server
from tests.faults.fault import Area, Fault, fault
from tests.faults.retold import NOTHING, Retell, Retold, info, saying, without
from tests.integration.conftest import Respmark
from tests.integration.servers import Answer, listening

UNREACHABLE = ExitCode.TARGET_UNREACHABLE


def run_against(respmark: Respmark, server: Server, fault: Fault, retell: Retell) -> None:
    """Run the suite against a server whose INFO is retold, and look at what the user sees."""
    with listening(Retold(server.endpoint.port or 0, info=retell)) as port:
        fault.check(respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}"))


@fault(
    "INFO without connected_clients",
    Area.TARGET,
    injected="a server whose INFO lacks `connected_clients`",
    seen="the target's INFO has no `connected_clients`",
    exit_code=UNREACHABLE,
)
def test_info_without_a_counter(respmark: Respmark, server: Server, fault: Fault) -> None:
    """A counter that is not there is named."""
    run_against(respmark, server, fault, without("connected_clients"))


@fault(
    "INFO with a word for a time",
    Area.TARGET,
    injected="a server whose INFO says `used_cpu_user:plenty`",
    seen="the target's INFO says `used_cpu_user: plenty`, which does not read as a count",
    exit_code=UNREACHABLE,
)
def test_info_with_a_word_for_a_time(respmark: Respmark, server: Server, fault: Fault) -> None:
    """What is no number is shown."""
    run_against(respmark, server, fault, saying("used_cpu_user", "plenty"))


@fault(
    "INFO with an endless number",
    Area.TARGET,
    injected="a server whose INFO says `used_cpu_sys:inf`",
    seen="the target's INFO says `used_cpu_sys: inf`",
    exit_code=UNREACHABLE,
)
def test_info_with_an_endless_number(respmark: Respmark, server: Server, fault: Fault) -> None:
    """Infinity is no CPU time."""
    run_against(respmark, server, fault, saying("used_cpu_sys", "inf"))


@fault(
    "INFO with a broken command line",
    Area.TARGET,
    injected="a server whose INFO says `cmdstat_ping:calls=many`",
    seen="the target's INFO says `cmdstat_ping: calls=many`",
    exit_code=UNREACHABLE,
)
def test_info_with_a_broken_line_of_a_command(respmark: Respmark, server: Server, fault: Fault) -> None:
    """Calls that are not counted cannot be held against anything."""
    run_against(respmark, server, fault, saying("cmdstat_ping", "calls=many"))


@fault(
    "INFO that is no text",
    Area.TARGET,
    injected="a server that answers INFO with an integer",
    seen="answers INFO with something that is no text",
    exit_code=UNREACHABLE,
)
def test_info_that_is_no_text(respmark: Respmark, server: Server, fault: Fault) -> None:
    """An integer is no INFO."""
    run_against(respmark, server, fault, lambda _answer: b":1\r\n")


@fault(
    "INFO that is empty",
    Area.TARGET,
    injected="a server whose INFO is empty",
    seen="does not tell its run_id",
    exit_code=UNREACHABLE,
)
def test_info_that_is_empty(respmark: Respmark, server: Server, fault: Fault) -> None:
    """It could be any server."""
    run_against(respmark, server, fault, lambda _answer: NOTHING)


@fault(
    "INFO that counts nothing",
    Area.TARGET,
    injected="a server whose INFO has no commands",
    seen="claimed",
    exit_code=ExitCode.SOME_FAILED,
)
def test_info_that_counts_nothing(respmark: Respmark, server: Server, fault: Fault) -> None:
    """A claim that no counter backs is refuted, not published."""
    silent = info(lambda text: "\r\n".join(row for row in text.split("\r\n") if not row.startswith("cmdstat_")))
    run_against(respmark, server, fault, silent)


@fault(
    "doctor and INFO without clients",
    Area.TARGET,
    injected="`respmark doctor` on a server whose INFO lacks `connected_clients`",
    seen="the target's INFO has no `connected_clients`",
    exit_code=UNREACHABLE,
)
def test_the_doctor_looks_at_the_same_info(respmark: Respmark, server: Server, fault: Fault) -> None:
    """It has no stack trace either."""
    with listening(Retold(server.endpoint.port or 0, info=without("connected_clients"))) as port:
        fault.check(respmark("doctor", "--target", f"redis://127.0.0.1:{port}"))


@fault(
    "a setting that is not shown",
    Area.TARGET,
    injected="`respmark doctor` on a server whose CONFIG GET is empty",
    seen="not shown to this user",
    exit_code=ExitCode.OK,
)
def test_a_setting_that_is_not_shown(respmark: Respmark, server: Server, fault: Fault) -> None:
    """Servers of a provider answer CONFIG GET with nothing."""
    with listening(Retold(server.endpoint.port or 0, config=lambda _answer: b"*0\r\n")) as port:
        fault.check(respmark("doctor", "--target", f"redis://127.0.0.1:{port}"))


@fault(
    "a wrong password",
    Area.TARGET,
    injected="a server that refuses the password",
    seen="RESPMARK_TARGET_PASSWORD, --password-file or --ask-password",
    exit_code=UNREACHABLE,
)
def test_a_wrong_password(respmark: Respmark, server: Server, environment: dict[str, str], fault: Fault) -> None:
    """The message says how a password is given, and not the one that was."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "right")
    environment["RESPMARK_TARGET_PASSWORD"] = "hush-hush-7"
    finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{server.endpoint.port}")
    fault.check(finished)
    assert "refused the password" in finished.errors
    assert "hush-hush-7" not in finished.errors + finished.output


@fault(
    "an error that repeats the password",
    Area.TARGET,
    injected="a server whose error repeats the password that it was sent",
    seen="answered with an error: no, not ***, never",
    exit_code=UNREACHABLE,
)
def test_an_error_that_repeats_the_password(respmark: Respmark, environment: dict[str, str], fault: Fault) -> None:
    """What a server says is freed of it."""
    environment["RESPMARK_TARGET_PASSWORD"] = "hush-hush-7"
    with listening(Answer(ping=b"-ERR no, not hush-hush-7, never\r\n")) as port:
        finished = respmark("run", "tiny", "--target", f"redis://127.0.0.1:{port}")
    fault.check(finished)
    assert "hush-hush-7" not in finished.errors + finished.output


@fault(
    "an error that gives orders",
    Area.TARGET,
    injected="a server whose error clears the screen and colours it",
    seen="answered with an error: \N{REPLACEMENT CHARACTER}[2J[red]hello",
    exit_code=UNREACHABLE,
)
def test_an_error_that_gives_orders(respmark: Respmark, fault: Fault) -> None:
    """Escape sequences, markup and what turns text around are shown, not obeyed."""
    reply = "-ERR \x1b[2J[red]hello \x9b31m\u202eolleh\r\n".encode()
    with listening(Answer(ping=reply)) as port:
        finished = respmark("doctor", "--target", f"redis://127.0.0.1:{port}")
    fault.check(finished)
    assert not set(finished.errors + finished.output) & {"\x1b", "\x9b", "\u202e"}


@pytest.mark.parametrize("section", ["run", "doctor"])
@fault(
    "a server that hangs up",
    Area.NETWORK,
    injected="a server that closes the connection at INFO",
    seen="closed the connection",
    exit_code=UNREACHABLE,
)
def test_a_server_that_hangs_up(respmark: Respmark, server: Server, section: str, fault: Fault) -> None:
    """A connection that ends is told as one."""

    def hang_up(_answer: bytes) -> bytes:
        raise ConnectionAbortedError

    with listening(Retold(server.endpoint.port or 0, info=hang_up)) as port:
        words = ("run", "tiny") if section == "run" else ("doctor",)
        fault.check(respmark(*words, "--target", f"redis://127.0.0.1:{port}"))
