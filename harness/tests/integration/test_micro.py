"""`respmark micro` as a user runs it: whole, failing, and interrupted."""

from pathlib import Path

import pytest

from tests.integration.conftest import Respmark
from tests.micro.conftest import runner


@pytest.fixture(autouse=True)
def _toy(specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (specs / "toy").mkdir()
    (specs / "toy" / "runner.toml").write_text(runner())
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.mark.parametrize(
    ("chosen", "code", "said"),
    [
        ("", 0, "40.0 µs"),
        ("some-fail", 1, "jedis (SET): failed: GET of key 7: a wrong value"),
        ("fails", 3, "error: jmh exited with code 1 and wrote no results: something broke here"),
    ],
)
def test_how_it_ends(respmark: Respmark, tmp_path: Path, chosen: str, code: int, said: str) -> None:
    """With tables that `respmark report` shows again, a failure among them, or the tool's last words."""
    words = ("--filter", chosen) if chosen else ()
    finished = respmark("micro", "toy", "--out", tmp_path / "out", *words)
    assert finished.code == code, finished.said
    assert said in finished.said
    if code == 0:
        assert respmark("report", tmp_path / "out").output.strip() in finished.output
