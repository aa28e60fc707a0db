"""`respmark chart`: a picture, from files alone."""

from pathlib import Path

import pytest

from respmark.errors import ExitCode
from tests.cli.conftest import Command

pytestmark = pytest.mark.usefixtures("starts_nothing")


@pytest.mark.parametrize(("name", "begins"), [("chart.svg", b"<svg"), ("chart.png", b"\x89PNG")])
def test_a_chart_is_a_picture(respmark: Command, runs: list[str], tmp_path: Path, name: str, begins: bytes) -> None:
    """In a file whose name says which kind; an SVG can be printed, too."""
    out = tmp_path / name
    finished = respmark("chart", runs[0], "frontier", "--out", str(out))
    assert (finished.code, finished.output, finished.errors) == (ExitCode.OK, "", "")
    assert out.read_bytes().startswith(begins)
    assert respmark("chart", runs[0], "frontier", "--use", "batching").output.startswith("<svg")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["frontier", "--out", "chart.jpg"], "end the name in .svg or .png"),
        (["forest"], "this run has nothing for it; it has: frontier"),
        (["frontier", "--baseline", "nobody"], "no such client"),
        (["heat"], "kind"),
    ],
)
def test_what_cannot_be_drawn_is_refused(respmark: Command, runs: list[str], words: list[str], said: str) -> None:
    finished = respmark("chart", runs[0], *words)
    assert (finished.code, finished.output) == (ExitCode.INVALID_REQUEST, "")
    assert said in finished.errors.lower()
