"""What docker means when it fails."""

import pytest

from respmark.containers.errors import explain, explain_build, meaning
from respmark.errors import ExitCode

NEVER_SEEN = "Error response from daemon: the moon is in the wrong place"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
            "usermod -aG docker",
        ),
        (
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
            "systemctl start docker",
        ),
        ("failed to connect to the docker API at unix:///var/run/docker.sock", "systemctl start docker"),
        ("write /var/lib/docker/tmp/x: no space left on device", "the disk is full"),
        (
            "driver failed programming connectivity: Bind for 127.0.0.1:6379 failed: port is already allocated",
            "taken by another program",
        ),
        ("failed to bind host port for 127.0.0.1:6379: address already in use", "taken by another program"),
        (
            "could not find an available, non-overlapping IPv4 address pool among the defaults",
            "no address range left",
        ),
        ("Error response from daemon: network with name x_bench already exists", "a network of this name"),
        ("network x_bench was found but has incorrect label com.docker.compose.network", "a network of this name"),
        (
            "Error response from daemon: pull access denied for valkey/valkey, repository does not exist",
            "cannot be pulled",
        ),
        ("ERROR: failed to resolve source metadata for docker.io/library/debian:x: not found", "cannot be pulled"),
        ("Head: dial tcp: lookup registry.example on 10.0.0.1:53: no such host", "cannot be pulled"),
        ("can't set healthcheck.start_interval as feature require Docker Engine v25 or later", "too old"),
        ("unknown shorthand flag: 'p' in -p", "missing or too old"),
        ("Error response from daemon: Requested CPUs are not available - requested 0-7, available: 0-1", "--pin"),
    ],
)
def test_what_is_known_is_said_in_words(said: str, words: str) -> None:
    """With what to do, and docker's own last line behind it."""
    error = explain("starting `valkey` in a container", said)
    assert str(error).startswith("starting `valkey` in a container: ")
    assert words in str(error)
    assert said[-40:] in str(error)
    assert error.exit_code is ExitCode.NOTHING_RAN


def test_what_is_not_known_is_given_as_docker_said_it() -> None:
    """The last lines, not everything."""
    error = explain("asking the docker engine", f"one\ntwo\n\nthree\n{NEVER_SEEN}\n")
    assert str(error) == f"asking the docker engine: docker says: two / three / {NEVER_SEEN}"
    assert meaning(NEVER_SEEN) is None


def test_silence_is_told_as_well() -> None:
    """Somebody must look further."""
    assert str(explain("asking", "")).endswith("docker says: nothing")


def test_an_image_that_was_not_built_shows_its_last_lines() -> None:
    """They name what failed; the command that shows all of it stands there, too."""
    said = (
        "\n".join(f"#{number} npm ci" for number in range(50)) + "\n#50 ERROR: process did not complete: exit code 1\n"
    )
    message = str(explain_build("node", said))
    assert "`docker compose build node`" in message
    assert "#50 ERROR: process did not complete: exit code 1" in message
    assert "#49 npm ci" in message
    assert "#10 npm ci" not in message


def test_a_full_disk_while_an_image_is_built_is_recognised() -> None:
    """The last lines of such a build would not say it to everybody."""
    assert "the disk is full" in str(explain_build("node", "#9 ERROR: write /x: no space left on device\n"))
