"""What a raw socket sees of each treatment: what faults are, by their definitions."""

import errno
import select
import signal
import socket
import struct
import termios
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fcntl import ioctl
from pathlib import Path

import pytest

from respmark.errors import ServerError, ServerLostError, UnsupportedError
from respmark.machine.guardian import Guardian
from respmark.network.counts import Tally
from respmark.network.relay import Relay
from respmark.network.treatments import Refusal, Treatment, can_drop, can_vanish
from respmark.servers.control import Control
from respmark.servers.node import SAVED, Node, spawn
from respmark.servers.ports import PORT_RANGE
from tests.network import raw
from tests.network.raw import at, connect, echo, received
from tests.user_server import SPAWNED

PASS, HOLD, RESET, DROP, DISCARD, REFUSE, VANISH, CLOSED = Treatment
READONLY = Refusal("READONLY You can't write against a read only replica.", only=("SET", "INCR"))
LOADING = Refusal("LOADING Redis is loading the dataset in memory", but=("HELLO", "AUTH", "CLIENT"))
MAXCLIENTS = Refusal("ERR max number of clients reached", closes=True)
SECOND_NS = 1_000_000_000


@pytest.fixture
def relay() -> Iterator[Relay]:
    """A relay to a server that sends back what it gets."""
    with raw.server(echo) as port, closing(Relay(at(port))) as made:
        yield made


@pytest.fixture
def following(server: Node) -> Iterator[Relay]:
    """A relay that follows commands, to a real server."""
    with closing(Relay(server.endpoint, frames=True)) as made:
        yield made


@contextmanager
def open_to(relay: Relay) -> Iterator[socket.socket]:
    """Connect, and see that it works."""
    with connect(port_of(relay)) as connection:
        works(connection)
        yield connection


def port_of(relay: Relay) -> int:
    assert relay.endpoint.port is not None
    return relay.endpoint.port


def works(connection: socket.socket) -> None:
    connection.sendall(b"hello")
    assert received(connection, 5) == b"hello"


def is_silent(connection: socket.socket) -> bool:
    return not select.select([connection], [], [], 0)[0]


def unacknowledged(connection: socket.socket) -> int:
    """Return how many bytes the peer's kernel has not acknowledged."""
    found: int = struct.unpack("i", ioctl(connection, termios.TIOCOUTQ, b"\0" * 4))[0]
    return found


def refused(relay: Relay, treatment: Treatment, *, possible: bool) -> bool:
    """Return whether this user may not do it, and is told so."""
    if not possible:
        with pytest.raises(UnsupportedError):
            relay.treat(treatment)
    return not possible


def command(*words: str) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)


def test_silence_keeps_connections_and_loses_nothing(relay: Relay) -> None:
    """Also of what a client sent that has closed its connection meanwhile; new ones are accepted, and wait, too."""
    with open_to(relay) as old, open_to(relay) as impatient:
        relay.treat(HOLD, HOLD)
        relay.counts()
        with connect(port_of(relay)) as new:
            for number in range(10):
                for one in (old, new, impatient):
                    one.sendall(b"%d" % number)
            impatient.shutdown(socket.SHUT_WR)
            while relay.counts().still_open != 2:
                pass
            assert is_silent(old)
            assert is_silent(new)
            relay.treat(PASS, PASS)
            assert received(old, 10) == received(new, 10) == b"0123456789"
            works(old)
            assert impatient.recv(1) == b""
    assert relay.counts().forwarded_bytes == 3 * 10 + 5


def test_replies_that_are_under_way_are_held_and_come_when_the_silence_ends(relay: Relay) -> None:
    """They had been delayed when it began."""
    with open_to(relay) as connection:
        relay.delay(SECOND_NS // 10)
        connection.sendall(b"hello")
        relay.treat(HOLD, HOLD)
        relay.delay(0)
        relay.counts()
        assert is_silent(connection)
        relay.treat(PASS, PASS)
        assert received(connection, 5) == b"hello"


def test_a_reset_is_seen_at_once_and_new_connections_work(relay: Relay) -> None:
    """Even by a client that only waits."""
    with open_to(relay) as connection:
        relay.treat(RESET)
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
        with open_to(relay):
            pass


def test_half_open_is_noticed_by_tcp_alone(relay: Relay) -> None:
    """Nothing is acknowledged, no end comes; TCP_USER_TIMEOUT ends it. New connections work."""
    if refused(relay, DROP, possible=can_drop()):
        return
    with open_to(relay) as old, open_to(relay) as limited:
        relay.treat(DROP)
        limited.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 300)
        for one in (old, limited):
            one.sendall(b"lost?")
        with open_to(relay):
            assert unacknowledged(old) == 5
            assert is_silent(old)
        with pytest.raises(TimeoutError) as caught:
            limited.recv(1)
        assert caught.value.errno == errno.ETIMEDOUT
        relay.treat(PASS)
        assert received(old, 5) == b"lost?"  # sent again by the kernel


