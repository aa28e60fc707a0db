"""`respmark triage`: what slows a live server down, and which client does it."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter
from rich.live import Live
from rich.text import Text

from respmark import numbers
from respmark.cli.options import FORMAT, Flag, PasswordOptions, Repeated, tell
from respmark.console import error_console, report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError, OutputError, ServerError
from respmark.escaping import line
from respmark.files import write_out_file, write_whole
from respmark.report.markdown import markdown
from respmark.report.table import Chapter
from respmark.report.terminal import print_chapters
from respmark.servers.url import parse_url
from respmark.specs.catalogue import Catalogue
from respmark.specs.triage import Severity
from respmark.triage.findings import LOST, RuleJudge
from respmark.triage.gains import read_gains
from respmark.triage.keys import MOST
from respmark.triage.monitor import MOST_S
from respmark.triage.node_watch import WatchProgress
from respmark.triage.options import WatchOptions
from respmark.triage.page import page
from respmark.triage.reading import read_snapshot
from respmark.triage.report import TriageReport, chapters_of, report_of, to_json
from respmark.triage.rules import rules_of
from respmark.triage.snapshot import ServerSnapshot
from respmark.triage.watch import watch

EXAMPLES: Final = {
    "triage": """
respmark triage redis://10.0.0.5:6379
respmark triage rediss://me@cache.example.com:6380 --ask-password --seconds 60
respmark triage redis://10.0.0.5 --keys 10000 --format html --out triage.html
respmark triage redis://10.0.0.5 --save monday.json
respmark triage --from monday.json --format markdown
redis-cli INFO everything | respmark triage --from -
respmark triage redis://10.0.0.5 --baseline monday.json --fail-on high
"""
}
Written = Literal["terminal", "markdown", "html", "json"]
FailOn = Literal["high", "medium", "low"]
LEAST_S: Final = 0.5
MOST_WATCHED_S: Final = 3600
MONITORED: Final = (
    f"warning: MONITOR sends every command of every client to respmark for at most {MOST_S:g} s; meanwhile the server "
    "executes fewer commands, about half as many if it is busy. Arguments are hashed as they arrive"
)


def triage(
    url: str | None = None,
    /,
    *,
    seconds: float = 10.0,
    keys: int = 0,
    monitor: Flag = False,
    show_keys: Flag = False,
    no_client_list: Flag = False,
    password: PasswordOptions = PasswordOptions(),
    save: Path | None = None,
    from_file: Annotated[Path | None, Parameter(name="--from", allow_leading_hyphen=True)] = None,
    baseline: Path | None = None,
    rule: Annotated[tuple[Path, ...], Repeated] = (),
    written: Annotated[Written, FORMAT] = "terminal",
    out: Path | None = None,
    fail_on: FailOn | None = None,
) -> ExitCode:
    """Watch a live server for some seconds, and say what slows it down, which client does it, and how to fix that.

    It only reads, and shows no values; docs/triage.md lists every command that is sent, and every rule. Of a cluster,
    all nodes are watched.

    Args:
        url: The server: redis://, rediss:// or unix://.
        seconds: How long to watch.
        keys: Also look at the types, sizes and expiries of at most this many keys, as SCAN returns them.
        monitor: Also look at every command for at most a second (MONITOR), which slows the server down.
        show_keys: Name the large keys that `--keys` finds, here and in the file of `--save`.
        no_client_list: Do not ask who is connected: with ten thousand connections, CLIENT LIST holds a server for some
            hundred milliseconds. Clients are not named then.
        save: Also write what was seen, without values, to this file, for `--from` and `--baseline`.
        from_file: Report what was saved to this file instead of watching a server; or a text that shows INFO, and
            perhaps CLIENT LIST, SLOWLOG GET and LATENCY LATEST, as redis-cli prints them. `-`: standard input.
        baseline: Say what changed since this file was saved.
        rule: Also apply the rule in this file; repeats.
        written: terminal, markdown, json (docs/triage.md has its fields), or html: a page in one file.
        out: File to write instead of standard output; not with `terminal`.
        fail_on: Exit with 1 if there is a finding of this severity or a higher one.
    """
    _check_source(url, from_file)
    _check(WatchOptions(seconds, keys, monitor, show_keys), out, written)
    catalogue = Catalogue()
    judge = RuleJudge(rules_of(catalogue, rule), read_gains(catalogue.folder / "triage"), catalogue.clients)
    earlier = None if baseline is None else read_snapshot(baseline)
    if url is None:
        snapshot = read_snapshot(from_file or Path())
    else:
        password.take([url], [catalogue.server(url)])
        snapshot = _watched(url, WatchOptions(seconds, keys, monitor, show_keys, not no_client_list))
    report = report_of(snapshot, judge, earlier)
    _write(report, written, out)
    if save is not None:
        _save(save, snapshot)
    return _code(report, fail_on)


def _save(path: Path, snapshot: ServerSnapshot) -> None:
    """Write what was seen; the report is out by then, whatever becomes of the file."""
    try:
        write_whole(path, snapshot.model_dump_json(indent=1).encode() + b"\n")
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}; name another file with --save") from error


def _check_source(url: str | None, from_file: Path | None) -> None:
    if url is None and from_file is None:
        raise InvalidRequestError("name the server (redis://host:port) or a file (--from FILE)")
    if url is not None and from_file is not None:
        raise InvalidRequestError("name the server or a file (--from), not both")
    if url is not None and "://" not in url:
        raise InvalidRequestError("the server is named by its URL: redis://, rediss:// or unix://")


def _check(options: WatchOptions, out: Path | None, written: Written) -> None:
    wrong = {
        f"--seconds must be between {LEAST_S:g} and {MOST_WATCHED_S:,}": (
            not LEAST_S <= options.seconds <= MOST_WATCHED_S
        ),
        f"--keys must be between 0 and {MOST:,}": not 0 <= options.keys <= MOST,
        "--out does not apply to --format terminal; redirect the output instead": (
            out is not None and written == "terminal"
        ),
    }
    for sentence, holds in wrong.items():
        if holds:
            raise InvalidRequestError(sentence)


def _watched(url: str, options: WatchOptions) -> ServerSnapshot:
    if options.monitor:
        tell(MONITORED)
    with _shown(options.seconds) as show:
        return watch(parse_url(url), options, show, tell=tell)


@contextlib.contextmanager
def _shown(seconds: float) -> Iterator[Callable[[WatchProgress], object]]:
    """Show on a terminal what is seen meanwhile."""
    console = error_console()
    if not console.is_terminal:
        yield lambda _: None
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(look: WatchProgress) -> None:
            live.update(Text(line(look_line(look, seconds)), no_wrap=True, overflow="ellipsis"), refresh=True)

        yield show


def look_line(look: WatchProgress, seconds: float) -> str:
    """Return what is seen at one moment, in one line."""
    connected = "" if look.connections is None else f", {look.connections:,} connections"
    return (
        f"{look.elapsed_s:.0f} of {seconds:g} s: {numbers.rps(look.commands_per_s)} commands/s, "
        f"{numbers.rps(look.connections_per_s)} connections opened/s{connected}"
    )


def _write(report: TriageReport, written: Written, out: Path | None) -> None:
    chapters = chapters_of(report)
    if written == "terminal":
        print_chapters(report_console(), chapters)
        return
    text = _text(report, chapters, written)
    if out is None:
        write_out(text)
    else:
        write_out_file(out, text.encode())


def _text(report: TriageReport, chapters: list[Chapter], written: Written) -> str:
    if written == "json":
        return to_json(report)
    return page(report, chapters) if written == "html" else markdown(chapters)


def _code(report: TriageReport, fail_on: FailOn | None) -> ExitCode:
    if all(one.lost for one in report.nodes):
        raise ServerError(report.nodes[0].lost or "")
    is_bad = fail_on is not None and report.has(Severity(fail_on))
    return ExitCode.SOME_FAILED if is_bad or any(one.id == LOST for one in report.findings) else ExitCode.OK
