"""The page of a run by hand."""

from pathlib import Path

import pytest

from respmark.figures.cells import RunFigures
from respmark.report.html.page import page
from respmark.report.html.view import View
from respmark.report.report import Report
from tests.builders.plan import SHIPPED
from tests.report.html.runs import compared_run


@pytest.fixture(scope="session")
def run() -> RunFigures:
    return compared_run()


@pytest.fixture(scope="session")
def report(run: RunFigures) -> Report:
    return Report(run, SHIPPED.scenarios, claims=SHIPPED)


@pytest.fixture(scope="session")
def view(report: Report) -> View:
    return View(report)


@pytest.fixture(scope="session")
def html(report: Report) -> str:
    return page(report)


@pytest.fixture(scope="session")
def address(html: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()
