"""What the keys of workloads take in a real server's memory."""

from respmark.servers.node import Node
from respmark.servers.preload import PreloadedKeys
from respmark.servers.server import Server
from respmark.servers.state import DatabaseState
from respmark.workload.workload import generate, preload_sizes, with_prefix
from tests.builders.plan import SHIPPED

NAMES = ("get-16", "hgetall-16")


def test_ten_small_values_take_less_memory_in_a_hash_than_in_keys(server: Node) -> None:
    """What each workload's keys add is known as they are written, one workload after the other."""
    specs = [SHIPPED.workload(name) for name in NAMES]
    state = DatabaseState(
        [PreloadedKeys(with_prefix(generate(spec, 1), f"{spec.name}:"), preload_sizes(spec, 1)) for spec in specs]
    )
    assert state.bytes_per_key == {}
    in_use = Server(server, allow_flush=True)
    state.restore(in_use)
    in_use.control.close()
    of_key, of_hash = (state.bytes_per_key[name] for name in NAMES)
    assert 30 < of_key < 300
    assert of_key < of_hash < 5 * of_key
