"""What is said where the Python is too old."""

import pytest

from bootstrap import __main__ as start


@pytest.mark.parametrize(
    ("here", "said"),
    [
        (
            {"python3.12 --version": "Python 3.12.1", "apt-cache policy python3.11": "  Candidate: 3.11.2-6"},
            "A newer one is here: make bench PYTHON=python3.12",
        ),
        (
            {
                "apt-cache policy python3.12": "  Candidate: (none)",
                "apt-cache policy python3.11": "  Candidate: 3.11.2",
            },
            "As root: apt-get install python3.11 python3.11-venv; then: make bench PYTHON=python3.11",
        ),
        ({}, "uv brings one: https://docs.astral.sh/uv/guides/install-python"),
    ],
)
def test_a_newer_python_is_one_that_can_be_had(
    here: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One on PATH, else a package that the system has, else uv's."""
    monkeypatch.setattr(start, "printed", lambda *words: here.get(" ".join(words), ""))
    assert start.advice() == said


def test_a_program_that_is_not_here_prints_nothing() -> None:
    """Nor does one that fails."""
    assert start.printed("echo", "3.12") == "3.12\n"
    assert start.printed("no-such-program") == start.printed("false") == ""
