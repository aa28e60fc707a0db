"""Measures the published runs, one after the other: `make publish`, on a quiet machine; then `make readme`.

Each leaves its run in results/published/NAME, from which pages are made (docs/publishing.md lists them). What is
measured already is left alone, unless it was started before `--since`; what was interrupted goes on, and so does what
had fewer minutes than it is given. Minutes do not include the installation of releases, which is done once: `--set-up`
does it beforehand, on a machine that need not be quiet.
"""

import argparse
import lzma
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from respmark.console import write_out
from respmark.escaping import markdown_table
from respmark.files import write_whole
from respmark.micro.model import MICRO, RAW, MicroRun
from respmark.paths import CHECKOUT
from respmark.releases.pick import pick
from respmark.results.manifest import Manifest, RunStatus
from respmark.results.store import COMPRESSED, MANIFEST, TRIALS, read_manifest, read_model
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
    def run(self) -> "Published":
        """Return it as one of the published runs."""
        typed = f"versions {self.library} --from {self.first} --to {self.last} {self.use} --minutes {self.minutes:g}"
        return Published(f"{PREFIX}{self.name}", typed, (f"findings/{self.library}.md", "findings/README.md"))


class Published(NamedTuple):
    """A run that pages are made from."""

    name: str
    typed: str
    """After `respmark`, without `--out`."""
    pages: tuple[str, ...]
    """Relative to docs/."""

    @property
    def folder(self) -> Path:
        """Return where it goes, relative to the checkout."""
        return PUBLISHED / self.name

    @property
    def minutes(self) -> float | None:
        """Return how long it may take; None: as long as its suite says."""
        words = shlex.split(self.typed)
        return float(words[words.index("--minutes") + 1]) if "--minutes" in words else None

    def words(self, minutes: float | None = None, folder: str = "--out") -> list[str]:
        """Return the command that measures it, perhaps within other minutes than its own, or goes on with it."""
        words = shlex.split(self.typed)
        if minutes is not None:
            at = words.index("--minutes") if "--minutes" in words else len(words)
            words[at : at + 2] = ["--minutes", f"{minutes:g}"]
        return ["respmark", *words, folder, str(self.folder)]


SEARCHES: Final = (
    Search("redis-py-sync", "redis-py", "3.5", "8.1", 9, "--scenario sync"),
    Search("redis-py-batching", "redis-py", "3.5", "8.1", 9, "--scenario batching --depth 100"),
    Search("redis-py-1m", "redis-py", "3.5", "8.1", 12, "--scenario sync --workload values-1m"),
    Search("node-redis-batching", "node-redis", "3", "6", 9, "--scenario batching --depth 100"),
    Search("jedis-pool", "jedis", "3", "8", 34, "--scenario pool --threads 10 --max-total 10"),
    Search("lettuce-sync", "lettuce", "6.0", "7.7", 30, "--scenario sync"),
    Search("predis-new-connection", "predis", "1.1", "3.7", 9, "--scenario new-connection --rtt 1ms"),
)


def _clients(*names: str) -> str:
    return " ".join(f"--client '{name}'" for name in names)


