"""Runners behind the proxy: how long they may be silent."""

from dataclasses import replace
from pathlib import Path

import pytest

from respmark.conform.observed import LIMIT_S, TLS_LIMIT_S, ObservedExecutor
from respmark.contract.trial import Endpoint, Scenario, Shape, Tls
from respmark.errors import RunnerFailedError
from respmark.wire.proxy import LOOPBACK, Script, proxied
from respmark.wire.trace import Subject
from tests.builders.plan import make_client, make_request
from tests.fake_executor import FakeExecutor

SUBJECT = Subject(client="lib", scenario=Scenario.SYNC, shape=Shape(), workload="tiny", commands=("GET",))


@pytest.mark.parametrize(("tls", "limit_s"), [(None, LIMIT_S), (Tls(), TLS_LIMIT_S)])
def test_who_speaks_tls_may_be_silent_for_longer(tls: Tls | None, limit_s: float, tmp_path: Path) -> None:
    """A thousand handshakes are no hanging; nobody waits longer than who asks."""
    listen_address = replace(LOOPBACK, tls=tls)
    with proxied(Endpoint(host="127.0.0.1", port=1), SUBJECT, Script(), tmp_path, listen_address) as proxy:
        process = ObservedExecutor(FakeExecutor(lambda *_: ()), proxy).start(make_client(), make_request())
        for asked_s, waited_s in ((600.0, limit_s), (1.0, 1.0)):
            with pytest.raises(RunnerFailedError, match=rf"limit {waited_s} s"):
                process.next_event(asked_s)
