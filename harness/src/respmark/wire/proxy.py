"""The recording proxy: listens for one or more runner processes, and passes everything on to the server."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from respmark.contract.trial import Endpoint, Tls
from respmark.wire.faults import Fault, FaultScript
from respmark.wire.hold import Gate, Hold
from respmark.wire.link import Link, Process, Stream
from respmark.wire.trace import Recorder, Subject, Trace

Value = TypeVar("Value")
CALL_LIMIT_S: Final = 10.0
BACKLOG: Final = 4096
BUFFER_BYTES: Final = 1 << 20
TURNS: Final = 5
"""Of the event loop, in which whatever was in a socket before is read and noted."""


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


class Proxy:
    """A proxy in front of one server, for one trial, in its own thread; sockets are in the caller's `folder`."""

    def __init__(
        self,
        upstream: Endpoint,
        subject: Subject,
        folder: Path,
        listen_address: ListenAddress = LOOPBACK,
        *,
        hold: Hold | None = None,
        fault: Fault | None = None,
    ) -> None:
        self._upstream = upstream
        self._upstream_tls = None if upstream.tls is None else client_context(upstream.tls)
        self._address = listen_address
        self._recorder = Recorder(subject)
        self._faults = FaultScript(fault)
        self._hold = hold
        self._folder = folder
        self._gates: dict[int, Gate] = {}
        self._servers: list[asyncio.Server] = []
        self._transports: list[asyncio.WriteTransport] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="respmark-proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection and end the thread."""
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def endpoint_for(self, process: int) -> Endpoint:
        """Listen for one runner process, and return where."""
        return self._run(self._listen(process))

    def mark(self, name: str, process: int) -> None:
        """Mark a moment that lies after everything that has arrived so far."""
        self._run(self._mark(name, process))

    @property
    def trace(self) -> Trace:
        """Return what has been recorded so far; it grows while connections are open."""
        return self._recorder.trace

    def _run(self, work: Coroutine[Any, Any, Value]) -> Value:
        future: Future[Value] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(CALL_LIMIT_S)

    async def _listen(self, number: int) -> Endpoint:
        gate = self._gates[number] = Gate(self._hold, partial(self._recorder.stalled, number))
        accept = partial(self._accept, Process(number, self._recorder, self._faults, gate))
        if self._upstream.unix_socket is not None:
            path = str(self._folder / f"proxy-{number}.sock")
            server = await asyncio.start_unix_server(accept, path, limit=BUFFER_BYTES, backlog=BACKLOG)
            self._servers.append(server)
            return self._upstream.model_copy(update={"unix_socket": path})
        server = await asyncio.start_server(
            accept, self._address.listen, 0, limit=BUFFER_BYTES, backlog=BACKLOG, ssl=self._address.context
        )
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return self._upstream.model_copy(update={"host": self._address.told, "port": port, "tls": self._address.tls})

    async def _accept(self, process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        record = self._recorder.opened(process.number)
        self._transports.append(writer.transport)
        # An ending proxy cancels: then the connection ends here.
        with contextlib.suppress(OSError, asyncio.CancelledError), contextlib.closing(writer):
            server = await self._reach_server()
            self._transports.append(server[1].transport)
            with contextlib.closing(server[1]):
                await Link(process, record, (reader, writer), server).pass_on()
        self._recorder.closed(record, "server")

    async def _reach_server(self) -> Stream:
        upstream = self._upstream
        if upstream.unix_socket is not None:
            return await asyncio.open_unix_connection(upstream.unix_socket, limit=BUFFER_BYTES)
        return await asyncio.open_connection(upstream.host, upstream.port, ssl=self._upstream_tls, limit=BUFFER_BYTES)

    async def _mark(self, name: str, process: int) -> None:
        await _turns()
        self._recorder.mark(name, process)
        self._faults.mark(name)
        if name == "go":
            self._gates[process].close()
        elif name == "end":
            self._gates[process].open()

    async def _close(self) -> None:
        # A connection that has only just been accepted leaks if its task is cancelled before it has begun: accept no
        # more, and let all of them begin.
        for listening in [one for server in self._servers for one in server.sockets]:
            self._loop.remove_reader(listening.fileno())
        await _turns()
        for server in self._servers:
            server.close()
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for transport in self._transports:
            transport.abort()
        await _turns()


async def _turns() -> None:
    for _ in range(TURNS):
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
