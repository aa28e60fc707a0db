"""redis-py's options, methods and refusals, as far as they need no server."""

import json
import re
from typing import Any

import pytest
import redis
from redis._parsers import BaseParser

from paths import GOLDEN
from respmark_python.clients import refusals
from respmark_python.clients.redis_py_commands import arguments, method
from respmark_python.clients.redis_py_options import describe, options
from respmark_python.clients.refusals import refusal, unreachable
from respmark_python.clients.registry import make_session
from respmark_python.contract.description import ClientDescription
from respmark_python.errors import InvalidInputError, UnsupportedError
from respmark_python.workload.workload import Argument, Kind
from runner import parsed

LIMITS = json.loads((GOLDEN / "limits.json").read_text())
REFUSALS = json.loads((GOLDEN / "refusals.json").read_text())
REPLIES = [(reply, refused) for refused in REFUSALS["refusals"] for reply in refused["replies"]]

COMMANDS = {
    "GET key": "get",
    "SET key value": "set",
    "PING": "ping",
    "DEL key": "delete",
    "GETRANGE key 0 3": "getrange",
    "MGET key key": "mget",
    "MSET key value": "mset",
    "EXPIRE key 86400": "expire",
    "INCRBY key 2": "incrby",
    "LPUSH key value": "lpush",
    "LTRIM key 0 99": "ltrim",
    "LRANGE key 0 9": "lrange",
    "HGETALL key": "hgetall",
    "SADD key value": "sadd",
    "ZADD key 1.5 value": "zadd",
}
"""Commands, and the methods that send them."""


def kind(line: str) -> Kind:
    """Return the kind of command whose words these are: `key`, `value` and literals."""
    name, *words = line.split()
    return Kind(name, tuple(Argument(w) if w in {"key", "value"} else Argument("literal", w) for w in words))


def client(**changes: Any) -> dict[str, Any]:
    """Return a trial's client."""
    return {"library": "redis-py", **changes}


def test_the_installed_library_is_described() -> None:
    """Every scenario of the current redis-py is there, with its windows and forms; defaults stand first."""
    description = describe()
    assert isinstance(description, ClientDescription)
    assert description.version == redis.__version__
    assert description.options == {
        "parser": ("hiredis", "python", "python-parser"),
        "protocol": (3, 2),
        "decode": ("bytes", "text"),
        "api": ("sync", "asyncio"),
    }
    assert set(description.dependencies) == {"hiredis"}
    assert len(description.scenarios) == 8
    assert description.scenarios["pipelining"].windows == ("burst", "sliding")
    assert description.scenarios["transaction"].forms == ("batched",)


def test_a_pool_has_the_retries_of_a_plain_client_and_the_contracts_limit() -> None:
    """A pool that is made by hand has neither."""
    session = make_session(parsed(scenario="pool", shape={"threads": 2, "max_total": 2}))
    pool: Any = session.lanes[0].target.connection_pool
    plain: Any = redis.Redis().connection_pool
    assert pool.make_connection().retry.get_retries() == plain.make_connection().retry.get_retries() > 0
    assert pool.timeout * 1000 == LIMITS["pool_wait_ms"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"library": "jedis"}, "trial.client.library must be one of redis-py, not jedis"),
        (client(options={"parsre": "hiredis"}), "options.parsre is unknown; known are parser, protocol, decode, api"),
        (client(options={"parser": "c"}), "options.parser must be one of hiredis, python, python-parser, not 'c'"),
        (client(options={"protocol": True}), "options.protocol must be one of 3, 2, not True"),
    ],
)
def test_clients_that_do_not_exist_are_invalid(choice: dict[str, Any], message: str) -> None:
    """An unknown library, option or value is exit code 2."""
    with pytest.raises(InvalidInputError) as caught:
        make_session(parsed(client=choice))
    assert message in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("scenario", "shape", "choice", "message"),
    [
        ("sync", {}, client(version="3.5.3"), f"this environment has redis-py {redis.__version__}, not 3.5.3"),
        ("transaction", {"depth": 2, "form": "queued"}, client(), "has form batched, not queued"),
        ("pool", {"threads": 2, "max_total": 2, "max_idle": 1}, client(), "has no max_idle"),
        ("pipelining", {"depth": 2, "window": "burst", "threads": 2}, client(), "pipelining has no threads"),
        ("threads", {"threads": 2, "connections": 1}, client(options={"api": "asyncio"}), "no threads share it"),
        (
            "caching",
            {"cache_entries": 9},
            client(options={"api": "asyncio"}),
            "asyncio has no client-side caching",
        ),
        ("caching", {"cache_entries": 9}, client(options={"protocol": 2}), "redis-py caches with RESP3 only"),
    ],
)
def test_what_the_library_cannot_express_is_unsupported(
    scenario: str, shape: dict[str, Any], choice: dict[str, Any], message: str
) -> None:
    """A valid trial that redis-py has no API for is exit code 3, before anything is connected."""
    with pytest.raises(UnsupportedError) as caught:
        make_session(parsed(scenario, shape, client=choice))
    assert message in str(caught.value)
    assert caught.value.exit_code == 3


