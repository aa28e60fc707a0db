"""The tests' own client, driven by the Python runner: the one double of the harness's end-to-end tests."""

import json
import shutil
import sys
from pathlib import Path
from typing import Final

from respmark.paths import ROOT

HERE: Final = Path(__file__).parent


def install(folder: Path, command: tuple[str, ...] = (sys.executable,)) -> None:
    """Put the double's language, runner and client into a folder of specs; `command` is what starts Python."""
    language = folder / "double"
    client = language / "clients" / "double"
    client.mkdir(parents=True)
    # A copy: the runner looks for clients beside itself.
    shutil.copytree(ROOT / "python" / "runner", language / "runner", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("client.toml", "double.py"):
        shutil.copy(HERE / name, client)
    words = json.dumps([*command, str(language / "runner")])
    (language / "runner.toml").write_text(
        f'language = "Python"\ncontract = 3\nruntime = "CPython"\ncommand = {words}\nadvice = "nothing to do"\n'
    )
