"""Puts into wheel and sdist what set-up builds from (`respmark.carried` says what), and the name of the commit.

A wheel also has the script of the page's charts, so that a report needs no browser engine to be made.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """Says where source and documentation are, of the repository whose workflow builds; nothing anywhere else."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them to the project's metadata."""
        owner, _, name = os.environ.get("GITHUB_REPOSITORY", "").partition("/")
        host = os.environ.get("GITHUB_SERVER_URL", "")
        site = {"Documentation": f"https://{owner}.github.io/{name}/", "Source": f"{host}/{owner}/{name}"}
        metadata["urls"] = site if owner and name else {}


class Sources(BuildHookInterface):
    """Adds `sources`, in the checkout's layout: to the package in a wheel, beside it in an sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files; an editable install reads those of the checkout."""
        self._folder = Path(tempfile.mkdtemp())
        if version == "editable":
            return
        harness = Path(self.root)
        unpacked = harness / "sources"  # of an sdist
        checkout = unpacked if unpacked.is_dir() else harness.parent
        sys.path.insert(0, str(harness / "src"))  # what is built, not what is installed
        from respmark.carried import carried  # noqa: PLC0415 - see above

        place = Path("sources" if self.target_name == "sdist" else "respmark/sources")
        added = {checkout / path: place / path for path in carried(checkout)}
        added[checkout / "COMMIT" if unpacked.is_dir() else self._commit(checkout)] = place / "COMMIT"
        if self.target_name == "wheel":
            added[self._charts()] = Path("respmark/report/html/page/vega.js")
        build_data["force_include"].update({str(path): str(where) for path, where in added.items()})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the files that were made."""
        del version, build_data, artifact_path
        shutil.rmtree(self._folder)

    def _commit(self, checkout: Path) -> Path:
        """Write what is built: a release's tag, or a commit; empty if nobody knows."""
        from respmark.version import DESCRIBE  # noqa: PLC0415 - as above

        try:
            found = subprocess.run(DESCRIBE, cwd=checkout, capture_output=True, text=True, check=False)  # noqa: S603 - git
            said = found.stdout.strip()
        except OSError:
            said = ""
        return self._write("COMMIT", f"{said}\n")

    def _charts(self) -> Path:
        """Write Vega and what belongs to it as one script."""
        import vl_convert  # noqa: PLC0415 - only a wheel needs it

        from respmark.report.html.vega import VEGA_LITE  # noqa: PLC0415 - as above

        return self._write("vega.js", vl_convert.javascript_bundle(vl_version=VEGA_LITE))

    def _write(self, name: str, content: str) -> Path:
        file = self._folder / name
        file.write_text(content, encoding="utf-8")
        return file
