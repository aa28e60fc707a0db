"""Lists, hashes, sets and counters of a workload, on a real server."""

from contextlib import closing
from functools import partial

import pytest

from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.preload import PreloadedKeys
from respmark.target.spawn import Server
from respmark.target.state import DatabaseState
from respmark.target.target import Reached, Target
from respmark.workload.generate import generate, preload_sizes
from respmark.workload.prefix import draw_prefix, with_prefix
from respmark.workload.structures import Structures
from tests.builders.plan import SHIPPED

LIST, HASH, SET, SORTED_SET, COUNTER, EXPIRING = 0, 20, 40, 60, 80, 100


@pytest.mark.parametrize("dirty", [False, True])
def test_what_a_trial_changed_is_made_anew(server: Server, guardian: Guardian, *, dirty: bool) -> None:
    """Lists that were pushed to, counters that went up and keys that expire are as they were before the trial."""
    spec = SHIPPED.workload("conform-commands")
    workload = with_prefix(generate(spec, 1), draw_prefix())
    keys = PreloadedKeys(workload, preload_sizes(spec, 1), Structures(spec, workload))
    state = DatabaseState([keys], guardian)
    with closing(Target(partial(Reached, server.endpoint), allow_flush=False)) as target, closing(state):
        state.restore(target)
        before = described(target.control, [workload.key(number) for number in range(120)])
        target.control.command("LPUSH", workload.key(LIST), "more")
        target.control.command("INCRBY", workload.key(COUNTER), "2")
        target.control.command("SADD", workload.key(SET), "another")
        target.control.command("EXPIRE", workload.key(EXPIRING), "100")
        target.control.command("DEL", workload.key(HASH))
        if dirty:
            state.dirty()
        state.restore(target)
        assert described(target.control, [workload.key(number) for number in range(120)]) == before
        assert (before[LIST], before[HASH][0], before[COUNTER]) == (("list", 20, -1), "hash", ("string", b"0", -1))
        assert (before[SET][0], before[SORTED_SET][0]) == ("set", "zset")


def described(control: Control, keys: list[bytes]) -> list[tuple[object, ...]]:
    """Return of each key its type, how much it holds, and its time to live."""
    sizes = {"list": "LLEN", "hash": "HLEN", "set": "SCARD", "zset": "ZCARD", "string": "GET"}
    found: list[tuple[object, ...]] = []
    for key in keys:
        kind = control.command("TYPE", key).decode()
        found.append((kind, control.command(sizes[kind], key), control.command("TTL", key)))
    return found
