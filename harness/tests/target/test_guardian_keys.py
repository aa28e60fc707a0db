"""The guardian and the keys of a run: gone when the run is, and the password nowhere to be seen."""

import subprocess
from contextlib import closing
from typing import Any

import pytest
from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.target import guardian as module
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.identity import run_id_of
from respmark.target.own_keys import OwnKeys
from respmark.target.spawn import Server
from tests.builders.plan import HIDDEN


def keys_on(endpoint: Endpoint) -> OwnKeys:
    """Write the keys of a run, and one of somebody else; return the run's."""
    with Control(endpoint) as control:
        run_id = run_id_of(control)
        assert run_id is not None
        keys = OwnKeys(endpoint=endpoint, run_id=run_id, prefix="respmark:00000000:", digits=3, count=5)
        for number in range(5):
            control.command("SET", keys.name(number), "x")
        control.command("SET", "user:1", "precious")
    return keys


def names(endpoint: Endpoint) -> set[bytes]:
    """Return all keys."""
    with Control(endpoint) as control:
        return set(control.command("KEYS", "*"))


def test_keys_are_removed_when_the_guardian_is_closed(server: Server) -> None:
    """Those of the run, on a server with a password that only the guardian was told."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", HIDDEN)
    endpoint = server.endpoint.model_copy(update={"password": SecretStr(HIDDEN)})
    with closing(Guardian()) as made:
        made.protect_keys(keys_on(endpoint).model_dump_json())
        assert len(names(endpoint)) == 6
    assert names(endpoint) == {b"user:1"}


def test_released_keys_are_left_alone(server: Server) -> None:
    """The run has removed them itself; what is there under these names now is not its own."""
    with closing(Guardian()) as made:
        keys = keys_on(server.endpoint).model_dump_json()
        made.protect_keys(keys)
        made.release_keys(keys)
    assert len(names(server.endpoint)) == 6


def test_keys_on_another_server_are_left_alone(server: Server) -> None:
    """The address leads to a server that the run never wrote to."""
    with closing(Guardian()) as made:
        made.protect_keys(keys_on(server.endpoint).model_copy(update={"run_id": "0" * 40}).model_dump_json())
    assert len(names(server.endpoint)) == 6


def test_the_password_goes_over_standard_input_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither arguments nor environment of the program that removes keys hold it: everybody can read the former."""
    seen: list[tuple[list[str], dict[str, Any]]] = []
    monkeypatch.setattr(subprocess, "run", lambda words, **more: seen.append((words, more)))
    endpoint = Endpoint(host="h", port=1, password=SecretStr(HIDDEN))
    keys = OwnKeys(endpoint=endpoint, run_id="1", prefix="respmark:00000000:", digits=3, count=5)
    module._remove_keys(keys.model_dump_json())
    ((words, more),) = seen
    assert HIDDEN not in " ".join(words)
    assert HIDDEN in more.pop("input").decode()
    assert HIDDEN not in str(more)
    assert "env" not in more
