"""What a runner loads for a client, and what is said of one that does not."""

import pytest

from respmark.runners.protocol import missing_reason
from tests.builders.plan import make_client
from tests.runners.scripted import LOADED, ScriptedRunners


def test_each_client_is_asked_for_once(scripted: ScriptedRunners) -> None:
    """Two versions of a library are two installations; what it says goes with what its spec says."""
    asked = scripted.folder / "asked"
    scripted.write(f"open({str(asked)!r}, 'a').write(sys.argv[1] + ' ')" + LOADED)
    for version in (None, "1.0", None):
        client = make_client(version=version, name="lib@1.0" if version else "lib")
        described = scripted.executor.describe(client)
        assert (described.runtime, described.runtime_version) == ("rt", "3")
        assert (described.clients[0].library, described.clients[0].version) == ("lib", "2")
        assert missing_reason(client, scripted.executor) is None
    assert asked.read_text() == "lib lib-1.0 "


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print('loading', file=sys.stderr); sys.exit('No module named redis')", "No module named redis"),
        ("sys.exit(3)", "the runner exited with code 3 before its result: it left no word on standard error"),
        (
            'say(loaded={"contract": 2, "versions": {}}); sys.stdin.read()',
            "the runner keeps contract 2, this harness 3",
        ),
        ("say(connected={}); sys.stdin.read()", "the runner said `connected` where `loaded` was due"),
    ],
)
def test_a_runner_that_does_not_load_the_client_is_missing(scripted: ScriptedRunners, script: str, said: str) -> None:
    """Its last line on standard error is the reason, and the spec's advice stands beside it."""
    assert scripted.missing(script) == f"{said}; run `make setup`"
    assert missing_reason(make_client(), scripted.executor) == f"{said}; run `make setup`"


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("print('hello there')", "hello there"),
        ("sys.stdout.buffer.write(bytes([255, 10]))", "\N{REPLACEMENT CHARACTER}"),
        ("print('x' * 100000)", "x" * 200),
    ],
)
def test_garbage_is_told_with_its_line(scripted: ScriptedRunners, script: str, shown: str) -> None:
    """What is not in the contract is quoted, shortened."""
    said = scripted.missing(script + "; sys.stdout.flush(); time.sleep(60)")
    assert "printed something that is not in the contract" in said
    assert shown in said
    assert len(said) < 500


def test_what_set_up_found_goes_before_what_happened_now(scripted: ScriptedRunners) -> None:
    """The package manager's own sentence says more than that a file is not there; the version's own comes first."""
    scripted.status("python", state="missing", sentence="pip: no matching distribution", advice="check the network")
    assert scripted.missing("sys.exit(1)") == "pip: no matching distribution; check the network"
    scripted.status("python@lib-1.0", state="missing", sentence="no compiler")
    assert scripted.missing("sys.exit(1)", version="1.0") == "no compiler; run `make setup`"