def test_a_link_that_is_down_takes_no_connections_and_comes_back(relay: Relay) -> None:
    """Neither refused nor accepted, until the kernel sends the first packet again."""
    if refused(relay, DROP, possible=can_drop()):
        return
    with open_to(relay) as old, socket.socket() as new:
        relay.delay(SECOND_NS // 10)
        old.sendall(b"reply")
        relay.treat(DROP, DROP)
        new.settimeout(0)
        assert new.connect_ex(("127.0.0.1", port_of(relay))) == errno.EINPROGRESS
        relay.delay(0)
        assert relay.counts().opened == 1
        assert not select.select([], [new], [], 0)[1]
        assert is_silent(old)
        relay.treat(PASS, PASS)
        assert received(old, 5) == b"reply"
        new.settimeout(30)
        assert select.select([], [new], [], 30)[1]
        works(new)


def test_what_is_swallowed_is_acknowledged_and_lost(relay: Relay) -> None:
    """Keep-alive sees nothing wrong, and the connection never works again; new ones do."""
    with open_to(relay) as old:
        relay.treat(DISCARD)
        relay.counts()
        old.sendall(b"lost!")
        while relay.counts().swallowed_bytes != 5:
            pass
        while unacknowledged(old):
            pass
        relay.treat(PASS)
        old.sendall(b"again")
        with open_to(relay):
            assert is_silent(old)
        old.shutdown(socket.SHUT_WR)
        while relay.counts().still_open:
            pass
        assert is_silent(old)
        relay.treat(RESET)
        with pytest.raises(ConnectionResetError):
            old.recv(1)


def test_nothing_listens_until_something_does(relay: Relay) -> None:
    """Connections that exist go on; the port is still the relay's."""
    with open_to(relay) as old:
        for _ in range(2):
            relay.treat(PASS, CLOSED)
            with pytest.raises(ConnectionRefusedError):
                connect(port_of(relay))
            works(old)
            relay.treat(PASS, PASS)
            with open_to(relay):
                works(old)


def test_its_port_is_none_that_connections_get(relay: Relay) -> None:
    """One of them would have it when nothing listens."""
    first, last = map(int, PORT_RANGE.read_text().split())
    assert not first <= port_of(relay) <= last


def test_no_answer_is_an_accepted_connection_without_a_reply(relay: Relay) -> None:
    """Old connections are reset."""
    with open_to(relay) as old:
        relay.treat(RESET, HOLD)
        with pytest.raises(ConnectionResetError):
            old.recv(1)
        with connect(port_of(relay)) as new:
            new.sendall(b"hello")
            relay.counts()
            assert is_silent(new)
            relay.treat(PASS, PASS)
            assert received(new, 5) == b"hello"


def test_a_stale_connection_shows_it_when_it_is_used(relay: Relay) -> None:
    """No end came; the first byte gets RST."""
    if refused(relay, VANISH, possible=can_vanish()):
        return
    with open_to(relay) as old:
        relay.treat(VANISH)
        with open_to(relay):
            assert is_silent(old)
        old.sendall(b"x")
        with pytest.raises(ConnectionResetError):
            old.recv(1)


def test_writes_are_refused_in_the_order_of_their_replies(following: Relay) -> None:
    """A replica after a failover; what was sent before the error still has its reply, first."""
    with connect(port_of(following)) as connection:
        following.treat(REFUSE, REFUSE, READONLY)
        connection.sendall(command("GET", "key") + command("incr", "key") + command("PING")[:5])
        connection.sendall(command("PING")[5:] + command("SET", "key", "x" * 100_000))
        replies = b"$-1\r\n" + READONLY.reply + b"+PONG\r\n" + READONLY.reply
        assert received(connection, len(replies)) == replies
        assert following.counts().refused == 2
        following.treat(PASS)
        connection.sendall(command("SET", "key", "one") + command("GET", "key"))
        assert received(connection, 14) == b"+OK\r\n$3\r\none\r\n"


def test_an_error_waits_for_replies_before_it(following: Relay) -> None:
    """The server has not replied yet when a later command is refused; pushes are no replies."""
    with connect(port_of(following)) as connection, connect(port_of(following)) as other:
        connection.sendall(command("HELLO", "3") + command("CLIENT", "TRACKING", "ON") + command("GET", "key"))
        answers = bytearray()
        while not answers.endswith(b"+OK\r\n_\r\n"):
            answers += connection.recv(1 << 16)
        following.counts()
        connection.sendall(command("BLPOP", "list", "0"))
        while not following.counts().forwarded_bytes:
            pass
        following.treat(REFUSE, PASS, LOADING)
        connection.sendall(command("PING"))
        with connect(port_of(following)) as new:
            new.sendall(command("SET", "key", "1") + command("RPUSH", "list", "one"))
            assert received(new, 9) == b"+OK\r\n:1\r\n"
        push = b">2\r\n$10\r\ninvalidate\r\n*1\r\n$3\r\nkey\r\n"
        popped = b"*2\r\n$4\r\nlist\r\n$3\r\none\r\n"
        expected = push + popped + LOADING.reply
        assert received(connection, len(expected)) == expected
        other.sendall(command("CLIENT", "GETNAME"))
        assert received(other, 5) == b"$-1\r\n"


def test_clients_are_turned_away_where_there_are_too_many(relay: Relay) -> None:
    """Those that are in stay in; no command need be followed."""
    with open_to(relay) as old:
        relay.treat(PASS, REFUSE, MAXCLIENTS)
        with connect(port_of(relay)) as new:
            assert received(new, len(MAXCLIENTS.reply)) == MAXCLIENTS.reply
            assert new.recv(1) == b""
        works(old)
        with pytest.raises(UnsupportedError, match="does not follow commands"):
            relay.treat(REFUSE, REFUSE, LOADING)


def test_a_slow_server_is_slow_with_replies_and_not_with_connections(relay: Relay) -> None:
    """When it is itself again, nobody waits for what was late."""
    with open_to(relay) as old:
        relay.delay(600 * SECOND_NS, handshakes=False)
        relay.counts()
        with connect(port_of(relay)) as new:
            for one in (old, new):
                one.sendall(b"hello")
            forwarded = 0
            while forwarded != 10:
                forwarded += relay.counts().forwarded_bytes
            assert is_silent(old)
            assert is_silent(new)
            relay.delay(0)
            assert received(old, 5) == received(new, 5) == b"hello"


def test_what_went_through_is_counted_since_somebody_asked(relay: Relay) -> None:
    """And how late it was itself, from the first time on."""
    assert relay.counts().late_ns == 0
    with open_to(relay), open_to(relay):
        found = relay.counts()
        assert (found.opened, found.still_open, found.forwarded_bytes) == (2, 2, 10)
        assert 1 <= found.busiest <= 2
        assert relay.counts().opened == 0
    while not relay.counts().late_ns:
        pass


def test_a_storm_is_the_most_connections_within_a_tenth_of_a_second() -> None:
    """Wherever the tenth begins."""
    tally = Tally()
    assert tally.counts(0).busiest == 0
    for at_ns in (0, 60_000_000, 110_000_000, 150_000_000, 260_000_000):
        tally.open(at_ns)
    assert (tally.counts(5).busiest, tally.counts(5).opened) == (3, 5)


def test_a_server_that_is_killed_comes_back_where_it_was_with_what_it_had_acknowledged(guardian: Guardian) -> None:
    """Meanwhile nothing listens, on the relay neither; a paused one takes commands, and answers later."""
    node = spawn(SPAWNED.model_copy(update={"settings": SAVED}), guardian)
    with closing(node), closing(Relay(node.endpoint)) as relay:
        with Control(relay.endpoint) as control:
            for _ in range(100):
                control.command("INCR", "key")
            relay.treat(PASS, CLOSED)
            node.stop(signal.SIGKILL)
            with pytest.raises(ServerLostError):
                control.command("INCR", "key")
        with pytest.raises(ServerError):
            Control(relay.endpoint).open()
        node.start()
        relay.treat(PASS, PASS)
        with Control(relay.endpoint) as control:
            assert control.command("GET", "key") == b"100"
        node.pause()
        with connect(port_of(relay)) as waiting:
            waiting.sendall(command("PING"))
            while Path(f"/proc/{node.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
                pass
            assert is_silent(waiting)
            node.resume()
            assert waiting.recv(7) == b"-NOAUTH"
