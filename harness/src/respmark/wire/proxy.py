"""The recording proxy: listens for one or more runner processes, and passes everything on to the server."""

import asyncio
import contextlib
import ssl
import tempfile
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from respmark.contract.trial import Endpoint, Tls
from respmark.wire.faults import Fault, FaultScript
from respmark.wire.hold import Gate, Hold
from respmark.wire.link import Link
from respmark.wire.recorder import COMMANDS_LIMIT, Recorder
from respmark.wire.trace import Subject, Trace

Value = TypeVar("Value")
CALL_LIMIT_S: Final = 10.0
BACKLOG: Final = 4096


@dataclass(frozen=True)
class Script:
    """What the proxy does besides passing bytes on."""

    hold: Hold | None = None
    faults: tuple[Fault, ...] = ()
    commands_limit: int = COMMANDS_LIMIT


@dataclass(frozen=True)
class ListenAddress:
    """Where the proxy listens, the name by which runners know that place, and the TLS that they speak there, if any.

    That TLS ends at the proxy, which records the decrypted traffic. It speaks to the server as the server's endpoint
    says.
    """

    listen: str
    told: str
    context: ssl.SSLContext | None = None
    tls: Tls | None = None


LOOPBACK: Final = ListenAddress("127.0.0.1", "127.0.0.1")


class Listener:
    """Where one runner process connects, and what its connections share."""

    def __init__(self, number: int, upstream: Endpoint, recorder: Recorder, script: FaultScript, hold: Hold) -> None:
        self.number = number
        self.upstream = upstream
        self.upstream_tls = None if upstream.tls is None else client_context(upstream.tls)
        self.recorder = recorder
        self.script = script
        self.gate = Gate(hold, self._let_out, lambda outstanding: recorder.stalled(number, outstanding))
        self.links: dict[Link, None] = {}
        """In the order in which they were opened."""
        self.transports: set[asyncio.Transport] = set()
        """The open ones, on both sides."""

    def _let_out(self) -> None:
        for link in list(self.links):
            link.let_out()


