"""A series of releases on a real server: of the double, whose releases have the same library in them."""

import json

import pytest

from respmark.releases.pick import Picked
from tests.double import BROKEN
from tests.integration.conftest import Respmark

RELEASES = [f"double@{version}" for version in ("1.1.0", "1.2.0", "1.10.0", BROKEN)]


def test_releases_are_measured_through_a_control(
    respmark: Respmark, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In blocks of at most three here; each release has a row, that which does not run, too, with the reason."""
    monkeypatch.setattr("respmark.cli.versions.pick", lambda *_, **__: Picked(RELEASES))
    monkeypatch.setattr("respmark.plan.split.MOST_CELLS", 3)
    out = tmp_path_factory.mktemp("versions") / "out"
    words = ("versions", "double", "--suite", "tiny", "--scenario", "sync", "--rounds", "2")
    finished = respmark(*words, "--out", out, out=out)
    assert finished.code == 1, finished.said
    assert "double in sync" in finished.said
    assert "(1) 9.0.0: failed:" in finished.said
    assert "this release does not run here" in finished.said
    assert finished.manifest["control"] == RELEASES[0]
    blocks: dict[str, list[str]] = {}
    for cell in finished.manifest["cells"]:
        blocks.setdefault(cell["block"], []).append(cell["client"]["version"])
    assert list(blocks.values()) == [
        ["1.1.0", "1.2.0", "1.10.0"],
        ["1.1.0", "1.10.0", BROKEN],
    ]
    ((timeline,),) = (
        run["timelines"] for run in json.loads(respmark("report", out, "--format", "json").output)["runs"]
    )
    rows = {row["version"]: row for row in timeline["releases"]}
    assert list(rows) == ["1.1.0", "1.2.0", "1.10.0", BROKEN]
    assert [row["before"] for row in rows.values()] == [None, "1.1.0", "1.2.0", None]
    assert all(row["step"]["rps"]["low"] for version, row in rows.items() if version not in {"1.1.0", BROKEN})
    assert rows[BROKEN]["status"] == "failed"
    again = respmark(*words, "--resume", out)
    assert (again.code, f"{out} is complete: nothing is left to be measured" in again.errors) == (2, True)
