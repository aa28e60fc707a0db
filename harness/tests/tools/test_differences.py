"""docs/differences.md says what the runners say of themselves."""

from contextlib import closing

from respmark.cli.listing import descriptions
from respmark.contract.description import ClientDescription, Difference
from respmark.contract.trial import Scenario
from respmark.execute.local import LocalExecutor
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from respmark.target.guardian import Guardian
from tools.differences import section, sections, text

CLIENT = ClientDescription(
    library="a-library",
    version="1",
    options={},
    scenarios={},
    differences=[Difference(setting="wait", plain="1 | 2", ours="3 s", why="one limit", scenarios=[Scenario.POOL])],
)


def test_the_page_has_a_section_for_every_library_and_it_is_the_runners() -> None:
    """Of a library that is not here, nobody can tell whether its section is right."""
    catalogue, page = Catalogue(), sections()
    assert sorted(page) == sorted(catalogue.clients)
    with (
        closing(Guardian()) as guardian,
        LocalExecutor(catalogue.runners, guardian, clients=catalogue.every_client) as executor,
    ):
        for client in descriptions(find_clients("*", catalogue.clients), executor):
            assert page[client.library] == section(client), f"{client.library}: run `make differences`"


def test_a_difference_is_a_row() -> None:
    """Setting, as installed, here, where, why; what Markdown would read is escaped."""
    assert "| wait | 1 \\| 2 | 3 s | pool | one limit |" in section(CLIENT)


def test_sections_of_libraries_that_are_not_here_stay() -> None:
    """They are in the order of their names."""
    page = text([CLIENT], {"b-library": "## b-library\n\nits table\n"})
    assert page.index("## a-library") < page.index("## b-library\n\nits table\n")
