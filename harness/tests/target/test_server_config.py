"""The configuration of a server of our own."""

from pathlib import Path

from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.target.server_config import configuration

TCP = Endpoint(host="127.0.0.1", port=7000, password=SecretStr("secret"))


def test_nothing_is_persisted_and_nobody_else_is_let_in() -> None:
    """Files go to the run's own folder, whose name may have quotes, spaces and line ends."""
    lines = configuration(TCP, Path('/a "b"\\\nprotected-mode no')).splitlines()
    for line in (
        *('port "7000"', 'bind "127.0.0.1"', 'save ""', 'appendonly "no"', 'requirepass "secret"'),
        'dir "/a \\"b\\"\\\\\\nprotected-mode no"',
        'rename-command CONFIG ""',
    ):
        assert line in lines
