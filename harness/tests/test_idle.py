"""Keeping CPUs awake, with the files of a made-up kernel."""

import struct
from pathlib import Path

import pytest

from respmark.placement import DEVICE, DRIVER, can_keep_awake, kept_awake


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A system whose kernel chooses idle states, and lets us say which."""
    for path, text in ((DRIVER, "intel_idle\n"), (DEVICE, "")):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def holders(path: Path) -> list[Path]:
    return [one for one in Path("/proc/self/fd").iterdir() if one.exists() and one.resolve() == path]


def test_cpus_are_kept_awake_as_long_as_the_file_is_open(root: Path) -> None:
    """The kernel is told: no time to wake up; the end of the file's use takes that back."""
    assert can_keep_awake(root)
    assert holders(root / DEVICE) == []
    with kept_awake(root):
        assert (root / DEVICE).read_bytes() == struct.pack("i", 0)
        assert len(holders(root / DEVICE)) == 1
    assert holders(root / DEVICE) == []


@pytest.mark.parametrize(("path", "text"), [(DRIVER, None), (DRIVER, "none\n"), (DEVICE, None)])
def test_without_a_driver_or_the_file_nobody_can(root: Path, path: Path, text: str | None) -> None:
    """Of a kernel that knows one way to idle, asking changes nothing; no file is made where there is none."""
    (root / path).unlink() if text is None else (root / path).write_text(text)
    assert not can_keep_awake(root)
    assert not (text is None and (root / path).exists())
