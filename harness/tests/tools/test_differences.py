"""docs/differences.md says what the clients' files say."""

from respmark.specs.catalogue import Catalogue
from tools.differences import made, sections


def test_the_page_has_a_section_for_every_library_and_it_is_that_of_its_files() -> None:
    """`make differences` writes them."""
    assert sections() == made(Catalogue()), "run `make differences`"
