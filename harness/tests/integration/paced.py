"""A library for tests of versions: redis-py, which a release or a commit of it makes wait before each command.

Its registry is a folder with a folder for each release; its package manager is `cp`.
"""

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from respmark import paths
from respmark.paths import CHECKOUT

SLOW_S: Final = 0.002
"""What a slow version waits before each command: it is many times as slow as redis-py alone."""
RUNNER: Final = """
language = "Python"
runtime = "CPython"
command = {command}
advice = "nothing to do"
version_order = "pep440"

[setup.client]
version_places = [{{ files = "pace.py", pattern = 'VERSION = "(?P<version>[^"]+)"' }}]
commit = {{}}

[setup.client.install]
version = ["cp {releases}/{{version}}/pace.py ."]
file = ["cp {{path}}/pace.py ."]

[setup.client.registry]
command = "ls {releases}"
pattern = '(?P<version>\\d+\\.\\d+\\.\\d+)'
"""
CLIENT: Final = """
summary = "redis-py that waits"
package = "paced"
version = "1.0.0"
since = "1"
adapter = "paced.py"
protocol = 3

scenarios = ["sync"]
cannot = [
  { what = "pipelining", why = "not needed here" },
  { what = "batching", why = "not needed here" },
  { what = "transaction", why = "not needed here" },
  { what = "threads", why = "not needed here" },
  { what = "pool", why = "not needed here" },
  { what = "new-connection", why = "not needed here" },
  { what = "caching", why = "not needed here" },
]

[[variants]]
"""
ADAPTER: Final = """
import os
import runpy
import time
from pathlib import Path

from redis_py import Blocking


def load(trial):
    trial.options |= {"parser": "hiredis", "api": "sync", "client": "shared", "decode": "bytes", "protocol": 3}
    return Paced(trial)


class Paced(Blocking):
    def __init__(self, trial):
        super().__init__(trial)
        pace = runpy.run_path(str(Path("BUILD") / os.environ["PACED"] / "pace.py"))
        self.versions = {"paced": pace["VERSION"]}
        if pace["WAIT_S"]:
            self.commands = {name: slowed(method, pace["WAIT_S"]) for name, method in self.commands.items()}


def slowed(method, wait_s):
    def call(client, *arguments):
        time.sleep(wait_s)
        return method(client, *arguments)

    return call
"""


def pace(version: str, *, is_slow: bool) -> str:
    """Return the library's only file."""
    return f'VERSION = "{version}"\nWAIT_S = {SLOW_S if is_slow else 0}\n'


@contextmanager
def installed(specs: Path, language: str, releases: Mapping[str, bool]) -> Iterator[None]:
    """Put the library into a folder of specs, in a language of its own; `releases` says which of them are slow."""
    registry, client = specs / "releases", specs / language / "clients" / "paced"
    for version, is_slow in releases.items():
        (registry / version).mkdir(parents=True)
        (registry / version / "pace.py").write_text(pace(version, is_slow=is_slow))
    client.mkdir(parents=True)
    shutil.copytree(
        CHECKOUT / "python" / "runner", specs / language / "runner", ignore=shutil.ignore_patterns("__pyc*")
    )
    shutil.copy(CHECKOUT / "python" / "clients" / "redis-py" / "redis_py.py", client)
    (client / "client.toml").write_text(CLIENT)
    (client / "paced.py").write_text(ADAPTER.replace("BUILD", str(paths.build() / language)))
    words = ["env", "PACED={client}", sys.executable, str(specs / language / "runner")]
    text = RUNNER.format(releases=registry, command=json.dumps(words))
    (specs / language / "runner.toml").write_text(text)
    try:
        yield
    finally:
        build = paths.build()
        for path in (build / language, build / "commits" / "paced"):
            shutil.rmtree(path, ignore_errors=True)
        for pattern in ("registry/{}-*", "stamp/**/{}-*", "status/{}@*", "log/**/{}-*"):
            for path in build.glob(pattern.format(language)):
                path.unlink()
