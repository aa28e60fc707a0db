"""docs/findings/: pages from published searches, and what `make publish` still has to measure."""

import lzma
import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from respmark.figures.comparison import Change
from respmark.figures.estimate import Ratio
from respmark.figures.series import releases_of
from respmark.paths import CHECKOUT
from respmark.report.report import Report
from respmark.results.manifest import RunStatus
from respmark.results.store import COMPRESSED, MANIFEST, TRIALS, line_of, read_manifest, write_model
from tests.bisect.builders import RATIOS, searched
from tests.builders.plan import SHIPPED
from tests.report.series import RATES, series_records, series_run
from tools import publish
from tools.findings_page import CHANGES, WITHDRAWN, Finding, findings_files
from tools.publish import RUNS, SEARCHES, Published, command, moment, name_within, pack, table
from tools.series import no_step

SYNC = SEARCHES[0].run


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a published series of redis-py, and a note about one of its releases."""
    folder = tmp_path / SYNC.folder
    folder.mkdir(parents=True)
    manifest = series_run().manifest.model_copy(update={"status": RunStatus.COMPLETE, "command_line": SYNC.words()})
    write_model(folder / "manifest.json", manifest)
    (folder / TRIALS).write_bytes(b"".join(map(line_of, series_records())))
    pages = tmp_path / "docs" / "findings"
    pages.mkdir(parents=True)
    (pages / CHANGES).write_text('[redis-py]\n"5.0" = "It [checks](https://example.org)."\n"6" = "not a step"\n')
    return tmp_path


def made(checkout: Path, *withdrawn: str) -> dict[str, str]:
    """Return the files in docs/findings/, by name."""
    published, pages = checkout / publish.PUBLISHED, checkout / "docs" / "findings"
    files = findings_files(SHIPPED, withdrawn, published, pages)
    return {path.name: text for path, text in files.items()}


def test_a_series_becomes_a_page_with_table_picture_releases_and_command(checkout: Path) -> None:
    """What a release changed is told of those in which something was found."""
    files = made(checkout)
    assert set(files) == {"README.md", "redis-py.md", "redis-py-sync.svg"}
    page = files["redis-py.md"]
    for words in (
        "# redis-py: which releases made it slower or faster\n",
        "| `5.0.8` |",
        "5.0.8 against 4.6.0: 0.8",
        "](redis-py-sync.svg)",
        "respmark versions redis-py --from 3.5 --to 8.1 --scenario sync --minutes 9",
        "[findings-redis-py-sync](../../results/published/findings-redis-py-sync)",
        "## What these releases changed\n\n- 5.0.8, the newest of 5.0: It [checks](https://example.org).\n",
        "- the whole series, 8.1.0 against 3.5.3: 0.9",
        "- other load during the slices: 1 % of one CPU\n",
    ):
        assert words in page, page
    assert "not a step" not in page
    assert "5.0.8" in files["redis-py-sync.svg"]


def test_the_index_has_every_search_with_what_it_found(checkout: Path) -> None:
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in made(checkout)["README.md"].splitlines()}
    sync = rows["[redis-py-sync](redis-py.md)"].split(" | ")
    assert sync[2].startswith("4.6.0 → 5.0.8: 0.8")
    assert sync[3].startswith("3.5.3 → 8.1.0: 0.9")
    assert sync[4:] == ["5", "1 % of one CPU |"]
    pool = "jedis from 3 to 8: `--scenario pool --threads 10 --max-total 10` | not published yet"
    assert pool in rows["jedis-pool"]


@pytest.mark.parametrize("page", sorted((CHECKOUT / "docs" / "findings").glob("*.md")), ids=lambda page: page.stem)
def test_no_two_chapters_of_a_page_have_one_title(page: Path) -> None:
    titles = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        (RATES | {"8.1.0": 16_550}, r"4\.6\.0 → 5\.0\.8: 0\.8\d, CPU 1\.\d\d; 1 smaller"),
        (RATES | {"5.0.8": 19_800, "6.4.0": 19_900, "8.1.0": 19_300}, r"6\.4\.0 → 8\.1\.0: 0\.97, CPU 1\.03"),
    ],
    ids=["beside a large one", "alone"],
)
def test_a_small_step_is_counted_beside_large_ones(rates: dict[str, int], said: str) -> None:
    finding = Finding("redis-py-sync", SYNC.folder, Report.of(series_run(rates=rates), SHIPPED))
    assert re.fullmatch(said, finding.summary), finding.summary


def test_the_index_has_no_figure_that_is_withdrawn(checkout: Path) -> None:
    index = made(checkout, "findings-redis-py-sync")["README.md"]
    assert f"| {WITHDRAWN} |" in index
    assert "→ 5.0.8" not in index


def test_rounds_are_those_that_were_measured(checkout: Path) -> None:
    """A run with `--minutes` has more or fewer than its suite says."""
    asked = read_manifest(checkout / SYNC.folder).model_copy(update={"rounds": 2, "laps": 99})
    write_model(checkout / SYNC.folder / "manifest.json", asked)
    assert ": 5 rounds, each 6 laps of " in made(checkout)["redis-py.md"]


@pytest.mark.parametrize(("wobble", "words"), [(0.001, "none is shown; "), (0.3, "undecided; ")])
def test_where_no_step_is_shown_its_width_is_told(wobble: float, words: str) -> None:
    """Where a change of a tenth would not be seen, nothing was decided."""
    step = Ratio(value=1.0, low=1 - wobble, high=1 + wobble)
    release = releases_of(series_run())[0].points[2]
    assert release.step is not None
    unclear = replace(release, step=Change(release.step.pair, {}, {"rps": step}))
    assert no_step([unclear]) == f"{words}each is known to ±{wobble * 100:.0f} % of the throughput"


def test_a_search_of_bisect_is_on_the_page_of_its_library(checkout: Path) -> None:
    """With its questions and its answer."""
    folder = checkout / publish.PUBLISHED / "findings-lib-commits"
    folder.mkdir()
    write_model(folder / "bisect.json", searched(RATIOS))
    files = made(checkout)
    assert "lib-commits.svg" not in files
    for words in ("## lib in sync, searched by throughput\n", "- lib 1.3: slower\n", "respmark bisect lib@1.0 lib@2.0"):
        assert words in files["lib.md"], files["lib.md"]
    assert "`respmark bisect lib@1.0 lib@2.0" in files["README.md"]
    assert "1.3: 0.81 (0.79..0.83) times the throughput" in files["README.md"]


def test_what_is_complete_is_left_alone_and_what_was_interrupted_goes_on(checkout: Path) -> None:
    assert command(SYNC, checkout) is None
    interrupted = series_run().manifest.model_copy(update={"status": RunStatus.INTERRUPTED})
    write_model(checkout / SYNC.folder / "manifest.json", interrupted)
    assert command(SYNC, checkout) == [*SYNC.words()[:-2], "--resume", str(SYNC.folder)]
    other = SEARCHES[1].run
    assert command(other, checkout, 5) == other.words(5)
    assert other.words(5)[-4:] == ["--minutes", "5", "--out", str(other.folder)]


def test_what_had_fewer_minutes_than_it_is_given_goes_on(checkout: Path) -> None:
    """Its further trials are packed behind those that it had."""
    folder = checkout / SYNC.folder
    had = series_run().manifest.model_copy(update={"time_limit_s": 9 * 60.0})
    write_model(folder / "manifest.json", had)
    assert command(SYNC, checkout) is None
    assert command(SYNC, checkout, 20) == SYNC.words(20, folder="--resume")
    write_model(folder / "manifest.json", had.model_copy(update={"time_limit_s": 8 * 60.0}))
    assert command(SYNC, checkout) == SYNC.words(folder="--resume")
    trials = folder / "trials.jsonl"
    before = trials.read_bytes()
    pack(folder)
    trials.write_bytes(b"{}\n")
    pack(folder)
    assert lzma.decompress((folder / COMPRESSED).read_bytes()) == before + b"{}\n"
    assert not trials.exists()


def test_what_was_started_before_a_moment_is_measured_anew(checkout: Path) -> None:
    """And what was interrupted since then goes on."""
    started = series_run().manifest.started_at
    assert command(SYNC, checkout, since=started) is None
    assert command(SYNC, checkout, since=started + timedelta(seconds=1)) == SYNC.words()
    assert moment("2026-11-28") == datetime(2026, 11, 28, tzinfo=UTC)


def test_the_table_of_runs_has_every_run_and_every_page_is_there(checkout: Path) -> None:
    lines = table([SYNC, Published("other", "run other", ("guidance.md",))], checkout).splitlines()
    assert lines[2].startswith("| `findings-redis-py-sync` | [findings/redis-py.md](findings/redis-py.md), ")
    assert "| [guidance.md](guidance.md) | `respmark run other` | not measured yet |" in lines[3]
    for page in {page for one in RUNS for page in one.pages}:
        assert (CHECKOUT / "docs" / page).is_file(), page


def test_published_trials_are_compressed(tmp_path: Path) -> None:
    (tmp_path / TRIALS).write_bytes(b"{}\n")
    pack(tmp_path)
    pack(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [COMPRESSED]
    assert lzma.decompress((tmp_path / COMPRESSED).read_bytes()) == b"{}\n"


def test_no_path_of_the_machine_is_published(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(
        f'{{"program": "{tmp_path}/.build/valkey-server", "other": "/usr/bin/redis-server"}}'
    )
    name_within(tmp_path, tmp_path)
    assert (
        tmp_path / MANIFEST
    ).read_text() == '{"program": "./.build/valkey-server", "other": "/usr/bin/redis-server"}'


@pytest.mark.parametrize("run", RUNS, ids=lambda one: one.name)
def test_every_run_is_a_command_that_respmark_knows(run: Published) -> None:
    """Its suite or library, and its workload, are shipped."""
    what, name, *_ = shlex.split(run.typed)
    assert name in (SHIPPED.clients if what == "versions" else [*SHIPPED.names("suites"), *SHIPPED.runners])
    if "--workload" in (words := run.words()):
        assert words[words.index("--workload") + 1] in SHIPPED.names("workloads")
