"""A cluster: in which slot a key is, which node holds a slot, and the harness's connections to every node."""

from binascii import crc_hqx
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.servers.control import Control
from respmark.servers.info import info_text, parse_info
from respmark.servers.replicated import Replicated, told_by_sentinels
from respmark.servers.url import address

SLOTS: Final = 16_384
CRC_TABLE: Final = np.array([crc_hqx(bytes([one]), 0) for one in range(256)], dtype=np.uint16)
"""What each byte does to a CRC16, by the XMODEM polynomial."""
ZERO: Final = ord("0")
Numbers = npt.NDArray[np.uint32]
Owners = npt.NDArray[np.intp]
Direct = Callable[[Endpoint], Endpoint]
"""Returns where we reach the node that tells clients that it is there."""


def slot_of(key: bytes) -> int:
    """Return the slot of a key: of what stands between its first braces, if anything does."""
    return crc_hqx(_tag(key) or key, 0) % SLOTS


def slots_of(prefix: bytes, digits: int, numbers: Numbers) -> npt.NDArray[np.uint16]:
    """Return the slots of the keys that have a prefix and then these numbers, of so many digits."""
    if tag := _tag(prefix):
        return np.full(len(numbers), slot_of(tag), dtype=np.uint16)
    crc = np.full(len(numbers), crc_hqx(prefix, 0), dtype=np.uint16)
    wide = numbers.astype(np.uint64)  # 10 to the power of a place may be larger than any number
    for place in reversed(range(digits)):
        digit = (wide // 10**place % 10 + ZERO).astype(np.uint16)
        crc = (crc << 8) ^ CRC_TABLE[(crc >> 8) ^ digit]
    return crc % SLOTS


def _tag(key: bytes) -> bytes:
    _, _, rest = key.partition(b"{")
    tag, end, _ = rest.partition(b"}")
    return tag if end else b""


class Cluster(Replicated):
    """The harness's connections to the nodes of a cluster; as a connection, it is that to its first primary."""

    def __init__(self, primaries: Sequence[Endpoint], replicas: Sequence[Endpoint], owners: Owners) -> None:
        """`owners` has the number of the primary that holds each slot."""
        super().__init__(primaries, replicas)
        self._owners = owners

    def holding(self, key: bytes) -> Control:
        """Return the connection to the primary that holds a key."""
        return self.nodes[int(self._owners[slot_of(key)])]

    def place_of(self, slot: int) -> int:
        """Return which of the primaries holds a slot, by its place among `nodes`."""
        return int(self._owners[slot])

    def give(self, slot: int, place: int) -> None:
        """Take note that a slot has moved to another primary."""
        self._owners[slot] = place

    def together(self, keys: Iterable[bytes]) -> Iterator[tuple[Control, list[bytes]]]:
        """Yield keys that one command can name, those of a slot, and the connection to the primary that holds them."""
        for slot, alike in groupby(sorted(keys, key=slot_of), key=slot_of):
            yield self.nodes[int(self._owners[slot])], list(alike)

    def split(self, prefix: bytes, digits: int, numbers: Numbers) -> Iterator[tuple[Control, Numbers]]:
        """Yield every connection to a primary with the numbers of the keys that it holds."""
        owners = self._owners[slots_of(prefix, digits, numbers)]
        for place, node in enumerate(self.nodes):
            yield node, numbers[owners == place]


def is_clustered(control: Control) -> bool:
    """Return whether a server is in cluster mode."""
    return parse_info(info_text(control, "cluster")).get("cluster_enabled") == "1"


def connected(endpoint: Endpoint, direct: Direct = lambda told: told) -> Control:
    """Connect to a server, or to every node of the cluster that it is in, or of those that sentinels watch."""
    if endpoint.sentinels:
        return _opened(told_by_sentinels(endpoint))
    control = Control(endpoint).open()
    try:
        if not is_clustered(control):
            check_no_sentinel(control)
            return control
        found = found_cluster(control, direct)
    except BaseException:
        control.close()
        raise
    control.close()
    return _opened(found)


def connected_by_any(seeds: Sequence[Endpoint], direct: Direct = lambda told: told) -> tuple[Endpoint, Control]:
    """Connect by the first of several nodes of a cluster that answers, and return which one it was.

    Raises the ServerError of the first one if none does.
    """
    errors: list[ServerError] = []
    for seed in seeds:
        try:
            return seed, connected(seed, direct)
        except ServerError as error:
            errors.append(error)
    raise errors[0]


def _opened(several: Replicated) -> Replicated:
    try:
        return several.open()
    except BaseException:
        several.close()
        raise


def check_no_sentinel(control: Control) -> None:
    """Raise ServerError if a server is a sentinel."""
    if parse_info(info_text(control, "server")).get("redis_mode") == "sentinel":
        raise ServerError(
            f"the server at {address(control.endpoint)} is a sentinel; respmark measures behind sentinels that it "
            "starts (--server 'redis@8.2[sentinels=3]'): of yours, name the primary that they watch"
        )


def found_cluster(control: Control, direct: Direct = lambda told: told) -> Cluster:
    """Return the cluster that a node is in, as it tells; refuse one in which slots have no server."""

    def endpoint_of(node: Sequence[Any]) -> Endpoint:
        return direct(_endpoint(control.endpoint, node))

    # Each range: its first and last slot, then the primary and its replicas as host, port and ID.
    ranges: list[list[Any]] = control.command("CLUSTER", "SLOTS")
    primaries = list(dict.fromkeys(endpoint_of(one[2]) for one in ranges))
    replicas = dict.fromkeys(endpoint_of(node) for node in chain.from_iterable(one[3:] for one in ranges))
    owners = np.full(SLOTS, -1)
    for first, last, primary, *_ in ranges:
        owners[first : last + 1] = primaries.index(endpoint_of(primary))
    if without := int((owners < 0).sum()):
        raise ServerError(
            f"the server at {address(control.endpoint)} is in cluster mode, and {without:,} of {SLOTS:,} slots have no "
            f"server: give it all of them (CLUSTER ADDSLOTSRANGE 0 {SLOTS - 1}), or name a server outside a cluster"
        )
    return Cluster(primaries, list(replicas), owners)


def _endpoint(seed: Endpoint, node: Sequence[Any]) -> Endpoint:
    """Return where a node is; one that does not know its own address is where it was asked."""
    host, port = node[0], int(node[1])
    return seed.model_copy(update={"host": host.decode() if host else seed.host, "port": port})
