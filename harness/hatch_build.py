"""Puts what set-up builds from into wheel and sdist (`respmark.carried` says what), with the name of the commit."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Sources(BuildHookInterface):  # type: ignore[misc, type-arg] # hatchling is only there when something is built
    """Adds `sources`, in the checkout's layout: to the package in a wheel, beside it in an sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files; an editable install reads those of the checkout."""
        if version == "editable":
            return
        harness = Path(self.root)
        unpacked = harness / "sources"  # of an sdist
        checkout = unpacked if unpacked.is_dir() else harness.parent
        sys.path.insert(0, str(harness / "src"))
        from respmark.carried import carried  # noqa: PLC0415 - what is built, not what is installed

        place = Path("sources" if self.target_name == "sdist" else "respmark/sources")
        included = {str(checkout / path): str(place / path) for path in carried(checkout)}
        build_data["force_include"].update(included)
        commit = checkout / "COMMIT" if unpacked.is_dir() else self._commit(checkout)
        build_data["force_include"][str(commit)] = str(place / "COMMIT")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file that names the commit."""
        del version, build_data, artifact_path
        if folder := getattr(self, "_folder", None):
            shutil.rmtree(folder)

    def _commit(self, checkout: Path) -> Path:
        """Write the commit that is built, empty if it is a release's or not known."""
        self._folder = tempfile.mkdtemp()
        from respmark.version import DESCRIBE  # noqa: PLC0415 - what is built, not what is installed

        try:
            found = subprocess.run(DESCRIBE, cwd=checkout, capture_output=True, text=True, check=False)  # noqa: S603
            said = found.stdout.strip()
        except OSError:
            said = ""
        file = Path(self._folder) / "COMMIT"
        file.write_text(f"{said}\n", encoding="utf-8")
        return file
