"""Valkey GLIDE as its README uses it: `valkey_glide.py glide|glide_sync HOST PORT sync|batching KEY_PREFIX`."""

import asyncio
import importlib
import sys

from turns import Group, password, take_turns, take_turns_async

module, host, port, scenario, prefix = sys.argv[1:]
glide = importlib.import_module(module)
glide.Logger.set_logger_config(glide.LogLevel.OFF)  # it would write between the answers


def configuration() -> object:
    """Return where to connect to, with a limit for each request, as the README recommends."""
    secret = password()
    credentials = None if secret is None else glide.ServerCredentials(secret)
    addresses = [glide.NodeAddress(host, int(port))]
    return glide.GlideClientConfiguration(addresses, credentials=credentials, request_timeout=10_000)


def filled(group: Group) -> object:
    """Return a batch with these commands."""
    batch = glide.Batch(is_atomic=False)
    for key, value in group:
        if value is None:
            batch.get(key)
        else:
            batch.set(key, value)
    return batch


def work() -> None:
    """Use the synchronous client."""
    client = glide.GlideClient.create(configuration())

    def sync(group: Group) -> None:
        for key, value in group:
            if value is None:
                client.get(key)
            else:
                client.set(key, value)

    def batching(group: Group) -> None:
        client.exec(filled(group), raise_on_error=True)

    take_turns(prefix, batching if scenario == "batching" else sync)


async def work_async() -> None:
    """Use the asynchronous client."""
    client = await glide.GlideClient.create(configuration())

    async def sync(group: Group) -> None:
        for key, value in group:
            if value is None:
                await client.get(key)
            else:
                await client.set(key, value)

    async def batching(group: Group) -> None:
        await client.exec(filled(group), raise_on_error=True)

    await take_turns_async(prefix, batching if scenario == "batching" else sync)


if module == "glide":
    asyncio.run(work_async())
else:
    work()
