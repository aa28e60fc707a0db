"""The tests' own client: redis-py in the harness's Python, driven by the Python runner, with mistakes to order."""

import json
import shutil
import sys
from pathlib import Path
from typing import Final

from respmark.paths import CHECKOUT

HERE: Final = Path(__file__).parent
BROKEN: Final = "9.0.0"
"""The release that does not run."""


def install(folder: Path, command: tuple[str, ...] = (sys.executable,)) -> None:
    """Put the double's language, runner and client into a folder of specs; `command` is what starts Python."""
    language = folder / "double"
    client = language / "clients" / "double"
    client.mkdir(parents=True)
    # A copy: the runner looks for clients beside itself.
    shutil.copytree(CHECKOUT / "python" / "runner", language / "runner", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (
        HERE / "client.toml",
        HERE / "double.py",
        CHECKOUT / "python" / "clients" / "redis-py" / "redis_py.py",
    ):
        shutil.copy(path, client)
    words = json.dumps([*command, str(language / "runner"), "{client}"])
    (language / "runner.toml").write_text(
        f'language = "Python"\nruntime = "CPython"\ncommand = {words}\nadvice = "nothing to do"\nkeep_going = true\n'
    )
