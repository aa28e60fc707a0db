"""The faults, a row each: what becomes of connections and of the server, and for how long."""

from dataclasses import dataclass
from typing import Final, Literal, cast

from respmark.contract.trial import Fault, Shape

Existing = Literal["pass", "hold", "reset", "drop", "discard", "refuse", "vanish"]
New = Literal["pass", "hold", "drop", "refuse", "closed"]
"""What a relay does with connections, by the words of `respmark.network.treatments`."""
PROMOTED_WITHIN_S: Final = 10.0
"""How long a replica may take to take its primary's place."""


@dataclass(frozen=True)
class FaultShape:
    """How a fault is made; what is not said is as it always is."""

    summary: str
    existing: Existing = "pass"
    """What becomes of the connections that there are when it begins."""
    new: New = "pass"
    """What becomes of those that clients open while it lasts."""
    server: Literal["runs", "paused", "killed"] = "runs"
    primary: Literal["stays", "killed", "paused", "replaced"] = "stays"
    """What becomes of one primary of a group of servers; if it does not stay, a replica takes its place (`replaced`: as
    it is told to)."""
    error: str = ""
    """What is said in place of a reply, where something is refused."""
    refused: tuple[str, ...] = ()
    """Commands that are; empty: all,"""
    passed: tuple[str, ...] = ()
    """but for these."""
    reply_s: float = 0.0
    """How much later replies come."""
    lasts_s: float = 8.0
    """How long, in seconds, if nobody says otherwise; 0: it is over at once. Where a replica takes a primary's place,
    it is over then, which is waited for so long."""
    is_mended: bool = True
    """Whether it ends; otherwise its connections never come back, and `lasts_s` is how long is watched."""
    hits_connecting: bool = False
    """Whether connecting anew fails as well: a caller then waits for the limit of connecting and for a command's."""
    without_filters: Fault | None = None
    """As which it is made where no packets can be dropped."""


SHAPES: Final[dict[Fault, FaultShape]] = {
    Fault.PAUSE: FaultShape("the server stands still (SIGSTOP), and goes on", server="paused"),
    Fault.RESTART: FaultShape(
        "the server is killed, and started again with its data; nothing listens meanwhile",
        new="closed",
        server="killed",
    ),
    Fault.RESET: FaultShape("every connection is reset, and new ones work at once", existing="reset", lasts_s=0.0),
    Fault.SILENCE: FaultShape(
        "connections stay open and nothing is forwarded; then all of it is", existing="hold", new="hold"
    ),
    Fault.HALF_OPEN: FaultShape(
        "packets of the connections that exist are lost for good; new ones work",
        existing="drop",
        lasts_s=75.0,
        is_mended=False,
        without_filters=Fault.SWALLOWED,
    ),
    Fault.SWALLOWED: FaultShape(
        "the same, but something between acknowledges what is sent", existing="discard", lasts_s=75.0, is_mended=False
    ),
    Fault.LINK_DOWN: FaultShape(
        "packets of all connections are lost, those that open one as well; then the link is back",
        existing="drop",
        new="drop",
        hits_connecting=True,
        without_filters=Fault.SILENCE,
    ),
    Fault.NO_ANSWER: FaultShape(
        "connections are reset, and new ones are accepted and never answered",
        existing="reset",
        new="hold",
        hits_connecting=True,
    ),
    Fault.STALE: FaultShape(
        "connections are gone without a word, and the first byte on each is answered by a reset",
        existing="vanish",
        lasts_s=0.0,
    ),
    Fault.LOADING: FaultShape(
        "all commands but HELLO, AUTH and CLIENT are refused, as by a server that reads its snapshot",
        existing="refuse",
        new="refuse",
        error="LOADING Redis is loading the dataset in memory",
        passed=("HELLO", "AUTH", "CLIENT"),
    ),
    Fault.READONLY: FaultShape(
        "writes are refused, as by a replica after a failover",
        existing="refuse",
        new="refuse",
        error="READONLY You can't write against a read only replica.",
        refused=("INCR", "INCRBY"),
    ),
    Fault.NOAUTH: FaultShape(
        "all commands but HELLO and AUTH are refused, as after a change of the password",
        existing="refuse",
        new="refuse",
        error="NOAUTH Authentication required.",
        passed=("HELLO", "AUTH"),
    ),
    Fault.MAXCLIENTS: FaultShape(
        "new connections are refused and closed; those that exist work",
        new="refuse",
        error="ERR max number of clients reached",
    ),
    Fault.SLOW: FaultShape("replies come 1.5 s later, in order", reply_s=1.5),
    Fault.FAILOVER_KILL: FaultShape(
        "a primary is killed, and its replica takes its place", primary="killed", lasts_s=PROMOTED_WITHIN_S
    ),
    Fault.FAILOVER_STOP: FaultShape(
        "a primary stands still for good (SIGSTOP), and its replica takes its place",
        primary="paused",
        lasts_s=PROMOTED_WITHIN_S,
    ),
    Fault.FAILOVER_CUT_OFF: FaultShape(
        "a primary is cut off: packets to it and from it are lost for good; its replica takes its place",
        existing="drop",
        new="drop",
        primary="paused",
        lasts_s=PROMOTED_WITHIN_S,
        hits_connecting=True,
        without_filters=Fault.FAILOVER_STOP,
    ),
    Fault.FAILOVER_PLANNED: FaultShape(
        "a replica is told to take its primary's place, which becomes its replica",
        primary="replaced",
        lasts_s=PROMOTED_WITHIN_S,
    ),
}


DROPPING: Final = tuple(name for name, one in SHAPES.items() if "drop" in {one.existing, one.new})
VANISHING: Final = tuple(name for name, one in SHAPES.items() if one.existing == "vanish")
OF_SERVERS: Final = tuple(name for name, one in SHAPES.items() if one.server != "runs")
"""Those that befall a process of ours."""
FAILOVERS: Final = tuple(name for name, one in SHAPES.items() if one.primary != "stays")
"""Those that befall a group of servers."""
CUT_OFF: Final = tuple(name for name in FAILOVERS if name in DROPPING)
"""Those for which a relay stands before each node."""
FRAMED: Final = tuple(name for name, one in SHAPES.items() if one.existing == "refuse")
"""Those for which the relay follows commands and replies."""
READ: Final = tuple(name for name, one in SHAPES.items() if one.error)
"""Those in which the relay speaks to clients, which it cannot where they speak TLS."""


def shape_of(shape: Shape) -> FaultShape:
    """Return how the fault of a trial's shape is made."""
    return SHAPES[cast("Fault", shape.fault)]  # `check_shape` has seen to it


def lasts_s(shape: Shape) -> float:
    """Return how long the fault of a trial's shape lasts, or is watched, in seconds; 0: it is over at once."""
    usual_s = shape_of(shape).lasts_s
    return (shape.fault_s or usual_s) if usual_s else 0.0
