"""One connection through the proxy: bytes pass unchanged, and what they mean is noted."""

import asyncio
import socket
import struct
from collections import deque
from typing import Final, Protocol

from respmark.errors import WireError
from respmark.wire.faults import Action, Close, FaultScript, Wait, reply_in
from respmark.wire.hold import Gate
from respmark.wire.recorder import Command, Connection, Recorder
from respmark.wire.replies import Piece, Reply, ReplySplitter
from respmark.wire.requests import RequestParser

NO_LINGER: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with a timeout of 0: closing sends a reset."""


class Process(Protocol):
    """What the links of one runner process share."""

    number: int
    recorder: Recorder
    script: FaultScript
    gate: Gate


class Link:
    """One connection: client on one side, server on the other."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._recorder = process.recorder
        self.record: Connection = process.recorder.opened(process.number)
        self._requests: RequestParser | None = RequestParser()
        self._replies: ReplySplitter | None = ReplySplitter()
        self._reads = 0
        self._unanswered: deque[Command] = deque()
        """Commands whose whole reply the server has not sent yet."""
        self._undelivered: deque[Command] = deque()
        """Commands whose whole reply the client does not have yet."""
        self._outstanding = 0
        """How many of `_undelivered` are commands of the workload."""
        self._queue: deque[tuple[Command | None, bytes, Reply | None]] = deque()
        """Pieces for the client, in order."""
        self._whole = bytearray()
        """The part so far of a reply that a fault may affect."""
        self._playing: asyncio.TimerHandle | None = None
        self._actions: deque[Action] = deque()
        self._faulty: tuple[Command, Reply, str] | None = None
        self._early: list[bytes] = []
        """What the client sent before the server was connected: at most one read, because reading then pauses."""
        self.client: asyncio.Transport | None = None
        self.server: asyncio.Transport | None = None

    def connected(self, server: asyncio.Transport) -> None:
        """Send the server, which is now connected, what waits for it; read from the client again."""
        if self.record.closed is not None:
            server.abort()
            return
        self.server = server
        for data in self._early:
            server.write(data)
        self._early.clear()
        if self.client is not None and not self.client.is_closing():
            self.client.resume_reading()

    def from_client(self, data: bytes) -> None:
        """Note the commands, then pass the bytes on."""
        self._reads += 1
        self._note_commands(data)
        if self.server is not None:
            self.server.write(data)
            return
        self._early.append(data)
        if self.client is not None:
            self.client.pause_reading()

    def from_server(self, data: bytes) -> None:
        """Cut the bytes into replies, and pass on those that are not held back."""
        for piece in self._pieces(data):
            command = self._unanswered[0] if self._unanswered and not _is_push(piece) else None
            self._queue.append((command, piece.data, piece.reply))
            if command is not None and piece.reply is not None:
                self._unanswered.popleft()
        self.let_out()

    def let_out(self) -> None:
        """Send the client everything that is no longer held back."""
        while self._queue and self._playing is None:
            command, data, reply = self._queue[0]
            if command is not None and not command.released:
                return
            self._queue.popleft()
            self._send(command, data, reply)

    def ended(self, by: str) -> None:
        """Note which side has closed, and close both, after the client got what the server had sent."""
        self._recorder.closed(self.record, by)
        for command in self._undelivered:
            command.released = True
        if by == "server":
            self.let_out()
        for transport in (self.client, self.server):
            if transport is not None:
                transport.close()
        self._forget()

    def _forget(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
        self._queue.clear()
        lost, self._undelivered, self._outstanding = self._undelivered, deque(), 0
        for command in lost:
            self._process.gate.answered(command)

    def _note_commands(self, data: bytes) -> None:
        if self._requests is None:
            return
        try:
            requests = self._requests.feed(data)
        except WireError as error:
            self._unreadable(str(error))
            return
        for request in requests:
            command = self._recorder.arrived(self.record, request, self._reads, self._outstanding)
            self._outstanding += not command.secret
            self._unanswered.append(command)
            self._undelivered.append(command)
            self._process.gate.arrived(command)

    def _pieces(self, data: bytes) -> list[Piece]:
        if self._replies is None:
            return [Piece(data, None)]
        try:
            return self._replies.feed(data)
        except WireError as error:
            self._unreadable(str(error))
            return [Piece(data, None)]

    def _unreadable(self, why: str) -> None:
        """Continue as a plain pipe: bytes still pass, but what they mean is no longer known."""
        self.record.unreadable = why
        self._requests = self._replies = None
        for command in self._undelivered:
            command.released = True
        self._unanswered.clear()

    def _send(self, command: Command | None, data: bytes, reply: Reply | None) -> None:
        if not self._whole and not self._concerns(command):
            self._write(data)
            if command is not None and reply is not None:
                self._delivered(command, reply, None)
            return
        self._whole += data
        if reply is None and command is not None:
            return
        whole = bytes(self._whole)
        self._whole.clear()
        if command is None or reply is None:
            self._write(whole)
        else:
            self._send_whole(command, whole, reply)

    def _concerns(self, command: Command | None) -> bool:
        """Return whether a fault may affect the reply, so that the whole reply must be there first."""
        return command is not None and self._process.script.concerns(self.record.number, command.request.name)

    def _send_whole(self, command: Command, data: bytes, reply: Reply) -> None:
        due = self._process.script.next_for(self.record.number, command.request.name, data)
        if due is None:
            self._write(data)
            self._delivered(command, reply, None)
            return
        fault, actions = due
        self._recorder.fault(f"{fault.kind}: {command.request.name} on connection {self.record.number}")
        self._actions.extend(actions)
        self._faulty = (command, reply_in(actions) or reply, str(fault.kind))
        self._play()

    def _play(self) -> None:
        self._playing = None
        while self._actions:
            action = self._actions.popleft()
            if isinstance(action, Wait):
                self._playing = asyncio.get_running_loop().call_later(action.seconds, self._play)
                return
            if isinstance(action, Close):
                self._close(reset=action.reset)
                return
            if action.delivers and self._faulty is not None:
                self._delivered(*self._faulty)
            self._write(action.data)
        self.let_out()

    def _delivered(self, command: Command, reply: Reply, fault: str | None) -> None:
        self._recorder.delivered(command, reply, fault)
        if self._undelivered and self._undelivered[0] is command:
            self._undelivered.popleft()
            self._outstanding -= not command.secret
        self._process.gate.answered(command)

    def _write(self, data: bytes) -> None:
        if self.client is not None and not self.client.is_closing():
            self.client.write(data)

    def _close(self, *, reset: bool) -> None:
        self._recorder.closed(self.record, "fault")
        if self.client is not None:
            if reset:
                _abort(self.client)
            else:
                self.client.close()
        if self.server is not None:
            self.server.abort()
        self._forget()


def _abort(transport: asyncio.Transport) -> None:
    """Close with a reset, as a crashed peer does."""
    handle: socket.socket = transport.get_extra_info("socket")
    if handle.family != socket.AF_UNIX:
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    transport.abort()


def _is_push(piece: Piece) -> bool:
    return piece.reply is not None and piece.reply.is_push
