"""redis-py or its fork valkey-py, as its README uses it: `redis_py.py redis|valkey HOST PORT sync|batching PREFIX`."""

import importlib
import sys

from turns import Group, password, take_turns

module, host, port, scenario, prefix = sys.argv[1:]
client = importlib.import_module(module).Redis(host=host, port=int(port), password=password())


def sync(group: Group) -> None:
    """Send one command after another."""
    for key, value in group:
        if value is None:
            client.get(key)
        else:
            client.set(key, value)


def batching(group: Group) -> None:
    """Send them all in one batch."""
    pipe = client.pipeline(transaction=False)
    for key, value in group:
        if value is None:
            pipe.get(key)
        else:
            pipe.set(key, value)
    pipe.execute()


client.ping()
take_turns(prefix, batching if scenario == "batching" else sync)
