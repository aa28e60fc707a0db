"""What programs make of files is what stands there: the README, the post's page, docs/differences.md."""

from respmark.contract.trial import Scenario
from respmark.results.manifest import RunStatus
from respmark.specs.catalogue import Catalogue
from tools import differences, findings_page, gains, network_page, practices_page, run_tables, triage_page
from tools.published import is_run
from tools.readme import (
    CHART,
    CLIENTS_PAGE,
    DOCS,
    FIDELITY_PAGE,
    GUIDANCE_PAGE,
    METRICS_PAGE,
    NETWORK_PAGE,
    POST_PAGE,
    POST_RUN,
    PUBLISHED,
    PUBLISHING_PAGE,
    README,
    SERVERS_PAGE,
    files,
    published_report,
)

MADE = [
    README,
    SERVERS_PAGE,
    CLIENTS_PAGE,
    NETWORK_PAGE,
    NETWORK_PAGE.with_name(network_page.PICTURE),
    METRICS_PAGE,
    FIDELITY_PAGE,
    PUBLISHING_PAGE,
    GUIDANCE_PAGE,
    *(DOCS / page for page in run_tables.pages()),
    triage_page.PAGE,
    gains.PATH,
    CHART,
    PUBLISHED / "report.md",
    PUBLISHED / "report.html",
]
MADE += [POST_PAGE] if is_run(POST_RUN) else []
MADE += [practices_page.PAGE, *practices_page.PICTURES.glob("*.svg")] if is_run(practices_page.RUN) else []
MADE += [path for path in sorted(findings_page.PAGES.iterdir()) if path.name not in findings_page.BY_HAND]


def test_what_is_published_equals_the_runs_files() -> None:
    """`make readme` would change nothing."""
    made = files()
    assert made.keys() == set(MADE)
    differ = [path.name for path in MADE if made[path] != path.read_text(encoding="utf-8")]
    assert differ == [], "the published runs' files, or the metrics, make something else: make readme"


def test_the_posts_page_stands_only_with_its_run() -> None:
    """Without the files that it is made from, nobody could make it again."""
    assert POST_PAGE.exists() == is_run(POST_RUN)


def test_the_published_run_is_whole_and_has_evidence() -> None:
    """It ended by itself, and the cells that it shows were measured in every round."""
    report = published_report()
    assert report.manifest.status is RunStatus.COMPLETE
    measured = [cell for cell in report.cells if cell.measured is not None]
    assert measured
    assert {cell.rounds for cell in measured} == {report.manifest.rounds}


def test_the_readme_names_every_page_of_the_documentation() -> None:
    """A page that nobody finds is of no use."""
    text = README.read_text(encoding="utf-8")
    assert [page.name for page in POST_PAGE.parent.glob("*.md") if f"](docs/{page.name})" not in text] == []


def test_the_page_of_differences_is_that_of_its_files() -> None:
    """`make differences` writes it."""
    assert differences.PAGE.read_text(encoding="utf-8") == differences.page(Catalogue()), "run `make differences`"


def test_every_library_says_what_a_new_connection_is_and_every_language_what_it_runs_on() -> None:
    """In one table each."""
    catalogue = Catalogue()
    for spec in catalogue.clients.values():
        says = spec.new_connection is not None
        is_shown = not spec.hidden and catalogue.runners[spec.runner].capabilities.replies
        assert says == (is_shown and Scenario.NEW_CONNECTION in spec.scenarios), spec.library
    silent = {name for name, one in catalogue.runners.items() if one.runtime_settings is None}
    assert silent == {"drivers"}
