"""A program that uses a server in one way: `load.py PORT WAY NAME`; redis-py."""

import contextlib
import itertools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import redis

PORT, WAY, NAME = int(sys.argv[1]), sys.argv[2], sys.argv[3]
SCRIPT = "local sum = 0 for i = 1, 1000000 do sum = sum + i end return sum"


def connect() -> Any:
    return redis.Redis(port=PORT, client_name=NAME, decode_responses=False)


def churn(client: Any, _: int) -> None:
    with connect() as one:
        one.get("key:1")


def wrong_type(client: Any, _: int) -> None:
    with contextlib.suppress(redis.ResponseError):
        client.lpush("text", "value")


def set_expire(client: Any, number: int) -> None:
    client.set(f"new:{number % 1000}", "value")
    client.expire(f"new:{number % 1000}", 60)


kept: list[Any] = []


def leak(client: Any, _: int) -> None:
    kept.append(connect())
    kept[-1].ping()


def requests(client: Any, number: int) -> None:
    client.get(f"key:{number % 1000}")
    if number % 3 == 0:
        client.set(f"new:{number % 1000}", "value", ex=600)
    client.hget("hash", "field")


def batch(client: Any, number: int) -> None:
    with client.pipeline(transaction=False) as pipe:
        for place in range(50):
            pipe.get(f"key:{(number + place) % 1000}")
        pipe.execute()


def push() -> None:
    with connect() as one:
        while True:
            one.rpush("queue", "job")
            time.sleep(0.05)


def publish() -> None:
    with connect() as one:
        while True:
            one.publish("news", "message")
            time.sleep(0.02)


def worker(client: Any, number: int) -> None:
    if number == 0:
        threading.Thread(target=push, daemon=True).start()
    client.blpop("queue", timeout=2)


def listen(client: Any) -> None:
    listener = client.pubsub()
    listener.subscribe("news")
    for _ in listener.listen():
        pass


def subscriber(client: Any, number: int) -> None:
    if number == 0:
        threading.Thread(target=publish, daemon=True).start()
        threading.Thread(target=listen, args=(client,), daemon=True).start()


WAYS: dict[str, tuple[float, Callable[[Any, int], object]]] = {
    "churn": (0.02, churn),
    "loop": (0, lambda client, number: client.set(f"new:{number % 1000}", "value")),
    "keys": (0.02, lambda client, _: client.keys("*")),
    "whole-set": (0.05, lambda client, _: client.smembers("members")),
    "script": (0.05, lambda client, _: client.eval(SCRIPT, 0)),
    "set-expire": (0.004, set_expire),
    "poll": (0.005, lambda client, _: client.lpop("nothing")),
    "wrong-type": (0.01, wrong_type),
    "large-values": (0.1, lambda client, _: client.get("large")),
    "leak": (0.2, leak),
    "requests": (0.01, requests),
    "batch": (0.02, batch),
    "set-ex": (0.004, lambda client, number: client.set(f"new:{number % 1000}", "value", ex=600)),
    "worker": (0, worker),
    "subscriber": (1, subscriber),
}

if __name__ == "__main__":
    pause_s, way = WAYS[WAY]
    client = connect()
    for number in itertools.count():
        way(client, number)
        if number == 0:
            print("begun", flush=True)
        time.sleep(pause_s)
