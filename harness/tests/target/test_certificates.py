"""A server of our own that speaks TLS."""

import stat
from contextlib import closing
from pathlib import Path

import pytest

from respmark.contract.trial import Tls
from respmark.errors import TargetError
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.info import run_id_of
from respmark.target.server_config import make_certificates
from respmark.target.target import open_target
from tests.builders.plan import SHIPPED


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Nobody else on the machine can pass for the server."""
    made = make_certificates(tmp_path)
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    assert made.tls == Tls(ca_file=str(tmp_path / "ca.pem"), verify=True)


def test_one_server_answers_with_and_without_tls(guardian: Guardian, tmp_path: Path) -> None:
    """So that a block can compare them. No other authority vouches for it; nothing is left when it is stopped."""
    with closing(open_target(SHIPPED.target("spawned-tls"), guardian, allow_flush=True)) as target:
        secured, plain = (target.for_client(avoids_tls=avoids_tls) for avoids_tls in (False, True))
        assert secured.tls is not None
        assert plain.tls is None
        for endpoint in (secured, plain):
            with Control(endpoint) as control:
                assert run_id_of(control) == target.run_id
        another = secured.model_copy(update={"tls": make_certificates(tmp_path).tls})
        with pytest.raises(TargetError, match="do not agree on TLS"):
            Control(another).open()
    assert secured.tls.ca_file is not None
    assert not Path(secured.tls.ca_file).parent.exists()