STRICT: Final = "*[limits=strict]"
"""Every library with what it takes to keep a limit."""
APIS: Final = "redis-rs[api=tokio,limits=strict]", "redis-rs[api=manager,limits=strict]"
"""Which keep it by other options."""
REFRESHED: Final = "lettuce[topology-refresh=5s]", "lettuce[limits=strict,topology-refresh=5s]"
"""What else helps when a primary is replaced."""
RETRYING: Final = "coredis[limits=1s]", "redis-rs[limits=1s]"
"""Which need their retries on a cluster."""
SENTINELS_REPLACE: Final = "--fault failover-kill --fault failover-stop --fault failover-planned"
"""What sentinels replace a primary after."""
RUNS: Final = (
    Published("quick", "run quick --rounds 6 --minutes 25", ("../README.md", "clients.md", "benchmark-mistakes.md")),
    Published("python", "run python --rounds 6", ("clients.md",)),
    Published("node", "run node --rounds 6", ("clients.md",)),
    Published("php", "run php --rounds 6", ("clients.md",)),
    Published("java", "run java --rounds 6", ("clients.md",)),
    Published("dotnet", "run dotnet --rounds 6", ("clients.md",)),
    Published("go", "run go --rounds 6", ("clients.md",)),
    Published("rust", "run rust --rounds 6", ("clients.md",)),
    Published("network", "run network", ("network.md", "clients.md", "guidance.md")),
    Published("practices", "run practices --minutes 45", ("practices.md", "guidance.md")),
    Published("trackers", "run trackers", ("guidance.md",)),
    Published("servers", "run servers --rounds 2 --laps 4", ("servers.md", "guidance.md")),
    Published("connections", "run connections", ("servers.md", "guidance.md")),
    Published("guidance-0.2ms", "run guidance-short --rtt 0.2ms", ("guidance.md",)),
    Published("guidance", "run guidance --minutes 105", ("guidance.md", "post.md", "triage.md")),
    Published("post", "run post --rounds 4 --minutes 76", ("post.md", "guidance.md")),
    Published("post-0.2ms", "run post --rtt 0.2ms --rounds 6 --laps 3 --minutes 90", ("post.md", "guidance.md")),
    Published("faults", "run faults-all", ("faults.md",)),
    Published("faults-limits", f"run faults-limits --rounds 2 {_clients(STRICT, *APIS)}", ("faults.md",)),
    Published("faults-claims", "run faults-claims", ("faults.md",)),
    Published("cluster", "run cluster --client '*'", ("cluster.md",)),
    Published("cluster-0.2ms", "run cluster --rtt 0.2ms", ("cluster.md",)),
    Published("cluster-batches", "run cluster-batches", ("cluster.md",)),
    Published("cluster-claims", "run cluster-claims", ("guidance.md",)),
    Published("cluster-moves", "run cluster-moves", ("cluster.md",)),
    Published("failover", "run failover --client '*'", ("cluster.md",)),
    Published(
        "failover-sentinels",
        f"run failover --client '*' --server 'redis@8.2[sentinels=3]' {SENTINELS_REPLACE}",
        ("cluster.md",),
    ),
    Published("failover-1s", f"run failover {_clients(*RETRYING)}", ("cluster.md",)),
    Published("failover-limits", f"run failover-limits {_clients(STRICT, *REFRESHED)}", ("cluster.md",)),
    Published("tls", "run tls", ("costs.md",)),
    Published("caching", "run caching --rounds 6", ("costs.md",)),
    Published("memory", "run memory", ("costs.md",)),
    Published("cold-start", "run cold-start", ("cold-start.md",)),
    Published("micro-python", "micro python", ("micro.md",)),
    Published("micro-java", "micro java --job medium", ("micro.md",)),
    Published("micro-dotnet", "micro dotnet --job medium", ("micro.md",)),
    *(search.run for search in SEARCHES),
)
"""In the order in which they are measured: first what most pages use."""


def command(
    published: Published, checkout: Path, minutes: float | None = None, since: datetime | None = None
) -> list[str] | None:
    """Return the command that is still to be run; None: the run is measured, and was started at `since` or later.

    One that is measured, but had fewer minutes than it is given now, goes on.
    """
    measured = _measured(checkout / published.folder)
    if measured is None or (since is not None and measured.started_at < since):
        return published.words(minutes)
    if isinstance(measured, MicroRun):
        return None if measured.status is RunStatus.COMPLETE else published.words(minutes)
    given = published.minutes if minutes is None else minutes
    has_less = given is not None and measured.time_limit_s is not None and measured.time_limit_s < given * 60
    is_whole = measured.status is RunStatus.COMPLETE and not has_less
    return None if is_whole else published.words(minutes, folder="--resume")


def _measured(folder: Path) -> Manifest | MicroRun | None:
    """Return what a folder says of its run, of trials or of micro-benchmarks; None: nothing was measured there."""
    if (folder / MICRO).is_file():
        return read_model(folder / MICRO, MicroRun)
    return read_manifest(folder) if is_run(folder) else None


def set_up(searches: Sequence[Search]) -> int:
    """Install the releases of searches, and measure nothing; return 1 if any cannot be installed."""
    catalogue, host = Catalogue(), SetupHost()
    picked = [pick(one.library, catalogue, host, first=one.first, last=one.last).clients for one in searches]
    names = dict.fromkeys(name for names in picked for name in names)
    return subprocess.run([str(PROGRAM), "setup", *names], cwd=CHECKOUT, check=False).returncode  # noqa: S603 - names of releases


