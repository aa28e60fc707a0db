"""A server of our own that speaks TLS."""

import stat
from contextlib import closing
from pathlib import Path

import pytest

from respmark.contract.trial import Endpoint, Tls
from respmark.errors import InvalidRequestError, TargetError
from respmark.specs.target import SpawnedTarget
from respmark.target.certificates import make_certificates
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.identity import run_id_of
from respmark.target.spawn import spawn
from respmark.target.target import open_target
from tests.builders.plan import SHIPPED
from tests.fakes import FakeControl, FakeServer, FakeTarget


def spec() -> SpawnedTarget:
    """Return the shipped target."""
    found = SHIPPED.target("spawned-tls")
    assert isinstance(found, SpawnedTarget)
    return found


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Nobody else on the machine can pass for the server."""
    made = make_certificates(tmp_path)
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    assert made.tls == Tls(ca_file=str(tmp_path / "ca.pem"), verify=True)


def test_runners_are_told_to_speak_tls_and_to_verify(guardian: Guardian, tmp_path: Path) -> None:
    """The server answers over TLS whoever trusts the run's authority; another authority does not vouch for it."""
    with closing(open_target(spec(), guardian, allow_flush=True)) as target:
        assert target.endpoint.tls is None
        with Control(target.for_runners) as over_tls:
            assert over_tls.command("PING") == b"PONG"
        another = target.for_runners.model_copy(update={"tls": make_certificates(tmp_path).tls})
        with pytest.raises(TargetError, match="do not agree on TLS"):
            Control(another).open()


def test_a_client_can_be_told_to_leave_tls_out(guardian: Guardian) -> None:
    """The same server answers both, so that a block can compare them."""
    with closing(open_target(spec(), guardian, allow_flush=True)) as target:
        secured, plain = (target.for_client(avoids_tls=avoids_tls) for avoids_tls in (False, True))
        assert secured.tls is not None
        assert plain.tls is None
        run_ids = []
        for endpoint in (secured, plain):
            with Control(endpoint) as control:
                run_ids.append(run_id_of(control))
        assert run_ids[0] == run_ids[1] == target.run_id


def test_a_target_of_tls_alone_is_not_reached_without() -> None:
    """A server that is already there has one address."""
    fake = FakeServer()
    target = FakeTarget(FakeControl(fake, Endpoint(host="h", port=1, tls=Tls())), spawned=False)
    with pytest.raises(InvalidRequestError, match="h:1 is reached over TLS alone"):
        target.for_client(avoids_tls=True)


def test_the_certificates_go_with_the_server(guardian: Guardian) -> None:
    """Nothing of them is left when it is stopped."""
    server = spawn(spec(), guardian)
    assert server.secured is not None
    authority = server.secured.certificates.authority
    assert authority.is_file()
    server.stop()
    assert not authority.parent.exists()
