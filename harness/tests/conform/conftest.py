"""A catalogue with the double for a client."""

from pathlib import Path

import pytest

from respmark.specs.catalogue import Catalogue
from tests.builders.plan import copy_specs
from tests.double import install


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    folder: Path = copy_specs(tmp_path_factory.mktemp("specs"))
    install(folder)
    return Catalogue(folder)
