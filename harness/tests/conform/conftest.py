"""A catalogue with the double for a client, and one workbench for all tests of a module."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from respmark.conform.context import ConformContext, conform_context
from respmark.paths import SPECS
from respmark.plan.expand import Request, make_plan
from respmark.specs.catalogue import Catalogue
from respmark.target.guardian import Guardian
from tests.double import install


@pytest.fixture(scope="session")
def double_specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of specs with the double as its only client."""
    folder = tmp_path_factory.mktemp("specs")
    for kind in ("suites", "workloads", "targets"):
        shutil.copytree(SPECS / kind, folder / kind)
    shutil.copy(SPECS / "scenarios.toml", folder)
    install(folder)
    return folder


@pytest.fixture(scope="session")
def catalogue(double_specs: Path) -> Catalogue:
    """Return the catalogue with the double."""
    return Catalogue(double_specs)


@pytest.fixture(scope="module")
def context(catalogue: Catalogue) -> Iterator[ConformContext]:
    """Return a workbench with a real server."""
    settings = make_plan(Request(suite="conform", clients=("double",)), catalogue).settings
    with closing(Guardian()) as guardian, conform_context(settings, catalogue, guardian) as made:
        yield made
