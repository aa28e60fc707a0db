"""The runners' floor plan in the contract's page: what it names is there, and no runner has other rooms."""

import re
from pathlib import Path

import pytest

from respmark.paths import CONTRACT, ROOT

PAGE = (CONTRACT / "README.md").read_text(encoding="utf-8").partition("## The runners' floor plan")[2]
TABLE = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
HEAD = next(row for row in TABLE if row[0] == "thing")
FOLDERS = [ROOT / cell.strip("`") for cell in HEAD[1:]]
"""Where each runner's rooms are, in the table's columns."""
ROWS = [row for row in TABLE if len(row) == len(HEAD) and row[0] not in {"thing", "---"}]
ROOMS = [row[0].strip("*") for row in ROWS if row[0].startswith("**")]
THINGS = [row for row in ROWS if not row[0].startswith("**")]


def files(cell: str) -> list[str]:
    """Return the files that a cell names."""
    return re.findall(r"`([^`]+)`", cell)


def rooms(folder: Path) -> set[str]:
    """Return the rooms of a runner, folders and single files, without what its language keeps beside them."""
    return {path.stem.lower() for path in folder.iterdir() if path.is_dir() and not path.name.startswith("_")} | {
        path.stem.lower() for path in folder.iterdir() if path.is_file() and path.stem.lower() in ROOMS
    }


def test_the_plan_has_every_language_and_room() -> None:
    """A table that was read wrongly would prove nothing."""
    assert [folder.relative_to(ROOT).parts[0] for folder in FOLDERS] == ["python", "node", "java", "php", "dotnet"]
    assert {"main", "contract", "workload", "scenarios", "recorder", "verification", "clients", "errors"} == set(ROOMS)
    assert len(THINGS) > len(ROOMS)


@pytest.mark.parametrize("row", THINGS, ids=lambda row: row[0])
def test_what_the_plan_names_is_there(row: list[str]) -> None:
    """Each thing has a file in every language, or words that say why it has none."""
    for folder, cell in zip(FOLDERS, row[1:], strict=True):
        assert cell
        for file in files(cell):
            assert (folder / file).is_file(), f"{folder / file}"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).parts[0])
def test_a_runner_has_the_rooms_of_the_plan_and_no_others(folder: Path) -> None:
    """A newcomer who has read one runner finds everything in the others."""
    assert rooms(folder) == set(ROOMS)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).parts[0])
def test_a_runners_readme_has_the_rooms_of_the_plan(folder: Path) -> None:
    """The same rooms by the same names, in whatever way its language writes them."""
    page = ROOT / folder.relative_to(ROOT).parts[0] / "README.md"
    table = page.read_text(encoding="utf-8").partition("| room")[2].partition("\n\n")[0]
    rooms_named = re.findall(r"^\| `(\w+)[^`]*` \|", table, re.MULTILINE)
    assert sorted(name.lower() for name in rooms_named) == sorted(ROOMS)
