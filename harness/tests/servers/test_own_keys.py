"""Removing a run's keys by their names."""

import io
import sys
import time

import pytest
from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, ServerLostError
from respmark.servers import cluster, own_keys
from respmark.servers.own_keys import BATCH, OwnKeys, main, remove
from tests.builders.plan import HIDDEN
from tests.fake_node import FakeControl, FakeNode


def keys(count: int = 3, **changes: object) -> OwnKeys:
    fields: dict[str, object] = {
        "endpoint": Endpoint(host="h", port=1, password=SecretStr(HIDDEN)),
        "run_ids": frozenset({f"{1:040d}"}),
        "prefix": "respmark:00000000:key:",
        "digits": 7,
        "count": count,
    }
    return OwnKeys.model_validate(fields | changes)


@pytest.fixture
def control(monkeypatch: pytest.MonkeyPatch) -> FakeControl:
    made = FakeControl(FakeNode())
    monkeypatch.setattr(cluster, "Control", lambda _endpoint: made)
    monkeypatch.setattr(own_keys, "PAUSE_S", 0)
    return made


@pytest.mark.parametrize("existing", [frozenset(), frozenset({0, BATCH})])
@pytest.mark.parametrize("count", [1, BATCH, 2 * BATCH + 1])
def test_all_of_our_keys_go_and_no_other(control: FakeControl, count: int, existing: frozenset[int]) -> None:
    """By name, whatever else begins with the same letters; those that were there before us stay."""
    ours, data = keys(count, existing=existing), control.node.data
    data.update({ours.name(number): b"x" for number in range(count)})
    others = {b"respmark:00000000:key:", b"respmark:00000000:key:1", b"respmark:00000000:key:0000001x", b"user:1"}
    data.update(dict.fromkeys(others, b"precious"))
    data[ours.name(count)] = b"one more than ours"
    remove(ours)
    assert set(data) == others | {ours.name(count)} | {ours.name(number) for number in existing if number < count}


def test_another_server_is_left_alone(control: FakeControl) -> None:
    """Nothing is deleted where the run_id is not the one on which we wrote."""
    control.node.restart()
    control.node.data[keys().name(1)] = b"x"
    with pytest.raises(AnotherServerError):
        remove(keys())
    assert control.node.data == {keys().name(1): b"x"}


def test_a_key_that_comes_late_goes_as_well(control: FakeControl, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a runner had sent before it was killed may arrive after its end."""
    late = [keys().name(2), keys().name(1)]
    monkeypatch.setattr(time, "sleep", lambda _: late and control.node.data.update({late.pop(): b"late"}))
    remove(keys())
    assert (late, control.node.data) == ([], {})


def test_keys_that_are_left_are_reported_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the command that removes them later, and without the password."""

    def unreachable(_endpoint: Endpoint) -> FakeControl:
        raise ServerLostError("gone")

    monkeypatch.setattr(cluster, "Control", unreachable)
    monkeypatch.setattr(sys, "stdin", io.StringIO(keys().model_dump_json()))
    main()
    said = capsys.readouterr().err
    assert "the run's keys may still be at h:1: respmark:00000000:key:* (up to 3 keys) in database 0" in said
    assert "respmark clean --server URL --keys respmark:00000000:key:" in said
    assert HIDDEN not in said
