"""Searches for the releases that made clients slower or faster: `make findings` measures them, two hours in all.

Each leaves its run in results/published/findings-<name>, from which `make readme` makes the pages in docs/findings/.
What is measured already is left alone, and what was interrupted goes on. Minutes do not include the installation of
releases, which is done once: `--set-up` does it beforehand, on a machine that need not be quiet.
"""

import argparse
import gzip
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from respmark.console import write_out
from respmark.files import write_whole
from respmark.paths import CHECKOUT
from respmark.releases.pick import pick
from respmark.results.manifest import RunStatus
from respmark.results.store import COMPRESSED, TRIALS, read_manifest
from respmark.setup.host import SetupHost
from respmark.specs.catalogue import Catalogue
from tools.published import is_run

PUBLISHED: Final = Path("results", "published")
"""Relative to the checkout: the runs' command lines name it."""
PREFIX: Final = "findings-"
PROGRAM: Final = Path(sys.executable).with_name("respmark")


class Search(NamedTuple):
    """A series of releases in one use."""

    name: str
    library: str
    first: str
    last: str
    minutes: float
    """Enough for steps of 15 % and more: at least two rounds of every release, six where they fit."""
    use: str
    """Scenario and shape, as they are typed."""

    @property
    def folder(self) -> Path:
        """Return where its run goes, relative to the checkout."""
        return PUBLISHED / f"{PREFIX}{self.name}"

    def words(self, minutes: float | None = None) -> list[str]:
        """Return the command that measures it."""
        of_releases = ["--from", self.first, "--to", self.last, *shlex.split(self.use)]
        time = ["--minutes", f"{minutes or self.minutes:g}"]
        return ["respmark", "versions", self.library, *of_releases, *time, "--out", str(self.folder)]

    @property
    def resumed(self) -> list[str]:
        """Return the command that goes on with it."""
        return ["respmark", "versions", self.library, "--resume", str(self.folder)]


SEARCHES: Final = (
    Search("redis-py-sync", "redis-py", "3.5", "8.1", 9, "--scenario sync"),
    Search("redis-py-batching", "redis-py", "3.5", "8.1", 9, "--scenario batching --depth 100"),
    Search("redis-py-1m", "redis-py", "3.5", "8.1", 12, "--scenario sync --workload values-1m"),
    Search("node-redis-batching", "node-redis", "3", "6", 9, "--scenario batching --depth 100"),
    Search("jedis-pool", "jedis", "3", "8", 36, "--scenario pool --threads 10 --max-total 10"),
    Search("lettuce-sync", "lettuce", "6.0", "7.7", 30, "--scenario sync"),
    Search("predis-new-connection", "predis", "1.1", "3.7", 9, "--scenario new-connection --rtt 1ms"),
)


def command(search: Search, checkout: Path, minutes: float | None = None) -> list[str] | None:
    """Return the command that is still to be run; None: the search is measured."""
    folder = checkout / search.folder
    if not is_run(folder):
        return search.words(minutes)
    return None if read_manifest(folder).status is RunStatus.COMPLETE else search.resumed


def set_up(searches: Sequence[Search]) -> int:
    """Install the releases of searches, and measure nothing; return 1 if any cannot be installed."""
    catalogue, host = Catalogue(), SetupHost()
    picked = [pick(one.library, catalogue, host, first=one.first, last=one.last).clients for one in searches]
    names = dict.fromkeys(name for names in picked for name in names)
    return subprocess.run([str(PROGRAM), "setup", *names], cwd=CHECKOUT, check=False).returncode  # noqa: S603 - names of releases


def pack(folder: Path) -> None:
    """Compress a run's trials, as all published ones are."""
    if (trials := folder / TRIALS).is_file():
        write_whole(folder / COMPRESSED, gzip.compress(trials.read_bytes(), mtime=0))
        trials.unlink()


def measure(searches: Sequence[Search], minutes: float | None = None) -> Iterator[str]:
    """Measure searches one after the other; yield the names of those that are not complete."""
    for search in searches:
        if (words := command(search, CHECKOUT, minutes)) is not None:
            write_out(f"\n{shlex.join(words)}\n")
            subprocess.run([str(PROGRAM), *words[1:]], cwd=CHECKOUT, check=False)  # noqa: S603 - the words are ours
        if command(search, CHECKOUT) is None:
            pack(CHECKOUT / search.folder)
        else:
            yield search.name


def main() -> int:
    """Measure the searches that are named, or all."""
    parser = argparse.ArgumentParser(prog="make findings", description=__doc__)
    names = [one.name for one in SEARCHES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: all, which are {', '.join(names)}")
    parser.add_argument("--minutes", type=float, help="how long each may take, instead of its own minutes")
    parser.add_argument("--plan", action="store_true", help="print the commands, and start nothing")
    parser.add_argument("--set-up", action="store_true", help="install the releases, and measure nothing")
    given = parser.parse_args()
    if unknown := ", ".join(name for name in given.names if name not in names):
        parser.error(f"there is no search {unknown}; there are {', '.join(names)}")
    wanted = [one for one in SEARCHES if one.name in (given.names or names)]
    if given.set_up:
        return set_up(wanted)
    if given.plan:
        planned = (command(one, CHECKOUT, given.minutes) or ["#", one.name, "is", "measured"] for one in wanted)
        write_out("".join(f"{shlex.join(words)}\n" for words in planned))
        return 0
    incomplete = list(measure(wanted, given.minutes))
    write_out(f"\nnot complete: {', '.join(incomplete)}\n" if incomplete else "\nall are measured; now: make readme\n")
    return 1 if incomplete else 0


if __name__ == "__main__":
    sys.exit(main())