def test_old_versions_have_fewer_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without hiredis there is one parser; without hiredis's packer, the parser is all that hiredis changes."""
    monkeypatch.delattr("redis.connection.HiredisRespSerializer")
    assert options(redis)["parser"] == ("hiredis", "python")
    monkeypatch.setattr("redis.utils.HIREDIS_AVAILABLE", False)
    assert options(redis)["parser"] == ("python",)


@pytest.mark.parametrize(("line", "name"), COMMANDS.items())
def test_a_command_goes_through_the_librarys_own_method(line: str, name: str) -> None:
    """The method of its name, or nearly so, puts the command's own words on the wire."""
    command = kind(line)
    given = arguments(command, [word.text or word.kind for word in command.arguments])
    pipeline = redis.Redis(port=1).pipeline()
    assert method(redis, redis.Redis, command) is getattr(redis.Redis, name)
    method(redis, pipeline, command)(*given)
    assert [" ".join(map(str, words)) for words, _ in pipeline.command_stack] == [line]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("INCR key", "incr() does not send INCR as the workload has it, but INCRBY key 1"),
        ("SET key value EX 100", "has no method for SET as the workload has it"),
        ("NO.SUCH key", "has no method for NO.SUCH"),
    ],
)
def test_a_command_without_a_method_is_unsupported(line: str, message: str) -> None:
    """What no method sends as it stands is exit code 3, and not sent raw."""
    with pytest.raises(UnsupportedError, match=re.escape(message)):
        method(redis, redis.Redis(port=1), kind(line))


@pytest.mark.parametrize(("reply", "refused"), REPLIES)
def test_refusals_have_the_contracts_sentences(reply: str, refused: dict[str, str]) -> None:
    """A refusal of us as a whole is told as in every language, whatever class redis-py makes of it."""
    for error in (redis.ResponseError(reply), BaseParser.parse_error(reply)):  # type: ignore[no-untyped-call]
        explained = str(refusal(error, "host:1"))
        assert explained.startswith(f"host:1 {refused['meaning']} (")
        assert explained.endswith(f"): {refused['advice']}")


def test_every_sentence_is_one_of_the_contracts() -> None:
    """One fault is said in the same words in every language."""
    ours = {row[-2:] for row in (*refusals.REFUSALS, *refusals.UNREACHABLE, refusals.OTHER)}
    assert ours <= {(refused["meaning"], refused["advice"]) for refused in REFUSALS["refusals"]}


def test_a_lost_target_has_the_contracts_sentence() -> None:
    """What was complained of and what was heard last stand in it."""
    heard = {"address": "host:1", "complaint": "silence", "heard": "OSError: gone"}
    assert str(refusals.lost("silence", OSError("gone"), "host:1")) == REFUSALS["sentences"]["lost"].format(**heard)


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ("Error 1: [SSL: CERTIFICATE_VERIFY_FAILED] no", "not trusted"),
        ("Error 1: [SSL: WRONG_VERSION_NUMBER] no", "TLS handshake"),
    ],
)
def test_failed_handshakes_are_explained(message: str, meaning: str) -> None:
    """TLS fails in ways of its own."""
    assert meaning in str(refusal(redis.ConnectionError(message), "host:1"))


def test_an_error_of_one_command_is_no_refusal() -> None:
    """A wrong type says nothing about the target as a whole."""
    assert refusal(redis.ResponseError("WRONGTYPE Operation against a key"), "host:1") is None


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ("Error 111 connecting to h:1. Connection refused.", "refuses connections"),
        ("Error 111 connecting to h:1. Connect call failed ('h', 1).", "refuses connections"),
        ("Error 2 connecting to unix:/x. No such file or directory.", "does not exist"),
        ("Error -2 connecting to h:1. Name or service not known.", "is not a known host"),
        ("Timeout connecting to server", "does not answer in time"),
        ("Connection closed by server.", "whether it expects TLS"),
        ("Error 101 connecting to h:1. Network is unreachable.", "cannot be reached"),
        ("something else", "failed (ConnectionError: something else): see its log"),
    ],
)
def test_lost_connections_are_explained(message: str, meaning: str) -> None:
    """Each way of not reaching a server has its sentence."""
    assert meaning in str(unreachable(redis.ConnectionError(message), "host:1"))
