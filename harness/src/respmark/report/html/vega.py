"""Vega-Lite with everything it needs, as one script for the page, and charts as pictures without a browser."""

import json
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Final

import vl_convert

from respmark.errors import OutputError
from respmark.files import write_whole
from respmark.paths import BUILD

PACKAGE: Final = "vl-convert-python"
VEGA_LITE: Final = "6.4"
"""The version in the bundle; pictures are drawn by the same."""
NO_LOADING: Final[list[str]] = []
"""Addresses from which a picture may load anything: none."""


def script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed with its interpreter, as JavaScript that needs no `eval`.

    vl-convert needs a few seconds and 200 MB to bundle them: this is done once, in a separate process, and the result
    is kept under `.build`; if it cannot be kept, the next page makes its own.

    Raises:
        OutputError: the bundle could not be made.
    """
    kept = BUILD / "html" / f"vega-{version(PACKAGE)}.js"
    if kept.is_file():
        return kept.read_text(encoding="utf-8")
    made = _bundle()
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, made.encode())
    return made


def svg(spec: dict[str, Any]) -> str:
    """Return a chart as SVG; text is set in the reader's own fonts."""
    return vl_convert.vegalite_to_svg(json.dumps(spec), vl_version=VEGA_LITE, allowed_base_urls=NO_LOADING)


def png(spec: dict[str, Any]) -> bytes:
    """Return a chart as PNG, with two pixels for each of the page's."""
    return vl_convert.vegalite_to_png(json.dumps(spec), vl_version=VEGA_LITE, scale=2, allowed_base_urls=NO_LOADING)


def _bundle() -> str:
    code = f"import sys, vl_convert; sys.stdout.write(vl_convert.javascript_bundle(vl_version={VEGA_LITE!r}))"
    finished = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if finished.returncode or not finished.stdout:
        last = finished.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise OutputError(f"{PACKAGE} could not bundle the page's charts: {last[0]}; install respmark again")
    return finished.stdout
