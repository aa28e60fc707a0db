"""coredis as its README uses it: `coredis_readme.py HOST PORT sync|batching KEY_PREFIX`."""

import sys

import anyio
import coredis
from turns import Group, password, take_turns_async

host, port, scenario, prefix = sys.argv[1:]
client = coredis.Redis(host=host, port=int(port), password=password())


async def sync(group: Group) -> None:
    """Send one command after another."""
    for key, value in group:
        if value is None:
            await client.get(key)
        else:
            await client.set(key, value)


async def batching(group: Group) -> None:
    """Send them all in one batch, and take every reply."""
    async with client.pipeline(transaction=False) as pipeline:
        replies = [pipeline.get(key) if value is None else pipeline.set(key, value) for key, value in group]
    for reply in replies:
        await reply


async def main() -> None:
    """Enter the client, and work."""
    async with client:
        await client.ping()
        await take_turns_async(prefix, batching if scenario == "batching" else sync)


anyio.run(main, backend="asyncio")
