"""docs/differences.md says what the clients' files say."""

from respmark.contract.description import Difference
from respmark.contract.trial import Scenario
from respmark.specs.catalogue import Catalogue
from tools.differences import made, section, sections


def test_the_page_has_a_section_for_every_library_and_it_is_that_of_its_files() -> None:
    """`make differences` writes them."""
    assert sections() == made(Catalogue()), "run `make differences`"


def test_a_difference_is_a_row() -> None:
    """Setting, as installed, here, where, why; what Markdown would read is escaped."""
    wait = Difference(setting="wait", plain="1 | 2", ours="3 s", why="one limit", scenarios=[Scenario.POOL])
    assert "| wait | 1 \\| 2 | 3 s | pool | one limit |" in section("a-library", [wait])