class ClientSide(asyncio.Protocol):
    """The proxy's end of a client's connection."""

    def __init__(self, listener: Listener, tasks: set[asyncio.Task[None]]) -> None:
        self._listener = listener
        self._tasks = tasks
        self._link: Link
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection, and connect to the server."""
        self._transport = cast("asyncio.Transport", transport)
        self._listener.transports.add(self._transport)
        self._link = Link(self._listener)
        self._listener.links[self._link] = None
        self._link.client = self._transport
        task = asyncio.get_running_loop().create_task(self._reach_server())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def data_received(self, data: bytes) -> None:
        """Pass it on."""
        self._link.from_client(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - how it ended does not matter here
        """Close the other side."""
        self._link.ended("client")
        self._listener.links.pop(self._link, None)
        self._listener.transports.discard(self._transport)

    def pause_writing(self) -> None:
        """Stop reading from the server: the client reads slowly."""
        if self._link.server is not None:
            self._link.server.pause_reading()

    def resume_writing(self) -> None:
        """Read from the server again: the client has caught up."""
        if self._link.server is not None:
            self._link.server.resume_reading()

    async def _reach_server(self) -> None:
        loop, upstream = asyncio.get_running_loop(), self._listener.upstream

        def make() -> ServerSide:
            return ServerSide(self._listener, self._link)

        try:
            if upstream.unix_socket is not None:
                await loop.create_unix_connection(make, upstream.unix_socket)
            elif upstream.host is not None and upstream.port is not None:
                await loop.create_connection(make, upstream.host, upstream.port, ssl=self._listener.upstream_tls)
        except OSError:
            self._link.ended("server")


class ServerSide(asyncio.Protocol):
    """The proxy's end of a connection to the server."""

    def __init__(self, listener: Listener, link: Link) -> None:
        self._listener = listener
        self._link = link
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the server what the client has already sent."""
        self._transport = cast("asyncio.Transport", transport)
        self._listener.transports.add(self._transport)
        self._link.connected(self._transport)

    def data_received(self, data: bytes) -> None:
        """Pass it on, or hold it back."""
        self._link.from_server(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as above
        """Close the other side."""
        self._link.ended("server")
        self._listener.transports.discard(self._transport)

    def pause_writing(self) -> None:
        """Stop reading from the client: the server reads slowly."""
        if self._link.client is not None:
            self._link.client.pause_reading()

    def resume_writing(self) -> None:
        """Read from the client again: the server has caught up."""
        if self._link.client is not None and not self._link.client.is_closing():
            self._link.client.resume_reading()


class Proxy:
    """A proxy in front of one server, for one trial; it works in its own thread."""

    def __init__(
        self,
        upstream: Endpoint,
        subject: Subject,
        script: Script,
        folder: Path,
        listen_address: ListenAddress = LOOPBACK,
    ) -> None:
        self._upstream = upstream
        self._address = listen_address
        self._recorder = Recorder(subject, script.commands_limit)
        self._faults = FaultScript(script.faults)
        self._hold = script.hold
        self._folder = folder
        self._listeners: dict[int, Listener] = {}
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="respmark-proxy", daemon=True)

    def start(self) -> None:
        """Start the proxy's thread."""
        self._thread.start()

    def endpoint_for(self, process: int) -> Endpoint:
        """Listen for one runner process, and return where."""
        return self._run(self._listen(process))

    def mark(self, name: str, process: int) -> None:
        """Mark a moment that lies after everything that has arrived so far."""
        self._run(self._mark(name, process))

    def trace(self) -> Trace:
        """Return what has been recorded so far."""
        return self._run(self._freeze())

    def close(self) -> None:
        """Close every connection and end the thread."""
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Value]) -> Value:
        future: Future[Value] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(CALL_LIMIT_S)

    async def _listen(self, process: int) -> Endpoint:
        listener = Listener(process, self._upstream, self._recorder, self._faults, self._hold or NO_HOLD)
        self._listeners[process] = listener

        def make() -> ClientSide:
            return ClientSide(listener, self._tasks)

        if self._upstream.unix_socket is not None:
            path = str(self._folder / f"proxy-{process}.sock")
            self._servers.append(await self._loop.create_unix_server(make, path, backlog=BACKLOG))
            return self._upstream.model_copy(update={"unix_socket": path})
        server = await self._loop.create_server(
            make, self._address.listen, 0, backlog=BACKLOG, ssl=self._address.context
        )
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return self._upstream.model_copy(update={"host": self._address.told, "port": port, "tls": self._address.tls})

    async def _mark(self, name: str, process: int) -> None:
        # Two rounds of the loop: whatever was in a socket when we were called is noted before the mark.
        for _ in range(2):
            await asyncio.sleep(0)
        self._recorder.mark(name, process)
        self._faults.mark(name)
        gate = self._listeners[process].gate
        if name == "go" and self._hold is not None:
            gate.close()
        elif name == "end":
            gate.open()

    async def _freeze(self) -> Trace:
        return self._recorder.freeze()

    async def _close(self) -> None:
        # A connection that has only just been accepted leaks if its server is closed, or its task cancelled, before it
        # has begun: accept no more, and let all of them begin.
        for listening in [one for server in self._servers for one in server.sockets]:
            self._loop.remove_reader(listening.fileno())
        for _ in range(2):
            await asyncio.sleep(0)
        for server in self._servers:
            server.close()
        own = asyncio.current_task()
        while True:
            tasks = asyncio.all_tasks() - {own}
            transports = [one for listener in self._listeners.values() for one in listener.transports]
            if not tasks and not transports:
                return
            for task in tasks:
                task.cancel()
            for transport in transports:
                transport.abort()
            await asyncio.sleep(0)


def client_context(tls: Tls) -> ssl.SSLContext:
    """Return the TLS context with which a client that has these settings connects to a server."""
    context = ssl.create_default_context(cafile=tls.ca_file)
    if tls.certificate_file is not None:
        context.load_cert_chain(tls.certificate_file, tls.key_file)
    if not tls.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


NO_HOLD: Final = Hold(goal=1, enough=1, names=frozenset())


@contextlib.contextmanager
def proxied(
    upstream: Endpoint, subject: Subject, script: Script, folder: Path, listen_address: ListenAddress = LOOPBACK
) -> Iterator[Proxy]:
    """Open a proxy in front of `upstream` where runners can reach it, and close it whatever happens.

    Its sockets, if it has any, are in `folder`; the caller ensures that this folder is removed even if we are killed.
    """
    with tempfile.TemporaryDirectory(prefix="proxy-", dir=folder) as name:
        proxy = Proxy(upstream, subject, script, Path(name), listen_address)
        proxy.start()
        try:
            yield proxy
        finally:
            proxy.close()
