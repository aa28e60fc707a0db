"""Faults end with the contract's exit code and one sentence: what, where, what to do."""

import json
import shutil
import signal
import socketserver
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from paths import GOLDEN
from respmark_python.workload.workload import Workload
from runner import CONNECT, FINISH, Runner, measure, refuse, slice_order, trial
from server import Server, free_port
from workloads import preload

SHAPES: dict[str, dict[str, Any]] = {
    "batching": {"depth": 2},
    "threads": {"threads": 2, "connections": 1},
    "pipelining": {"depth": 2, "window": "sliding"},
}


def loopback(port: int, **changes: Any) -> dict[str, Any]:
    """Return a target on this machine."""
    return {"host": "127.0.0.1", "port": port, **changes}


def test_a_target_that_is_not_there() -> None:
    """A refused connection is told at once, with the address."""
    port = free_port()
    code, sentence = refuse(trial(target=loopback(port)))
    assert (code, f"127.0.0.1:{port} refuses connections" in sentence) == (4, True)


@pytest.mark.parametrize("scenario", ["sync", "pipelining"])
def test_a_wrong_password_is_told_and_never_shown(scenario: str, own_server: Server) -> None:
    """A refused password is the target's refusal; the password appears nowhere."""
    own_server.control.config_set("requirepass", "right-secret")
    shape = {"depth": 2, "window": "burst"} if scenario == "pipelining" else {}
    target = loopback(own_server.port, password="wrong-secret")  # noqa: S106 - a test's own
    code, sentence = refuse(trial(scenario, shape, target=target))
    assert (code, "refused the user or the password" in sentence) == (4, True)
    assert "wrong-secret" not in sentence


def test_user_and_password_let_in(own_server: Server) -> None:
    """A named user with the right password measures."""
    own_server.control.acl_setuser("bench", enabled=True, passwords=["+secret"], keys=["*"], commands=["+@all"])
    target = loopback(own_server.port, username="bench", password="secret")  # noqa: S106 - a test's own
    _, done, _ = measure(trial(target=target))
    assert done["errors"] == {}


