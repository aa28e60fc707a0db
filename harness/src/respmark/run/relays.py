"""Relays before a server of the run: one before a single server for each round trip, or one before each node."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing

from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError
from respmark.network.relay import ListenAddress, Relay
from respmark.network.round_trip import RoundTrip, calibrated
from respmark.servers.group import Group
from respmark.servers.node import OwnNode
from respmark.servers.server import Server
from respmark.servers.url import address


class Relays:
    """Those before one server."""

    def __init__(self, listen: Callable[[], ListenAddress], stack: ExitStack) -> None:
        """`listen` says where, once servers are there: containers have a network then. They end with the stack."""
        self._listen, self._stack = listen, stack
        self._before_nodes: dict[int | None, Relay] = {}

    def put_before(self, node: Endpoint) -> Endpoint:
        """Start a relay to a node of a cluster that is about to start; return where clients reach it."""
        relay = self._started(node)
        self._before_nodes[relay.endpoint.port] = relay
        return relay.endpoint

    def before(self, node: OwnNode) -> Relay:
        """Return the relay before a node of a cluster."""
        return self._before_nodes[node.announced.port]

    def round_trips(
        self, server: Server, asked_ms: Iterable[float], note: Callable[[str], None]
    ) -> dict[float, list[RoundTrip]]:
        """Return the relays that make each round trip, those before nodes in their order.

        Raises InvalidRequestError if this machine cannot make one, or not to this server.
        """
        return {one: [calibrated(relay, round(one * 1e6), note) for relay in self._to(server)] for one in asked_ms}

    def _to(self, server: Server) -> list[Relay]:
        if isinstance(server.node, Group):
            return [self.before(one) for one in server.node.members]
        if server.kind:
            raise InvalidRequestError(
                f"--rtt delays a single address, and clients of {address(server.endpoint)} are told those of its "
                "nodes: leave it out, or measure a cluster that respmark starts"
            )
        # Where containers know this machine by another name, it does not see their addresses either.
        listen = self._listen()
        is_seen = listen.bind_host == listen.advertised_host
        return [self._started(server.for_runners if is_seen else server.endpoint)]

    def _started(self, upstream: Endpoint) -> Relay:
        return self._stack.enter_context(closing(Relay(upstream, self._listen())))
