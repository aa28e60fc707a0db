"""A server of our own that speaks TLS."""

import stat
from contextlib import closing
from pathlib import Path

import pytest

from respmark.contract.trial import Tls
from respmark.errors import TargetError
from respmark.specs.target import SpawnedTarget
from respmark.target.certificates import make_certificates
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import spawn
from respmark.target.target import open_target
from tests.builders import SHIPPED


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


def test_the_certificates_go_with_the_server(guardian: Guardian) -> None:
    """Nothing of them is left when it is stopped."""
    server = spawn(spec(), guardian)
    assert server.secured is not None
    authority = server.secured.certificates.authority
    assert authority.is_file()
    server.stop()
    assert not authority.parent.exists()