def test_a_user_that_may_not_write(own_server: Server) -> None:
    """A command that the user may not run is told before any slice, by verification."""
    own_server.control.acl_setuser("reader", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-set"])
    target = loopback(own_server.port, username="reader", password="")
    code, sentence = refuse(trial(target=target))
    assert (code, "refused a command of the workload" in sentence) == (4, True)


def test_a_replica_refuses_writes(own_server: Server) -> None:
    """A read-only replica is told as such."""
    own_server.control.replicaof("127.0.0.1", free_port())
    code, sentence = refuse(trial(target=loopback(own_server.port)))
    assert (code, "is a read-only replica" in sentence) == (4, True)


def test_a_server_that_cannot_save_refuses_writes(tmp_path: Path, workload: Workload) -> None:
    """MISCONF is told as such."""
    gone = tmp_path / "gone"
    gone.mkdir()
    with closing(Server(tmp_path, "--dir", str(gone), "--save", "3600 1")) as server:
        preload(server.control, workload)
        shutil.rmtree(gone)
        server.control.bgsave()
        while server.control.info("persistence")["rdb_last_bgsave_status"] == "ok":
            time.sleep(0.01)
        code, sentence = refuse(trial(target=loopback(server.port)))
    assert (code, "cannot save its data set to disk" in sentence) == (4, True)


def test_a_server_with_no_room_for_clients(own_server: Server) -> None:
    """A server that accepts no more clients is told as such."""
    own_server.control.config_set("maxclients", 1)
    code, sentence = refuse(trial(target=loopback(own_server.port)))
    assert (code, "accepts no more clients" in sentence) == (4, True)


class SaysOneThing(socketserver.BaseRequestHandler):
    """A server that gives one reply, whatever it is sent."""

    reply = b""

    def handle(self) -> None:
        """Answer until the other side is gone."""
        while self.request.recv(4096):
            self.request.sendall(self.reply)


@contextmanager
def server_that_says(words: bytes) -> Iterator[int]:
    """Serve this reply on a port."""
    handler = type("Handler", (SaysOneThing,), {"reply": words})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_a_server_that_is_still_loading() -> None:
    """LOADING is told as such."""
    with server_that_says(b"-LOADING Redis is loading the dataset in memory\r\n") as port:
        code, sentence = refuse(trial(target=loopback(port)))
    assert (code, "is still loading its data set" in sentence) == (4, True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an authority, another authority, and a certificate for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("certificates")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    trustme.CA().cert_pem.write_to_path(folder / "other.pem")
    issued = authority.issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    return folder


@pytest.fixture(scope="module")
def tls_port(certificates: Path, workload: Workload, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Start a server that speaks TLS."""
    port, pem = free_port(), {"cert": "cert.pem", "key": "key.pem", "ca-cert": "ca.pem"}
    files = [part for name, file in pem.items() for part in (f"--tls-{name}-file", str(certificates / file))]
    options = ["--tls-port", str(port), *files, "--tls-auth-clients", "no"]
    with closing(Server(tmp_path_factory.mktemp("tls"), *options)) as server:
        preload(server.control, workload)
        yield port


@pytest.mark.parametrize(
    ("scenario", "tls"),
    [
        ("sync", {"ca_file": "ca.pem"}),
        ("pool", {"ca_file": "ca.pem"}),
        ("pipelining", {"verify": False}),
    ],
)
def test_tls_is_spoken(scenario: str, tls: dict[str, Any], tls_port: int, certificates: Path) -> None:
    """A target that speaks TLS is measured, its certificate checked or not as asked; the result names OpenSSL."""
    shapes: dict[str, Any] = {"pool": {"threads": 2, "max_total": 2}, "pipelining": {"depth": 2, "window": "burst"}}
    files = {name: str(certificates / value) if name == "ca_file" else value for name, value in tls.items()}
    *_, result = measure(trial(scenario, shapes.get(scenario), target=loopback(tls_port, tls=files)))
    assert result["versions"]["OpenSSL"] == ssl.OPENSSL_VERSION


def test_an_untrusted_certificate(tls_port: int, certificates: Path) -> None:
    """A certificate of another authority is refused."""
    target = loopback(tls_port, tls={"ca_file": str(certificates / "other.pem")})
    code, sentence = refuse(trial(target=target))
    assert (code, "a certificate that is not trusted" in sentence) == (4, True)


def test_plain_to_a_tls_port(tls_port: int) -> None:
    """A target that expects TLS closes the connection; the sentence says what that may mean."""
    code, sentence = refuse(trial(target=loopback(tls_port)))
    assert (code, "expects TLS" in sentence) == (4, True)


def test_tls_to_a_plain_port() -> None:
    """A target that answers without TLS is told as such."""
    with server_that_says(b"-ERR unknown command\r\n") as port:
        code, sentence = refuse(trial(target=loopback(port, tls={})))
    assert (code, "did not complete the TLS handshake" in sentence) == (4, True)


@pytest.mark.parametrize("name", SHAPES)
def test_a_target_lost_in_a_slice(name: str, own_server: Server) -> None:
    """A server that dies is lost, and told with its address."""
    runner = Runner(trial(name, SHAPES[name], target=loopback(own_server.port)))
    runner.connect()
    own_server.kill()
    runner.tell(slice_order(duration_ns=30_000_000_000))
    code, errors = runner.finish()
    assert (code, f"127.0.0.1:{own_server.port} was lost: " in errors.splitlines()[-1]) == (4, True)
    assert "Traceback" not in errors


def test_a_connection_lost_while_waiting_is_made_again(own_server: Server) -> None:
    """The library reconnects as it does for its users; the slice says what failed, if anything."""
    runner = Runner(trial(target=loopback(own_server.port)))
    runner.connect()
    own_server.control.client_kill_filter(_type="normal", skipme=True)
    done = runner.slice()
    assert done["measured"]["units"] > 0
    assert sum(done["errors"].values()) <= 1
    runner.end()


def test_a_corrupted_value_is_found(server: Server, target: dict[str, Any], workload: Workload) -> None:
    """A value that is not its key's ends the trial with exit code 1 and the command's name."""
    server.control.set(workload.key(4), b"x" * 64)
    code, sentence = refuse(trial(target=target))
    assert (code, "command 0 of the workload, GET key:0000004 is not the value" in sentence) == (1, True)


def test_a_key_of_another_type_is_found(server: Server, target: dict[str, Any], workload: Workload) -> None:
    """A command that the server answers with an error ends the trial with exit code 1."""
    server.control.delete(workload.key(4))
    server.control.rpush(workload.key(4), b"x")
    code, sentence = refuse(trial("batching", {"depth": 3}, target=target))
    assert (code, "WRONGTYPE" in sentence) == (1, True)


@pytest.mark.parametrize(
    "request_line",
    ["\n", "not json\n", json.dumps(trial(unknown=1)) + "\n", json.dumps(trial(workload={"path": "/no/where"})) + "\n"],
)
def test_what_is_not_a_trial(request_line: str) -> None:
    """A trial that cannot be read, or whose workload cannot, is exit code 2."""
    assert refuse(request_line)[0] == 2


@pytest.mark.parametrize("scenario", ["sync", *SHAPES])
def test_orders_that_are_not_due(scenario: str, target: dict[str, Any]) -> None:
    """An order before its time, a second `connect` and anything after `finish` are exit code 2, with what was due."""
    request = trial(scenario, SHAPES.get(scenario), target=target)
    assert refuse(request, slice_order()) == (2, "the order slice is not due; due: connect")
    assert refuse(request, CONNECT, CONNECT) == (2, "the order connect is not due; due: slice or finish")
    code, sentence = refuse(request, CONNECT, FINISH, slice_order())
    assert (code, sentence.endswith("; due: the end of standard input")) == (2, True)


@pytest.mark.parametrize("path", sorted((GOLDEN / "orders" / "invalid").glob("*.json")), ids=lambda path: path.stem)
def test_orders_that_are_malformed(path: Path, target: dict[str, Any]) -> None:
    """Every golden order that the contract calls invalid is exit code 2."""
    order = json.loads(path.read_text())
    code, sentence = refuse(trial(target=target), CONNECT, order)
    assert (code, sentence.startswith("order"), "due: slice or finish" in sentence) == (2, True, True)


@pytest.mark.parametrize("orders", [("",), (CONNECT,), (CONNECT, slice_order())])
def test_standard_input_ends_before_the_result(orders: tuple[object, ...], target: dict[str, Any]) -> None:
    """A harness that is gone is not waited for."""
    for scenario, shape in SHAPES.items():
        code, sentence = refuse(trial(scenario, shape, target=target), *orders)
        assert (code, "standard input ended before the result; due: " in sentence) == (1, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("scenario", SHAPES)
@pytest.mark.parametrize("waiting", [True, False], ids=["waiting", "working"])
def test_signals_end_the_runner(number: int, scenario: str, target: dict[str, Any], *, waiting: bool) -> None:
    """SIGTERM and Ctrl-C end it inside a slice and between slices, without a result and without a stack trace."""
    runner = Runner(trial(scenario, SHAPES[scenario], target=target))
    runner.connect()
    if not waiting:
        runner.tell(slice_order(duration_ns=60_000_000_000))
    runner.process.send_signal(number)
    assert runner.finish() == (-number, "")
