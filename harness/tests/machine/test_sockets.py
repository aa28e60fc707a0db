"""What a process has asked of the kernel for its connections."""

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from respmark.machine.sockets import KeepAlive, Sockets, SocketSettings, Take, sockets_to, together

PLAIN = SocketSettings(no_delay=False)
ASKING = SocketSettings(no_delay=True, keep_alive=KeepAlive(idle_s=30, interval_s=5, probes=3), user_timeout_ms=5000)
CHILD = """
import socket, sys
port, ours, others = int(sys.argv[1]), [], []
for _ in range(3):
    ours.append(socket.create_connection(("127.0.0.1", port)))
for level, option, value in (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 5000),
):
    ours[0].setsockopt(level, option, value)
others = [socket.create_server(("127.0.0.1", 0)), *socket.socketpair(), socket.socket(type=socket.SOCK_DGRAM)]
others[-1].connect(("127.0.0.1", port))
others.append(socket.create_connection(others[0].getsockname()))
print("connected", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture
def child(server: socket.socket) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-IS", "-c", CHILD, str(server.getsockname()[1])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"connected\n"
        yield started


def test_a_childs_connections_to_its_server_are_read(child: subprocess.Popen[bytes], server: socket.socket) -> None:
    """Grouped by what was asked for; a listening socket, pairs, datagrams and connections elsewhere are left out."""
    assert sockets_to(child.pid, server.getsockname()[1]) == [
        Sockets(connections=2, settings=PLAIN),
        Sockets(connections=1, settings=ASKING),
    ]


def failing(number: int) -> Take:
    """Return a kernel that gives nobody a copy."""

    def fail(_pidfd: int, _descriptor: int) -> int:
        raise OSError(number, os.strerror(number))

    return fail


def test_nothing_is_known_where_the_kernel_refuses(child: subprocess.Popen[bytes], server: socket.socket) -> None:
    """As with Yama's ptrace_scope, or in a container; nor of a process that has ended."""
    port = server.getsockname()[1]
    assert sockets_to(child.pid, port, failing(errno.EPERM)) is None
    assert sockets_to(child.pid, port, failing(errno.ENOSYS)) is None
    child.communicate()
    assert sockets_to(child.pid, port) is None


def test_what_is_closed_meanwhile_is_left_out(child: subprocess.Popen[bytes], server: socket.socket) -> None:
    """Libraries may close a connection at any moment; that is no refusal."""
    assert sockets_to(child.pid, server.getsockname()[1], failing(errno.EBADF)) == []


def test_the_client_keeps_its_socket(server: socket.socket) -> None:
    """What is taken is a copy: closing it closes nothing, and a socket that does not block still does not."""
    with socket.create_connection(server.getsockname()) as one, closing(server.accept()[0]) as other:
        one.settimeout(0)
        assert sockets_to(os.getpid(), server.getsockname()[1]) == [Sockets(connections=1, settings=PLAIN)]
        assert not os.get_blocking(one.fileno())
        one.send(b"still here")
        assert other.recv(16) == b"still here"


def test_the_connections_of_several_processes_are_one_list() -> None:
    """Nothing is known only if none of them has one."""
    one, other = Sockets(connections=2, settings=PLAIN), Sockets(connections=3, settings=ASKING)
    both = [Sockets(connections=4, settings=PLAIN), Sockets(connections=3, settings=ASKING)]
    assert together([[one], None, [one, other]]) == both
    assert together([None, []]) is None


def test_settings_are_told_in_a_line() -> None:
    """As they stand in notes and on a report's page."""
    assert str(PLAIN) == "TCP_NODELAY off, no keep-alive, no user time-out"
    assert str(ASKING) == "TCP_NODELAY on, keep-alive after 30 s (3 probes every 5 s), user time-out 5 s"
