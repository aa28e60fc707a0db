"""The page's script, which is made once."""

import sys
from pathlib import Path

import pytest

from respmark.errors import OutputError
from respmark.report.html import vega


@pytest.mark.parametrize(
    ("program", "said"), [("echo cannot load it >&2; exit 1", "cannot load it"), ("exit 0", "it said nothing")]
)
def test_charts_that_cannot_be_bundled_are_told(
    program: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is kept of them, so that the next page tries again."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{program}\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(vega, "BUILD", tmp_path)
    with pytest.raises(OutputError, match=f"could not bundle the page's charts: {said}; install respmark again"):
        vega.script()
    assert list(tmp_path.iterdir()) == [python]