def pack(folder: Path) -> None:
    """Compress a run's trials, as all published ones are; of micro-benchmarks, drop the tool's own files."""
    shutil.rmtree(folder / RAW, ignore_errors=True)
    if (trials := folder / TRIALS).is_file():
        packed = folder / COMPRESSED
        before = packed.read_bytes() if packed.is_file() else b""  # of a run that went on: xz reads one after the other
        write_whole(packed, before + lzma.compress(trials.read_bytes()))
        trials.unlink()


def name_within(folder: Path, checkout: Path) -> None:
    """Name the checkout's own files, such as servers that it has built, by where they are in it."""
    for path in (folder / MANIFEST, folder / MICRO):
        if path.is_file():
            write_whole(path, path.read_text().replace(f"{checkout}/", "./").encode())


def measure(runs: Iterable[Published], minutes: float | None = None, since: datetime | None = None) -> Iterator[str]:
    """Measure runs one after the other; yield the names of those that are not complete."""
    for one in runs:
        if (words := command(one, CHECKOUT, minutes, since)) is not None:
            write_out(f"\n{shlex.join(words)}\n")
            if "--out" in words and (CHECKOUT / one.folder).is_dir():
                shutil.rmtree(CHECKOUT / one.folder)  # git has it
            subprocess.run([str(PROGRAM), *words[1:]], cwd=CHECKOUT, check=False)  # noqa: S603 - the words are ours
        name_within(CHECKOUT / one.folder, CHECKOUT)
        pack(CHECKOUT / one.folder)
        if command(one, CHECKOUT, minutes, since) is not None:
            yield one.name


def _took(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes > 1 else "a minute" if minutes else "under a minute"


def _wall_s(measured: Manifest | MicroRun) -> float | None:
    if isinstance(measured, Manifest):
        return measured.wall_s
    return (measured.ended_at - measured.started_at).total_seconds()


def table(runs: Iterable[Published], checkout: Path) -> str:
    """Return the runs as Markdown, with their pages, and how long each took when it was measured."""
    rows: list[list[str]] = []
    for one in runs:
        pages = ", ".join(f"[{page.removeprefix('../')}]({page})" for page in one.pages)
        took, day = "not measured yet", ""
        if (measured := _measured(checkout / one.folder)) is not None:
            took = _took(seconds) if (seconds := _wall_s(measured)) else ""
            took += "" if measured.status is RunStatus.COMPLETE else ", not complete"
            day = f"{measured.started_at:%Y-%m-%d}"
        rows.append([f"`{one.name}`", pages, f"`respmark {one.typed}`", took, day])
    return markdown_table(["run", "pages", "by", "took", "measured on"], rows)


def main() -> int:
    """Measure the runs that are named, or all."""
    parser = argparse.ArgumentParser(prog="make publish", description=__doc__)
    names = [one.name for one in RUNS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: all, which are {', '.join(names)}")
    parser.add_argument("--minutes", type=float, help="how long each may take, instead of its own minutes")
    parser.add_argument("--since", type=moment, help="measure anew what was started before: 2026-11-28, or with a time")
    parser.add_argument("--plan", action="store_true", help="print the commands, and start nothing")
    parser.add_argument("--set-up", action="store_true", help="install the releases of searches, and measure nothing")
    given = parser.parse_args()
    if unknown := ", ".join(name for name in given.names if name not in names):
        parser.error(f"there is no run {unknown}; there are {', '.join(names)}")
    wanted = [one for one in RUNS if one.name in (given.names or names)]
    if given.set_up:
        return set_up([search for search in SEARCHES if search.run in wanted])
    if given.plan:
        planned = (
            command(one, CHECKOUT, given.minutes, given.since) or ["#", one.name, "is", "measured"] for one in wanted
        )
        write_out("".join(f"{shlex.join(words)}\n" for words in planned))
        return 0
    incomplete = list(measure(wanted, given.minutes, given.since))
    write_out(f"\nnot complete: {', '.join(incomplete)}\n" if incomplete else "\nall are measured; now: make readme\n")
    return 1 if incomplete else 0


def moment(text: str) -> datetime:
    """Return a date or time of UTC; raises ValueError for anything else."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


if __name__ == "__main__":
    sys.exit(main())
